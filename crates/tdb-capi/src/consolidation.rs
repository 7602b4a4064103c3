//! Merging what is stored, and removing what was replaced.

use std::ffi::c_char;

use tdb::engine::array::TimeWindow;
use tdb::engine::consolidate::suggest_merges;
use tdb::{ErrorKind, Settings};

use crate::array::tiledb_array_t;
use crate::border::call::call_silent;
use crate::border::context::{Context, tiledb_ctx_t, with_settings};
use crate::border::handles::get_optional;
use crate::border::pointers::{check_place, index, put, take, text};
use crate::border::{Error, LentValues, Result, call, free, get, give, handle};
use crate::config::tiledb_config_t;
use crate::statistics::put_text;

/// The engine's context with the settings of a call, which may be null: then those of the context.
pub(crate) struct Engine {
    engine: tdb::Context,
    settings: Settings,
}

impl std::ops::Deref for Engine {
    type Target = tdb::Context;

    fn deref(&self) -> &tdb::Context {
        &self.engine
    }
}

pub(crate) fn engine_with(context: &Context, config: *mut tiledb_config_t) -> Result<Engine> {
    let engine = context.engine()?.clone();
    let Some(config) = get_optional(config)? else {
        return Ok(Engine {
            engine,
            settings: context.settings().clone(),
        });
    };
    let settings = config.settings();
    let engine = with_settings(&engine, &settings)?;
    Ok(Engine { engine, settings })
}

fn failed(error: tdb::Error) -> Error {
    Error::short("Consolidator", error.to_string())
}

/// Reads the program's list of texts.
///
/// # Safety
/// `texts` is null or points to as many texts, which stay unchanged for `'a`.
unsafe fn texts<'a>(texts: *mut *const c_char, count: u64) -> Result<Vec<&'a str>> {
    let count = index(count)?;
    if count > 0 {
        check_place(texts)?;
    }
    let all = (0..count).map(|at| text(take(texts.add(at))?));
    all.collect()
}

/// Merges of an array what the settings say: its fragments, their footers, its commits or its metadata.
///
/// # Safety
/// `array_uri` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_consolidate(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    config: *mut tiledb_config_t,
) -> i32 {
    call(ctx, |context| {
        let engine = engine_with(context, config)?;
        let merged = engine.consolidate_by(text(array_uri)?, &engine.settings);
        merged.map_err(failed)
    })
}

/// Merges exactly these fragments, given by name or URI.
///
/// # Safety
/// `array_uri` is null or a text; `fragment_uris` is null or points to as many texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_consolidate_fragments(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    fragment_uris: *mut *const c_char,
    num_fragments: u64,
    config: *mut tiledb_config_t,
) -> i32 {
    call(ctx, |context| {
        let engine = engine_with(context, config)?;
        let (uri, fragments) = (text(array_uri)?, texts(fragment_uris, num_fragments)?);
        let merged = engine.consolidate_fragments(uri, &fragments, &engine.settings);
        merged.map_err(failed)
    })
}

/// Removes the fragments with these names or URIs.
///
/// # Safety
/// `uri_str` is null or a text; `fragment_uris` is null or points to as many texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_delete_fragments_list(
    ctx: *mut tiledb_ctx_t,
    uri_str: *const c_char,
    fragment_uris: *mut *const c_char,
    num_fragments: usize,
) -> i32 {
    call(ctx, |context| {
        let fragments = texts(fragment_uris, num_fragments as u64)?;
        let deleted = context
            .engine()?
            .delete_fragments(text(uri_str)?, &fragments);
        deleted.map_err(|error| not_deleted("delete_fragments_list", &error))
    })
}

/// Removes the fragments whose cells are all of these times, both included.
///
/// # Safety
/// `uri_str` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_delete_fragments_v2(
    ctx: *mut tiledb_ctx_t,
    uri_str: *const c_char,
    timestamp_start: u64,
    timestamp_end: u64,
) -> i32 {
    call(ctx, |context| {
        let window = TimeWindow {
            since: timestamp_start,
            at: timestamp_end,
        };
        let deleted = context
            .engine()?
            .delete_fragments_within(text(uri_str)?, window);
        deleted.map_err(|error| not_deleted("delete_fragments", &error))
    })
}

fn not_deleted(what: &str, error: &tdb::Error) -> Error {
    let text = match error.kind() {
        ErrorKind::NotFound => format!("[{what}] Array does not exist"),
        _ => format!("[{what}] {error}"),
    };
    Error::short("Array", text)
}

/// Removes at once what a merge has replaced, of the kind that the settings say.
///
/// # Safety
/// `array_uri` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_vacuum(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    config: *mut tiledb_config_t,
) -> i32 {
    call(ctx, |context| {
        let engine = engine_with(context, config)?;
        let removed = engine.vacuum_by(text(array_uri)?, &engine.settings);
        removed.map_err(failed)
    })
}

/// Puts the metadata of a group into one object.
///
/// # Safety
/// `group_uri` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_consolidate_metadata(
    ctx: *mut tiledb_ctx_t,
    group_uri: *const c_char,
    config: *mut tiledb_config_t,
) -> i32 {
    call(ctx, |context| {
        let engine = engine_with(context, config)?;
        let merged = engine.consolidate_group_metadata(text(group_uri)?);
        merged.map_err(|error| {
            let text = match error.kind() {
                ErrorKind::NotFound => "Group does not exist".to_owned(),
                _ => error.to_string(),
            };
            Error::short(
                "Group",
                format!("Cannot consolidate group metadata; {text}"),
            )
        })
    })
}

/// Which fragments should be merged, in groups.
#[derive(Debug)]
pub(crate) struct ConsolidationPlan {
    nodes: Vec<Vec<String>>,
    lent: LentValues,
}

handle!(
    /// A suggestion which fragments should be merged.
    tiledb_consolidation_plan_t => ConsolidationPlan, "consolidation plan"
);

impl ConsolidationPlan {
    fn node(&self, at: u64) -> Result<&[String]> {
        let node = self.nodes.get(index(at)?);
        node.map(Vec::as_slice)
            .ok_or_else(|| plan_error("Trying to access a node that doesn't exist."))
    }

    /// Returns the plan as JSON, in TileDB's layout.
    fn json(&self) -> String {
        let mut nodes = Vec::new();
        for node in &self.nodes {
            let uris: Vec<String> = node
                .iter()
                .map(|uri| format!("        {{\n           \"uri\" : \"{uri}\"\n        }}"))
                .collect();
            nodes.push(format!(
                "    {{\n      \"uris\" : [\n{}\n      ]\n    }}",
                uris.join(",\n")
            ));
        }
        let end = if nodes.is_empty() { "" } else { "\n" };
        format!("{{\n  \"nodes\": [\n{}{end}  ]\n}}\n", nodes.join(",\n"))
    }
}

fn plan_error(message: &str) -> Error {
    Error::short("ConsolidationPlan", message)
}

/// Suggests which fragments of an open array should be merged, so that fragments have about this size in bytes and do
/// not overlap.
///
/// # Safety
/// `consolidation_plan` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_create_with_mbr(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    fragment_size: u64,
    consolidation_plan: *mut *mut tiledb_consolidation_plan_t,
) -> i32 {
    call(ctx, |_| {
        check_place(consolidation_plan)?;
        let opened = get(array)?.opened()?;
        let suggested = suggest_merges(opened.array.engine(), fragment_size);
        let nodes = suggested.map_err(|error| opened.array.failed(error))?;
        let plan = ConsolidationPlan {
            nodes,
            lent: LentValues::default(),
        };
        put(consolidation_plan, give(plan))
    })
}

/// Frees a suggestion.
///
/// # Safety
/// `consolidation_plan` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_free(
    consolidation_plan: *mut *mut tiledb_consolidation_plan_t,
) {
    free(consolidation_plan);
}

/// Returns the number of groups of fragments.
///
/// # Safety
/// `num_nodes` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_get_num_nodes(
    ctx: *mut tiledb_ctx_t,
    consolidation_plan: *mut tiledb_consolidation_plan_t,
    num_nodes: *mut u64,
) -> i32 {
    call(ctx, |_| {
        put(num_nodes, get(consolidation_plan)?.nodes.len() as u64)
    })
}

/// Returns the number of fragments of a group.
///
/// # Safety
/// `num_fragments` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_get_num_fragments(
    ctx: *mut tiledb_ctx_t,
    consolidation_plan: *mut tiledb_consolidation_plan_t,
    node_index: u64,
    num_fragments: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let plan = get(consolidation_plan)?;
        put(num_fragments, plan.node(node_index)?.len() as u64)
    })
}

/// Returns the name of a fragment of a group.
///
/// # Safety
/// `uri` is null or points to a pointer. The text may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_get_fragment_uri(
    ctx: *mut tiledb_ctx_t,
    consolidation_plan: *mut tiledb_consolidation_plan_t,
    node_index: u64,
    fragment_index: u64,
    uri: *mut *const c_char,
) -> i32 {
    call(ctx, |_| {
        let plan = get(consolidation_plan)?;
        let fragment = plan.node(node_index)?.get(index(fragment_index)?);
        let name = fragment
            .ok_or_else(|| plan_error("Trying to access a fragment that doesn't exist."))?;
        put(uri, plan.lent.text(name)?)
    })
}

/// Returns a suggestion as JSON, to be freed by [`tiledb_consolidation_plan_free_json_str`].
///
/// # Safety
/// `out` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_dump_json_str(
    ctx: *mut tiledb_ctx_t,
    consolidation_plan: *const tiledb_consolidation_plan_t,
    out: *mut *mut c_char,
) -> i32 {
    call(ctx, |_| put_text(out, get(consolidation_plan)?.json()))
}

/// Frees a text of [`tiledb_consolidation_plan_dump_json_str`], and sets the program's variable to null.
///
/// # Safety
/// `out` is null or points to null or to a text of that function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_free_json_str(out: *mut *mut c_char) -> i32 {
    // SAFETY: the texts are those that `tiledb_stats_free_str` frees.
    call_silent(|| match crate::statistics::tiledb_stats_free_str(out) {
        0 => Ok(()),
        _ => Err(Error::argument("a null pointer")),
    })
}
