//! Environment variables that other programs use as well.

use std::io::Write;

use crate::common::{bare, beside, told, with_array};
use crate::stub::{Answer, Does, Server};

/// Runs `count` with additional environment variables.
fn count(server: &Server, variables: &[(&str, &str)]) -> String {
    let mut command = beside(server, "count s3://bucket/a");
    for (name, value) in variables {
        command.env(name, value);
    }
    told(&command.output().unwrap())
}

#[test]
fn variables_are_taken_or_told_by_their_names() {
    let server = with_array(|_, _| Does::Serves);
    let address = server.address();
    let bare_address = address.trim_start_matches("http://");
    let good = count(&server, &[]);
    assert!(good.ends_with("exit status 0"), "{good}");
    for variables in [
        [("AWS_ENDPOINT_URL", ""), ("AWS_ENDPOINT_URL_S3", &*address)],
        [("AWS_REQUEST_PAYER", "requester"), ("AWS_REGION", "eu-1\n")],
        [("AWS_ACCESS_KEY_ID", "k\n"), ("AWS_SESSION_TOKEN", "t\r\n")],
    ] {
        assert_eq!(count(&server, &variables), good, "{variables:?}");
    }
    for (name, value, what) in [
        (
            "AWS_ENDPOINT_URL",
            bare_address,
            "it should be https://127.0.0.1",
        ),
        (
            "AWS_ENDPOINT_URL",
            "http://127.0.0.1 :80",
            "no address has a blank",
        ),
        ("AWS_ACCESS_KEY_ID", "a\nb", "an end of line"),
        ("AWS_SESSION_TOKEN", "a b", "has a blank"),
        ("AWS_REQUEST_PAYER", "me", "and not true or false"),
    ] {
        let said = count(&server, &[(name, value)]);
        assert!(said.contains(&format!("{name} ")), "{said}");
        assert!(said.contains(what), "{said}");
        assert!(said.ends_with("exit status 2"), "{said}");
    }
}

#[test]
fn who_has_no_credentials_is_told_how_a_public_bucket_is_read() {
    let way = "vfs.s3.no_sign_request=true reads a public bucket";
    let said = told(&bare("count s3://bucket/a").output().unwrap());
    assert!(said.contains(way), "{said}");
    // The machine's metadata service, if enabled, offers no credentials.
    for answer in [403, 404] {
        let machine = Server::start(move |_, _| Does::Says(Answer::new(answer, "")));
        let output = bare("count s3://bucket/a")
            .env("AWS_EC2_METADATA_DISABLED", "false")
            .env("AWS_METADATA_ENDPOINT", machine.address())
            .output();
        let said = told(&output.unwrap());
        assert!(said.contains(way), "{said}");
        assert!(!said.contains(&machine.address()), "{said}");
        // At most one request to it for each concurrent request of the verb.
        assert!(machine.asked().len() < 10, "{}", machine.asked().len());
    }
    // Without credentials, a public array can be read.
    let server = with_array(|_, _| Does::Serves);
    let output = bare("count s3://bucket/a --config vfs.s3.no_sign_request=true")
        .env("AWS_ENDPOINT_URL", server.address())
        .output();
    let said = told(&output.unwrap());
    assert!(said.ends_with("exit status 0"), "{said}");
}

#[test]
fn a_profile_names_keys_and_server() {
    let server = with_array(|_, _| Does::Serves);
    let mut config = tempfile::NamedTempFile::new().unwrap();
    let address = server.address();
    write!(
        config,
        "[profile \"my lab\"]\n  AWS_ACCESS_KEY_ID = mine\n  aws_secret_access_key = x\n  region = eu-1\n  services = lab\n\
         [services lab]\ns3 =\n  endpoint_url = {address}\n"
    )
    .unwrap();
    let output = bare("count s3://bucket/a")
        .env("AWS_CONFIG_FILE", config.path())
        .env("AWS_PROFILE", "my lab")
        .output();
    let said = told(&output.unwrap());
    assert!(said.ends_with("exit status 0"), "{said}");
    let signed = server.asked();
    let signed = signed[0].header("authorization").unwrap();
    assert!(
        signed.contains("Credential=mine/") && signed.contains("/eu-1/"),
        "{signed}"
    );
}
