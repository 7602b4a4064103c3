//! Settings of TileDB that the user gives with `--config`.

use tdb::{Setting, SettingEffect, Settings};

use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::parse::Size;

/// Ignored: other users could read a key on the command line.
const KEY: &str = "sm.encryption_key";
/// Ignored: the program encrypts if it has a key.
const ENCRYPTION: &str = "sm.encryption_type";

/// Applies the settings to the options, which take precedence, and warns about settings without effect.
pub(crate) fn apply(global: &mut Global, out: &Output) -> Result<(), Failure> {
    let mut settings = Settings::of_environment(std::env::vars_os());
    for text in &global.config {
        set(&mut settings, text, out)?;
    }
    global.threads = global.threads.or(settings.threads()?);
    global.memory = global.memory.or(settings.memory()?.map(Size));
    global.merging = tdb::merge_options(&settings)?;
    global.stays_in_domain = settings.refuses_ranges_outside()?;
    global.whole_history = settings.refuses_incomplete_history()?;
    open_stores_with(&settings, global);
    Ok(())
}

fn set(settings: &mut Settings, text: &str, out: &Output) -> Result<(), Failure> {
    let Setting { name, value } = Setting::parse(text).map_err(of_option)?;
    match name {
        KEY => out.warn(&format!("{name} is ignored: use --key-file for the key")),
        ENCRYPTION => warn_of_unused(name, out),
        _ => match settings.set(name, value).map_err(of_option)? {
            SettingEffect::Used => {}
            SettingEffect::Unused => warn_of_unused(name, out),
            SettingEffect::Unknown => return Err(of_option(Settings::unknown(name))),
        },
    }
    Ok(())
}

fn warn_of_unused(name: &str, out: &Output) {
    out.warn(&format!("{name} is ignored"));
}

/// Adds the option to an error about a setting.
fn of_option(error: tdb::Error) -> Failure {
    let failure = Failure::invalid(format!("--config {error}"));
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// Opens remote stores with these settings from now on.
#[cfg(feature = "object-store")]
fn open_stores_with(settings: &Settings, global: &Global) {
    let opened = std::sync::Arc::new(tdb::ObjectStores::new(settings.stores()));
    crate::interrupt::cancels_stores(opened.clone());
    global.counts.of_stores(opened);
}

#[cfg(not(feature = "object-store"))]
fn open_stores_with(_settings: &Settings, _global: &Global) {}
