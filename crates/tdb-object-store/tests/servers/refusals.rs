//! Servers that deny access: wrong credentials, buckets and regions.

use bytes::Bytes;
use tdb_store::{Read, Store, StoreError, read_one, read_whole};

use crate::stub::{Answer, Does, Server};

/// All errors of a store whose server answers every request with this error.
fn errors(answer: Answer) -> Vec<StoreError> {
    let server = Server::start(move |_, _| Does::Says(answer.clone()));
    let store = server.store();
    let errors = vec![
        read_whole(&store, "a/object", u64::MAX).unwrap_err(),
        read_one(&store, Read::bounded("a/object", 10, 1000)).unwrap_err(),
        store.list("a", None).unwrap_err(),
        store.put("a/new", Bytes::from_static(b"new")).unwrap_err(),
        store.size("a/object").unwrap_err(),
    ];
    assert_eq!(
        server.asked().len(),
        5,
        "what is refused is not asked again"
    );
    errors
}

#[test]
fn credentials_that_are_refused_are_told_with_what_to_do() {
    for (status, code, what) in [
        (403, "AccessDenied", "the credentials have to allow it"),
        (
            400,
            "ExpiredToken",
            "get new credentials: vfs.s3.aws_session_token",
        ),
        (403, "SignatureDoesNotMatch", "vfs.s3.aws_secret_access_key"),
        (403, "InvalidAccessKeyId", "vfs.s3.aws_access_key_id"),
        (403, "RequestTimeTooSkewed", "the clock of this machine"),
    ] {
        let errors = errors(Answer::error(status, code, "No."));
        for error in &errors[..4] {
            assert!(matches!(error, StoreError::Denied { .. }), "{error}");
            let said = format!(": access denied: the server says {code}: No; ");
            assert!(error.to_string().contains(&said), "{error}");
            assert!(error.to_string().contains(what), "{error}");
        }
        let bare = errors[4].to_string();
        assert!(
            bare.contains(&format!("the server answers {status} ")),
            "{bare}"
        );
        assert!(bare.contains("credentials"), "{bare}");
    }
}

#[test]
fn no_error_tells_a_secret() {
    for status in [400, 403, 503] {
        for error in errors_of(status) {
            let text = format!("{error} {error:?}");
            assert!(
                !text.contains("the-secret") && !text.contains("the-token"),
                "{text}"
            );
        }
    }
}

fn errors_of(status: u16) -> Vec<StoreError> {
    let server = Server::start(move |_, _| Does::Says(Answer::new(status, "")));
    let store = server.store();
    vec![
        store.size("a").unwrap_err(),
        store.list("", None).unwrap_err(),
    ]
}

#[test]
fn a_bucket_that_is_not_there_is_no_missing_object() {
    let errors = errors(Answer::error(
        404,
        "NoSuchBucket",
        "The specified bucket does not exist",
    ));
    for error in &errors[..4] {
        assert!(!error.is_not_found(), "{error}");
        let told = error.to_string();
        assert!(
            told.contains("NoSuchBucket: The specified bucket does not exist"),
            "{told}"
        );
        assert!(told.contains("look at the name in the URI"), "{told}");
    }
}

#[test]
fn a_bucket_of_another_region_is_told_with_the_region() {
    for (status, code) in [
        (301, "PermanentRedirect"),
        (400, "AuthorizationHeaderMalformed"),
    ] {
        let answer = Answer::error(status, code, "No.").with("x-amz-bucket-region", "eu-west-1");
        for error in errors(answer) {
            let told = error.to_string();
            let what = "the bucket lies in the region eu-west-1, and us-east-1 is asked; vfs.s3.region or AWS_REGION";
            assert!(told.contains(what), "{told}");
        }
    }
}
