//! Recognizing errors caused by a missing network.

/// Messages of cargo for packages that cannot be fetched.
const UNREACHABLE: [&str; 6] = [
    "Could not resolve host",
    "failed to download",
    "failed to query replaced source",
    "Unable to update registry",
    "failed to load source for dependency",
    "attempting to make an HTTP request, but --offline was specified",
];

/// Describes what is missing, if an error says that packages cannot be fetched; otherwise `None`.
pub(crate) fn missing(error: &str) -> Option<String> {
    let says_so = |line: &&str| UNREACHABLE.iter().any(|words| line.contains(words));
    let line = error.lines().map(str::trim).find(says_so)?;
    Some(format!(
        "packages that are not on this machine, and no network to fetch them ({line})"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_that_cannot_be_fetched_is_told_from_an_error_in_code() {
        let told = "warning: spurious network error\nerror: failed to download `libfuzzer-sys v0.4.9`\n\nCaused by:\n  x";
        assert!(
            missing(told)
                .unwrap()
                .ends_with("(error: failed to download `libfuzzer-sys v0.4.9`)")
        );
        assert_eq!(missing("error[E0308]: mismatched types"), None);
    }
}
