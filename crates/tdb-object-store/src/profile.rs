//! AWS profiles: named credentials, region and server in the two files of AWS's command line.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

/// Maximum bytes of such a file.
const LARGEST: u64 = 1 << 20;
/// Keys of a profile that lead to credentials by ways that only AWS's own programs support.
const ELSEWHERE: [&str; 5] = [
    "sso_session",
    "sso_start_url",
    "role_arn",
    "credential_process",
    "login_session",
];

/// The values of a profile. Those of the credentials file take precedence over those of the configuration file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Profile {
    pub(crate) name: String,
    values: BTreeMap<String, String>,
}

/// An access key id, its secret, and the session token of temporary credentials.
pub(crate) struct Keys<'a> {
    pub(crate) id: &'a str,
    pub(crate) secret: &'a str,
    pub(crate) token: Option<&'a str>,
}

impl Profile {
    /// Reads the profile chosen by `AWS_PROFILE` or `AWS_DEFAULT_PROFILE`, else the one named `default`; `None` if
    /// that does not exist. `variable` looks up a variable of the environment.
    pub(crate) fn chosen(
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, String> {
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        let file = |name: &str, usual: &str| {
            let home = || variable("HOME").or_else(|| variable("USERPROFILE"));
            let usual = || home().map(|home| PathBuf::from(home).join(".aws").join(usual));
            variable(name).map(PathBuf::from).or_else(usual)
        };
        let credentials = text(file("AWS_SHARED_CREDENTIALS_FILE", "credentials"))?;
        let config = text(file("AWS_CONFIG_FILE", "config"))?;
        let chosen = variable("AWS_PROFILE").or_else(|| variable("AWS_DEFAULT_PROFILE"));
        let name = chosen.as_deref().unwrap_or("default");
        match (Self::read(name, &credentials, &config), &chosen) {
            (None, Some(name)) => Err(format!(
                "AWS_PROFILE is {name:?}, and no such profile is in AWS's files: `aws configure list-profiles` tells which are"
            )),
            (found, _) => Ok(found),
        }
    }

    fn read(name: &str, credentials: &str, config: &str) -> Option<Self> {
        let mut found = section(config, |title| {
            title.strip_prefix("profile ").map(str::trim) == Some(name)
                || (name == "default" && title == name)
        });
        if let Some(secret) = section(credentials, |title| title == name) {
            found.get_or_insert_default().extend(secret);
        }
        let mut values = found?;
        // The endpoints of the services may be in a separate section, to which profiles refer by name.
        let services = values.get("services").cloned();
        if let Some(services) = services {
            let named = section(config, |title| {
                title.strip_prefix("services ").map(str::trim) == Some(&services)
            });
            let of_s3 = named.as_ref().and_then(|named| named.get("s3"));
            if let Some(endpoint) = of_s3.and_then(|of_s3| nested(of_s3, "endpoint_url")) {
                values.insert("endpoint_url".to_owned(), endpoint);
            }
        }
        Some(Self {
            name: name.to_owned(),
            values,
        })
    }

    /// Returns the access key in the profile; `None` if the profile does not mention credentials. A profile that
    /// obtains them in an unsupported way, such as SSO, is an error.
    pub(crate) fn keys(&self) -> Result<Option<Keys<'_>>, String> {
        let name = &self.name;
        match (
            self.get("aws_access_key_id"),
            self.get("aws_secret_access_key"),
        ) {
            (Some(id), Some(secret)) => Ok(Some(Keys {
                id,
                secret,
                token: self.get("aws_session_token"),
            })),
            (Some(_), None) => Err(format!(
                "the AWS profile {name:?} has a key without its secret"
            )),
            (None, _) => match ELSEWHERE.iter().find(|way| self.get(way).is_some()) {
                None => Ok(None),
                Some(way) => Err(format!(
                    "the AWS profile {name:?} has its credentials by {way}, which takes AWS's own program: `eval \"$(aws configure \
                     export-credentials --profile {name} --format env)\"` puts them into the environment, where tdb finds them"
                )),
            },
        }
    }

    /// Returns a value if it exists and is not empty.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        let value = self.values.get(key).map(String::as_str);
        value.filter(|value| !value.is_empty())
    }
}

/// Reads a file; returns an empty text if it does not exist.
fn text(file: Option<PathBuf>) -> Result<String, String> {
    let Some(file) = file else {
        return Ok(String::new());
    };
    let failed = |why: String| format!("{}: {why}", file.display());
    match fs::metadata(&file) {
        Ok(found) if found.len() > LARGEST => {
            Err(failed("a file of profiles is not that long".to_owned()))
        }
        Ok(_) => fs::read_to_string(&file).map_err(|error| failed(error.to_string())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(failed(error.to_string())),
    }
}

/// Returns the values of all sections with a wanted title, or `None` if there is no such section; a later value
/// replaces an earlier one. Like AWS's own programs, it ignores the case of keys, and appends a line to the value
/// above if it is indented further than its key.
fn section(text: &str, is_wanted: impl Fn(&str) -> bool) -> Option<BTreeMap<String, String>> {
    let mut found: Option<BTreeMap<String, String>> = None;
    let mut is_inside = false;
    // The last key, and its indentation.
    let mut last: Option<(String, usize)> = None;
    for line in text.lines() {
        let bare = line.trim();
        if bare.is_empty() || bare.starts_with(['#', ';']) {
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let is_below = last.as_ref().is_some_and(|(_, above)| indent > *above);
        let title = bare.strip_prefix('[').filter(|_| !is_below);
        if let Some(title) = title.and_then(|rest| Some(rest.rsplit_once(']')?.0)) {
            is_inside = is_wanted(&unquoted(title));
            last = None;
            if is_inside {
                found.get_or_insert_default();
            }
            continue;
        }
        let Some(values) = found.as_mut().filter(|_| is_inside) else {
            continue;
        };
        if let (true, Some((name, _))) = (is_below, &last) {
            let value = values.entry(name.clone()).or_default();
            value.push('\n');
            value.push_str(bare);
        } else if let Some((name, value)) = pair(bare) {
            values.insert(name.clone(), value);
            last = Some((name, indent));
        }
    }
    found
}

/// Returns the value of `wanted` among the lines nested in a value.
fn nested(value: &str, wanted: &str) -> Option<String> {
    let mut pairs = value.lines().filter_map(pair);
    let (_, value) = pairs.find(|(name, _)| name == wanted)?;
    (!value.is_empty()).then_some(value)
}

fn pair(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once(['=', ':'])?;
    Some((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
}

/// Returns a section title without the quotes around its name: `profile "my lab"`.
fn unquoted(title: &str) -> String {
    let title = title.trim();
    let quoted = |quote: char| {
        let (kind, rest) = title.split_once(quote)?;
        let name = rest.strip_suffix(quote)?;
        Some(format!("{} {name}", kind.trim()).trim().to_owned())
    };
    let words = || title.split_whitespace().collect::<Vec<_>>().join(" ");
    quoted('"').or_else(|| quoted('\'')).unwrap_or_else(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREDENTIALS: &str = "\
[default]
aws_access_key_id = A
aws_secret_access_key=S=1/+

# [lost]
[team]
aws_access_key_id = T
aws_secret_access_key = U
aws_session_token = V
[half]
aws_access_key_id = H
";
    const CONFIG: &str = "\
[default]
region = eu-central-1
[profile  team]
region = us-east-2
s3 =
  endpoint_url = http://nested
endpoint_url = http://127.0.0.1:9000
[profile lent]
role_arn = arn:aws:iam::1:role/x
[team]
region = not this one
";

    #[test]
    fn both_files_tell_of_a_profile() {
        let read = |name| Profile::read(name, CREDENTIALS, CONFIG);
        let default = read("default").unwrap();
        let keys = default.keys().unwrap().unwrap();
        assert_eq!((keys.id, keys.secret, keys.token), ("A", "S=1/+", None));
        assert_eq!(default.get("region"), Some("eu-central-1"));
        let team = read("team").unwrap();
        assert_eq!(team.keys().unwrap().unwrap().token, Some("V"));
        assert_eq!(team.get("region"), Some("us-east-2"));
        assert_eq!(team.get("endpoint_url"), Some("http://127.0.0.1:9000"));
        assert_eq!(read("lost"), None);
        assert_eq!(read("profile team"), None);
    }

    #[test]
    fn files_are_read_as_the_aws_program_reads_them() {
        let credentials = "\
[lab]
    AWS_ACCESS_KEY_ID = L
    aws_secret_access_key: M
  # a remark
";
        let config = "\
  [profile \"my lab\"]
  Region=eu-west-3
  aws_access_key_id = I
  aws_secret_access_key = J
  s3 =
      addressing_style = virtual
      max_concurrent_requests = 5
  services = local
[services local]
dynamodb =
    endpoint_url = http://wrong
s3 =
    endpoint_url = http://right:9000
[profile 'other lab']
region = x
[profile plain]
services = none
endpoint_url = http://plain
";
        let read = |name| Profile::read(name, credentials, config).unwrap();
        let lab = read("lab");
        let keys = lab.keys().unwrap().unwrap();
        assert_eq!((keys.id, keys.secret), ("L", "M"));
        let mine = read("my lab");
        assert_eq!(mine.keys().unwrap().unwrap().id, "I");
        assert_eq!(mine.get("region"), Some("eu-west-3"));
        assert_eq!(mine.get("endpoint_url"), Some("http://right:9000"));
        assert_eq!(read("other lab").get("region"), Some("x"));
        assert_eq!(read("plain").get("endpoint_url"), Some("http://plain"));
    }

    #[test]
    fn credentials_that_are_not_written_down_are_told() {
        let told = |name| {
            let profile = Profile::read(name, CREDENTIALS, CONFIG).unwrap();
            profile.keys().map(|_| ()).unwrap_err()
        };
        assert_eq!(
            told("half"),
            "the AWS profile \"half\" has a key without its secret"
        );
        let lent = told("lent");
        assert!(
            lent.contains("by role_arn") && lent.contains("--profile lent"),
            "{lent}"
        );
    }

    #[test]
    fn the_environment_chooses() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name).display().to_string();
        fs::write(file("c"), CREDENTIALS).unwrap();
        let chosen = |profile: &'static str| {
            Profile::chosen(|name| match name {
                "AWS_PROFILE" => Some(profile.to_owned()),
                "AWS_SHARED_CREDENTIALS_FILE" => Some(file("c")),
                "AWS_CONFIG_FILE" => Some(file("none")),
                _ => None,
            })
        };
        assert_eq!(chosen("").unwrap().unwrap().name, "default");
        assert_eq!(chosen("team").unwrap().unwrap().name, "team");
        assert!(
            chosen("typo")
                .unwrap_err()
                .contains("AWS_PROFILE is \"typo\"")
        );
        assert_eq!(Profile::chosen(|_| None), Ok(None));
    }
}
