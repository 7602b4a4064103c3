use super::*;

#[test]
fn names_are_ordered_and_there_once() {
    let mut names: Vec<&str> = Settings::names().collect();
    let given = names.clone();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names, given);
    let found = KNOWN
        .iter()
        .map(|known| find(known.name).map(|found| found.name));
    assert!(found.eq(KNOWN.iter().map(|known| Some(known.name))));
}

#[test]
fn each_setting_of_the_newest_release_has_a_default() {
    let settings = Settings::new();
    let (with, without): (Vec<&TableEntry>, Vec<&TableEntry>) = KNOWN
        .iter()
        .partition(|known| settings.get(known.name).is_some());
    // TileDB 2.30 lists 154 settings; one is tdb's own.
    assert_eq!(with.len(), 155);
    let without: Vec<&str> = without.iter().map(|known| known.name).collect();
    assert_eq!(
        without,
        [
            "rest.password",
            "rest.token",
            "rest.username",
            "sm.num_async_threads",
            "sm.num_reader_threads",
            "sm.num_tbb_threads",
            "sm.num_writer_threads",
            "sm.tile_cache_size",
            "sm.vacuum.timestamp_end",
            "sm.vacuum.timestamp_start",
            "vfs.file.max_parallel_ops",
            "vfs.gcs.external_account_config",
            "vfs.max_parallel_ops",
        ]
    );
}

#[test]
fn defaults_are_valid_values_without_effect() {
    for setting in Settings::new().iter("") {
        let mut settings = Settings::new();
        settings.set(setting.name, setting.value).expect("valid");
    }
    let settings = Settings::new();
    assert_eq!(settings.threads().expect("valid"), None);
    assert_eq!(settings.memory().expect("valid"), None);
    assert_eq!(settings.merging().expect("valid"), MergeSettings::default());
    assert!(!settings.refuses_ranges_outside().expect("valid"));
    assert!(settings.key().expect("valid").is_none());
}

#[test]
fn unset_settings_have_the_value_of_the_environment_again() {
    let variables = [
        ("TILEDB_VFS_S3_REGION", "eu-central-1"),
        ("TILEDB_VFS_S3_SSE", "aes256"),
        ("TILEDB_SM_MEM_TOTAL_BUDGET", "1"),
        ("AWS_REGION", "x"),
    ];
    let mut settings = Settings::of_environment(variables);
    assert_eq!(settings.of_environment.len(), 1);
    settings.set("vfs.s3.region", "us-west-2").expect("valid");
    assert_eq!(settings.get("vfs.s3.region"), Some("us-west-2"));
    settings.unset("vfs.s3.region");
    assert_eq!(settings.get("vfs.s3.region"), Some("eu-central-1"));
    assert_eq!(settings.get("sm.mem.total_budget"), Some("10737418240"));
}

#[test]
fn unset_settings_have_their_default_again() {
    let mut settings = Settings::new();
    settings.set("sm.read_range_oob", "error").expect("valid");
    assert!(settings.refuses_ranges_outside().expect("valid"));
    settings.unset("sm.read_range_oob");
    assert_eq!(settings.get("sm.read_range_oob"), Some("warn"));
    assert!(!settings.refuses_ranges_outside().expect("valid"));
}

#[test]
fn settings_of_others_are_kept() {
    let mut settings = Settings::new();
    let effect = settings.set("my.own", "7").expect("kept");
    assert_eq!(effect, SettingEffect::Unknown);
    let own: Vec<Setting<'_>> = settings.iter("my.").collect();
    assert_eq!(
        own,
        [Setting {
            name: "my.own",
            value: "7"
        }]
    );
    settings.unset("my.own");
    assert_eq!(settings.get("my.own"), None);
    assert_eq!(settings, Settings::new());
}

#[test]
fn values_that_mean_nothing_are_refused_and_not_kept() {
    let mut settings = Settings::new();
    for (name, value, message) in [
        (
            "sm.io_concurrency_level",
            "many",
            "sm.io_concurrency_level=many: not a number of threads",
        ),
        (
            "sm.memory_budget",
            "-1",
            "sm.memory_budget=-1: not a number of bytes",
        ),
        (
            "sm.read_range_oob",
            "off",
            "sm.read_range_oob=off: expected error or warn",
        ),
        (
            "sm.consolidation.steps",
            "1.5",
            "sm.consolidation.steps=1.5: invalid value for this setting",
        ),
        (
            "sm.encryption_type",
            "AES",
            "sm.encryption_type=AES: expected AES_256_GCM or NO_ENCRYPTION",
        ),
    ] {
        let error = settings.set(name, value).expect_err("invalid");
        assert_eq!(error.to_string(), message);
    }
    assert_eq!(settings, Settings::new());
}

#[test]
fn misspelt_names_are_told_with_the_nearest() {
    let error = Settings::unknown("sm.mem.total_buget");
    assert_eq!(
        error.to_string(),
        "sm.mem.total_buget: TileDB has no such setting"
    );
    assert_eq!(error.hint(), Some("did you mean \"sm.mem.total_budget\"?"));
    let hint = Settings::unknown("colour").hint().map(str::to_owned);
    assert!(hint.is_some_and(|hint| hint.starts_with("settings begin with")));
}

#[test]
fn keys_count_once_encryption_is_on() {
    let mut settings = Settings::new();
    settings.set("sm.encryption_key", "short").expect("kept");
    assert!(settings.key().expect("off").is_none());
    settings
        .set("sm.encryption_type", "AES_256_GCM")
        .expect("valid");
    let error = settings.key().map(|_| ()).expect_err("short");
    assert!(error.to_string().starts_with("sm.encryption_key: "));
    let key = "0123456789abcdef0123456789abcdef";
    settings.set("sm.encryption_key", key).expect("kept");
    assert!(settings.key().expect("valid").is_some());
    assert!(!format!("{settings:?}").contains(key));
}

#[test]
fn the_first_of_two_names_for_one_thing_wins() {
    let mut settings = Settings::new();
    settings.set("sm.io_concurrency_level", "4").expect("valid");
    let threads = |settings: &Settings| settings.threads().expect("valid").map(usize::from);
    assert_eq!(threads(&settings), Some(4));
    settings
        .set("sm.compute_concurrency_level", "2")
        .expect("valid");
    assert_eq!(threads(&settings), Some(2));
}

#[cfg(feature = "object-store")]
#[test]
fn stores_understand_what_is_said_to_have_an_effect_there() {
    for name in Settings::names() {
        let is_understood = tdb_object_store::Settings::new().set(name, "x");
        let is_of_stores = meaning_of(name) == Some(Meaning::OfStores);
        assert_eq!(is_understood, is_of_stores, "{name}");
    }
}
