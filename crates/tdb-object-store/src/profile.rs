//! Profiles of AWS's command line: credentials, a region and a server by a name, in the two files that it keeps.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

/// Bytes that such a file has at most.
const LARGEST: u64 = 1 << 20;
/// Ways to credentials that only AWS's own programs go.
const ELSEWHERE: [&str; 5] = [
    "sso_session",
    "sso_start_url",
    "role_arn",
    "credential_process",
    "login_session",
];

/// What the files say of one name. That of the credentials comes before that of the configuration.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Profile {
    pub(crate) name: String,
    values: BTreeMap<String, String>,
}

/// A key, its secret, and a token where they are lent for a time.
pub(crate) struct Keys<'a> {
    pub(crate) id: &'a str,
    pub(crate) secret: &'a str,
    pub(crate) token: Option<&'a str>,
}

impl Profile {
    /// The profile that an environment chooses by `AWS_PROFILE`, or else the one named `default`, if there is one.
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
        let chosen = variable("AWS_PROFILE");
        let name = chosen.as_deref().unwrap_or("default");
        match (Self::read(name, &credentials, &config), &chosen) {
            (None, Some(name)) => Err(format!(
                "AWS_PROFILE is {name:?}, and no such profile is in AWS's files: `aws configure list-profiles` tells which are"
            )),
            (found, _) => Ok(found),
        }
    }

    fn read(name: &str, credentials: &str, config: &str) -> Option<Self> {
        let in_config = format!("profile {name}");
        let mut found = section(config, |title| {
            title == in_config || (name == "default" && title == name)
        });
        if let Some(secret) = section(credentials, |title| title == name) {
            found.get_or_insert_default().extend(secret);
        }
        found.map(|values| Self {
            name: name.to_owned(),
            values,
        })
    }

    /// The keys that are written down. None where the profile says nothing of credentials; an error where it leads to them by a
    /// way that is not gone here.
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

    /// A value that is there and not empty.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        let value = self.values.get(key).map(String::as_str);
        value.filter(|value| !value.is_empty())
    }
}

/// What is in a file; nothing if there is none.
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

/// The values of all sections with a title that is wanted, later ones before earlier ones.
fn section(text: &str, is_wanted: impl Fn(&str) -> bool) -> Option<BTreeMap<String, String>> {
    let mut found: Option<BTreeMap<String, String>> = None;
    let mut is_inside = false;
    for line in text.lines() {
        let line = line.trim_end();
        if let Some(title) = line
            .strip_prefix('[')
            .and_then(|rest| rest.split(']').next())
        {
            let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
            is_inside = is_wanted(&title);
            if is_inside {
                found.get_or_insert_default();
            }
            continue;
        }
        // What is indented belongs to the value above it, and is none of those that are asked for here.
        let is_own = !line.starts_with([' ', '\t', '#', ';']);
        if let (true, Some(values), Some((key, value))) =
            (is_inside && is_own, &mut found, line.split_once('='))
        {
            values.insert(key.trim().to_owned(), value.trim().to_owned());
        }
    }
    found
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
