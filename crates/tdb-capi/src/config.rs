//! Settings as handles, and iteration over them.

use std::ffi::c_char;
use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tdb::{Profile, Settings};

use crate::border::call::{call_alone, call_silent};
use crate::border::pointers::{check_place, optional_text, put, text};
use crate::border::{Error, LentValues, Result, free, get, give, handle};
use crate::error::tiledb_error_t;
use crate::profile::profile;

/// Settings by TileDB's names.
#[derive(Debug)]
pub(crate) struct Config {
    settings: Mutex<Settings>,
    profile: Mutex<LoadedProfile>,
    lent: LentValues,
}

/// The profile that gives settings which are not set otherwise, and what it was loaded for.
#[derive(Debug, Default)]
struct LoadedProfile {
    /// The name and the folder in the settings; `None` before it was looked for.
    wanted: Option<(String, String)>,
    /// `None` if the user has none.
    profile: Option<Profile>,
}

impl LoadedProfile {
    /// Loads the profile that the settings name, once. The default one need not exist.
    fn load(&mut self, settings: &Settings) -> Result<Option<&Profile>> {
        let setting = |name| settings.get(name).unwrap_or("").to_owned();
        let wanted = (setting("profile_name"), setting("profile_dir"));
        if self.wanted.as_ref() != Some(&wanted) {
            let (name, folder) = (&wanted.0, &wanted.1);
            let is_named = !name.is_empty() || !folder.is_empty();
            let loaded = profile(Some(name), Some(folder)).and_then(|mut profile| {
                if is_named || profile.has_file() {
                    profile.load()?;
                }
                Ok(profile)
            });
            self.profile = match loaded {
                Ok(profile) => Some(profile),
                Err(_) if !is_named => None,
                Err(_) => {
                    let text = "Failed to load the REST profile. Please check the profile name and directory parameters.";
                    return Err(Error::new("Config", text));
                }
            };
            self.wanted = Some(wanted);
        }
        Ok(self.profile.as_ref())
    }
}

impl Config {
    /// Creates settings with TileDB's defaults and those of the environment.
    pub(crate) fn new() -> Self {
        Self::of(Settings::of_environment(std::env::vars_os()))
    }

    pub(crate) fn of(settings: Settings) -> Self {
        Self {
            settings: Mutex::new(settings),
            profile: Mutex::default(),
            lent: LentValues::default(),
        }
    }

    /// Returns a copy of the settings.
    pub(crate) fn settings(&self) -> Settings {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Settings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a setting: as it was set, by the environment, the profile, or its default.
    fn value(&self, name: &str) -> Result<Option<String>> {
        let settings = self.lock();
        let is_set = settings.given(name).is_some();
        if !is_set && !name.starts_with("profile_") {
            let mut profile = self.profile.lock().unwrap_or_else(PoisonError::into_inner);
            let found = profile.load(&settings)?;
            if let Some(value) = found.and_then(|profile| profile.get(name)) {
                return Ok(Some(value.to_owned()));
            }
        }
        Ok(settings.get(name).map(str::to_owned))
    }

    fn set(&self, name: &str, value: &str) -> Result<()> {
        let set = self.lock().set(name, value);
        set.map(|_| ()).map_err(|error| {
            let text = format!("Failed to set config parameter; {error}");
            Error::new("Config", text)
        })
    }
}

handle!(
    /// Settings.
    tiledb_config_t => Config, "config"
);

/// An iteration over settings, which were copied when it began.
#[derive(Debug)]
pub(crate) struct Iteration {
    state: Mutex<Cursor>,
    lent: LentValues,
}

/// The settings of an iteration, and the place in them.
#[derive(Debug, Default)]
struct Cursor {
    settings: Vec<(String, String)>,
    next: usize,
}

impl Cursor {
    /// Takes the settings whose names begin with a prefix; names without it.
    fn over(config: &Config, prefix: Option<&str>) -> Self {
        let prefix = prefix.unwrap_or("");
        let settings = config.lock();
        let named = settings.iter(prefix).map(|setting| {
            let name = setting.name.strip_prefix(prefix).unwrap_or(setting.name);
            (name.to_owned(), setting.value.to_owned())
        });
        Self {
            settings: named.collect(),
            next: 0,
        }
    }
}

impl Iteration {
    fn lock(&self) -> MutexGuard<'_, Cursor> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

handle!(
    /// An iteration over settings.
    tiledb_config_iter_t => Iteration, "config iterator"
);

/// Creates settings: TileDB's defaults, and those of stores that the environment gives.
///
/// # Safety
/// `config` and `error` are null or point to pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_alloc(
    config: *mut *mut tiledb_config_t,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    call_alone(error, || {
        check_place(config)?;
        put(config, give(Config::new()))
    })
}

/// Frees settings.
///
/// # Safety
/// `config` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_free(config: *mut *mut tiledb_config_t) {
    free(config);
}

/// Sets a setting.
///
/// # Safety
/// `param` and `value` are null or texts; `error` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_set(
    config: *mut tiledb_config_t,
    param: *const c_char,
    value: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    call_alone(error, || get(config)?.set(text(param)?, text(value)?))
}

/// Returns a setting; null if it has neither a value nor a default.
///
/// # Safety
/// `param` is null or a text; `value` and `error` are null or point to pointers. The value may be read until the
/// handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_get(
    config: *mut tiledb_config_t,
    param: *const c_char,
    value: *mut *const c_char,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    call_alone(error, || {
        let config = get(config)?;
        match config.value(text(param)?)? {
            Some(found) => put(value, config.lent.text(&found)?),
            None => put(value, std::ptr::null()),
        }
    })
}

/// Takes a setting back, so that it has its default.
///
/// # Safety
/// `param` is null or a text; `error` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_unset(
    config: *mut tiledb_config_t,
    param: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    call_alone(error, || {
        get(config)?.lock().unset(text(param)?);
        Ok(())
    })
}

/// Sets what a file says: a line per setting, its name and its value; `#` begins a comment.
///
/// # Safety
/// `filename` is null or a text; `error` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_load_from_file(
    config: *mut tiledb_config_t,
    filename: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    call_alone(error, || {
        let (config, filename) = (get(config)?, text(filename)?);
        let failed = |why: &dyn std::fmt::Display| {
            Error::new(
                "Config",
                format!("Failed to open config file '{filename}'; {why}"),
            )
        };
        let lines = fs::read_to_string(filename).map_err(|error| failed(&error))?;
        for (number, line) in lines.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.split_whitespace();
            let (name, value, rest) = (words.next(), words.next(), words.next());
            let (Some(name), Some(value), None) = (name, value, rest) else {
                let line = number + 1;
                return Err(failed(&format_args!(
                    "line {line} is not a name and a value"
                )));
            };
            config.set(name, value)?;
        }
        Ok(())
    })
}

/// Writes the settings to a file, without what gives access to something.
///
/// # Safety
/// `filename` is null or a text; `error` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_save_to_file(
    config: *mut tiledb_config_t,
    filename: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    call_alone(error, || {
        let (config, filename) = (get(config)?, text(filename)?);
        let settings = config.lock();
        let shown = settings
            .iter("")
            .filter(|setting| !setting.value.is_empty() && !Settings::is_secret(setting.name));
        let lines: String = shown
            .map(|setting| format!("{} {}\n", setting.name, setting.value))
            .collect();
        #[expect(
            clippy::disallowed_methods,
            reason = "a file of settings is no object of a store"
        )]
        let written = fs::write(filename, lines);
        written.map_err(|error| {
            Error::new(
                "Config",
                format!("Failed to open config file '{filename}'; {error}"),
            )
        })
    })
}

/// Compares settings: 1 if they are equal.
///
/// # Safety
/// `equal` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_compare(
    lhs: *mut tiledb_config_t,
    rhs: *mut tiledb_config_t,
    equal: *mut u8,
) -> i32 {
    call_silent(|| {
        let (lhs, rhs) = (get(lhs)?.settings(), get(rhs)?.settings());
        put(equal, u8::from(lhs.iter("").eq(rhs.iter(""))))
    })
}

/// Begins an iteration over the settings whose names begin with a prefix; null stands for all.
///
/// # Safety
/// `prefix` is null or a text; `config_iter` and `error` are null or point to pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_iter_alloc(
    config: *mut tiledb_config_t,
    prefix: *const c_char,
    config_iter: *mut *mut tiledb_config_iter_t,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    call_alone(error, || {
        check_place(config_iter)?;
        let cursor = Cursor::over(&*get(config)?, optional_text(prefix)?);
        let iteration = Iteration {
            state: Mutex::new(cursor),
            lent: LentValues::default(),
        };
        put(config_iter, give(iteration))
    })
}

/// Begins an iteration anew.
///
/// # Safety
/// `prefix` is null or a text; `error` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_iter_reset(
    config: *mut tiledb_config_t,
    config_iter: *mut tiledb_config_iter_t,
    prefix: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    call_alone(error, || {
        let cursor = Cursor::over(&*get(config)?, optional_text(prefix)?);
        *get(config_iter)?.lock() = cursor;
        Ok(())
    })
}

/// Frees an iteration.
///
/// # Safety
/// `config_iter` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_iter_free(config_iter: *mut *mut tiledb_config_iter_t) {
    free(config_iter);
}

/// Returns the setting at which an iteration is.
///
/// # Safety
/// `param`, `value` and `error` are null or point to pointers. The texts may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_iter_here(
    config_iter: *mut tiledb_config_iter_t,
    param: *mut *const c_char,
    value: *mut *const c_char,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    call_alone(error, || {
        let iteration = get(config_iter)?;
        let cursor = iteration.lock();
        let Some((name, text)) = cursor.settings.get(cursor.next) else {
            return Err(Error::new("Config", "The iteration is at its end"));
        };
        put(param, iteration.lent.text(name)?)?;
        put(value, iteration.lent.text(text)?)
    })
}

/// Goes on to the next setting.
///
/// # Safety
/// `error` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_iter_next(
    config_iter: *mut tiledb_config_iter_t,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    call_alone(error, || {
        let iteration = get(config_iter)?;
        let mut cursor = iteration.lock();
        if cursor.next < cursor.settings.len() {
            cursor.next += 1;
        }
        Ok(())
    })
}

/// Says whether an iteration is at its end.
///
/// # Safety
/// `done` is null or points to a number; `error` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_config_iter_done(
    config_iter: *mut tiledb_config_iter_t,
    done: *mut i32,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    call_alone(error, || {
        let iteration = get(config_iter)?;
        let cursor = iteration.lock();
        put(done, i32::from(cursor.next >= cursor.settings.len()))
    })
}
