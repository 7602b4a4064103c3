//! Writes and consolidation, each time in a new copy of the original array.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

use bytes::Bytes;
use serde_json::{Value, json};
use tdb_cells::{Batch, Column, Session};
use tdb_consolidate::{MergeOptions, plan_merge};
use tdb_schema::{ArraySchema, Field};
use tdb_write::{WriteOptions, WriteOrder, Writer};

use crate::meter::{memory_at, timed};
use crate::outcome::Result;
use crate::place::{open, session};
use crate::workload::Workload;

pub(crate) fn run(workload: &Workload, threads: NonZeroUsize) -> Result<Value> {
    let session = session(threads);
    let cells = workload
        .cells
        .as_deref()
        .map(|file| batch(open(&workload.template, None)?.schema(), file))
        .transpose()?;
    let before = memory_at("VmRSS:")?;
    let target = &workload.target;
    let anew = || {
        if target.exists() {
            fs::remove_dir_all(target)?;
        }
        copy_folder(&workload.template, target)
    };
    let once = || {
        match &cells {
            Some(cells) => write(&session, target, cells, &workload.order)?,
            None => consolidate(&session, target)?,
        }
        Ok((1, ()))
    };
    anew()?;
    once()?;
    let mut said = timed(workload, before, anew, once)?
        .as_object()
        .cloned()
        .ok_or("no object")?;
    said.insert("sums".into(), json!({}));
    Ok(said.into())
}

fn write(session: &Session, target: &Path, cells: &Batch, order: &str) -> Result<()> {
    let options = WriteOptions::default().order(Some(match order {
        "row" => WriteOrder::RowMajor,
        "global" => WriteOrder::Global,
        "any" => WriteOrder::Unordered,
        other => return Err(format!("no order `{other}`").into()),
    }));
    let mut writer = Writer::open(session, &open(target, None)?, &options)?;
    writer.push(cells)?;
    writer.finish()?;
    Ok(())
}

fn consolidate(session: &Session, target: &Path) -> Result<()> {
    let array = open(target, None)?;
    let options = MergeOptions::default();
    let merged = plan_merge(&array, &options)?.merge(session, &array, &options)?;
    if merged.fragments.len() != 1 {
        let notes = merged.notes.join("; ");
        return Err(format!("{} fragments: {notes}", merged.fragments.len()).into());
    }
    Ok(())
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Reads the cells of all fields from files of raw values.
fn batch(schema: &ArraySchema, folder: &Path) -> Result<Batch> {
    let mut batch = Batch {
        rows: 0,
        columns: Vec::new(),
    };
    for field in schema.fields() {
        if folder.join(field.name).exists() {
            let column = column(&field, folder)?;
            batch.rows = match (&column.offsets, column.cell_size()) {
                (Some(offsets), _) => (offsets.len() / 8).saturating_sub(1),
                (None, size) => column.values.len() / size.unwrap_or(1).max(1),
            };
            batch.columns.push(column);
        }
    }
    Ok(batch)
}

fn column(field: &Field<'_>, folder: &Path) -> Result<Column> {
    let read = |ending: &str| fs::read(folder.join(format!("{}{ending}", field.name)));
    let bits = |cells: &[u8]| {
        let cells = cells.iter().enumerate();
        cells.fold(0_u8, |byte, (bit, valid)| byte | (*valid << bit))
    };
    let validity = if field.nullable {
        Some(read(".validity")?.chunks(8).map(bits).collect())
    } else {
        None
    };
    Ok(Column {
        name: field.name.to_owned(),
        datatype: field.datatype,
        cell_val_num: field.cell_val_num,
        nullable: field.nullable,
        values: read("")?.into(),
        offsets: if field.is_var() {
            Some(Bytes::from(read(".offsets")?))
        } else {
            None
        },
        validity,
        enumeration: None,
    })
}
