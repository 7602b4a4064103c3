//! The summary of an array on one screen.

use std::io::Write;

use tdb::engine::schema::value::rfc3339;
use tdb::engine::schema::{Attribute, Dimension};
use tdb::engine::tile::Code;
use tdb::layout::Sizes;

use super::array::Facts;
use crate::cmd::schema::{domain, extent, filters_text, section, type_name};
use crate::failure::Failure;
use crate::output::Output;
use crate::paint::{Role, Table, bytes, count, or_blank, plural, visible, wrapped};
use crate::value_format;

pub(super) fn write(
    facts: &Facts<'_>,
    uri: &str,
    ticks: bool,
    out: &mut Output,
) -> Result<(), Failure> {
    let kind = if facts.schema.is_dense() {
        "Dense array"
    } else {
        "Sparse array"
    };
    let title = out.look.paint(Role::Title, &visible(uri));
    writeln!(out, "{kind} {title}")?;
    write_summary(facts, out)?;
    write_dimensions(facts, ticks, out)?;
    write_attributes(facts, out)?;
    write_other_fields(facts, out)?;
    if !facts.warnings.is_empty() {
        writeln!(out)?;
    }
    for warning in &facts.warnings {
        let label = out.look.paint(Role::Warning, "warning:");
        let warning = wrapped(&visible(warning), "warning: ", out.look);
        writeln!(out, "{label} {warning}")?;
    }
    Ok(())
}

fn write_summary(facts: &Facts<'_>, out: &mut Output) -> Result<(), Failure> {
    let schema = facts.schema;
    let mut table = Table::plain(&[]);
    let mut line = |what: &str, text: String| {
        table.painted([(Role::Dim, what.to_owned()), (Role::Plain, text)]);
    };
    line("cells", facts.cells.text());
    if let Some((from, to)) = facts.timestamps {
        line("written", span(from, to));
    }
    line("size", size(facts));
    line("format", format(facts));
    let capacity = if schema.is_dense() {
        String::new()
    } else {
        format!(", {} cells to a tile", count(schema.capacity))
    };
    let duplicates = if schema.allows_duplicates {
        ", duplicates allowed"
    } else {
        ""
    };
    let (cell_order, tile_order) = (schema.cell_order.name(), schema.tile_order.name());
    line(
        "order",
        format!("cells {cell_order}, tiles {tile_order}{capacity}{duplicates}"),
    );
    if facts.metadata_keys > 0 {
        line("metadata", plural(facts.metadata_keys as u64, "key"));
    }
    if !facts.array.deletes().is_empty() {
        line(
            "deletes",
            plural(facts.array.deletes().len() as u64, "condition"),
        );
    }
    if !schema.labels.is_empty() {
        let labels: Vec<&str> = schema
            .labels
            .iter()
            .map(|label| label.name.as_str())
            .collect();
        line("labels", labels.join(", "));
    }
    if facts.array.key().is_some() {
        line("encrypted", "yes".to_owned());
    }
    let look = out.look;
    Ok(table.write(out, look)?)
}

fn span(from: u64, to: u64) -> String {
    if from == to {
        rfc3339(from)
    } else {
        format!("{} .. {}", rfc3339(from), rfc3339(to))
    }
}

fn size(facts: &Facts<'_>) -> String {
    let stored = bytes(facts.total.stored);
    match (facts.total.unfiltered, facts.total.ratio()) {
        (Some(unfiltered), Some(ratio)) => {
            format!(
                "{stored}, {} without filters: ratio {ratio:.1}",
                bytes(unfiltered)
            )
        }
        _ => stored,
    }
}

fn format(facts: &Facts<'_>) -> String {
    let schema = format!("{} (schema)", facts.schema.version);
    match facts.versions {
        Some((oldest, newest)) if oldest != newest => {
            format!("{schema}, {oldest} to {newest} (fragments)")
        }
        Some((version, _)) => format!("{schema}, {version} (fragments)"),
        None => schema,
    }
}

fn write_dimensions(facts: &Facts<'_>, ticks: bool, out: &mut Output) -> Result<(), Failure> {
    let current = facts.schema.current_domain.as_ref();
    let mut titles = vec!["dimension", "type", "domain"];
    titles.extend(current.map(|_| "current domain"));
    titles.extend(["non-empty domain", ">tile", ">size", ">ratio", "filters"]);
    let mut table = Table::new(&titles);
    for (index, dimension) in facts.schema.dimensions.iter().enumerate() {
        table.painted(dimension_row(facts, index, dimension, ticks));
    }
    section(table, out)
}

fn dimension_row(
    facts: &Facts<'_>,
    index: usize,
    dimension: &Dimension,
    ticks: bool,
) -> Vec<(Role, String)> {
    let written = facts
        .non_empty_domain
        .as_ref()
        .and_then(|ranges| ranges.get(index));
    // Dense arrays store no coordinates to which filters could apply.
    let filters = facts
        .schema
        .dimension_filters(index)
        .filter(|_| !facts.schema.is_dense());
    let mut row = vec![
        (Role::Title, dimension.name.clone()),
        (
            Role::Type,
            type_name(dimension.datatype, dimension.cell_val_num),
        ),
        (Role::Plain, domain(dimension, ticks)),
    ];
    if let Some(current) = &facts.schema.current_domain {
        let current = current
            .get(index)
            .map(|range| value_format::range(dimension, range, ticks));
        row.push((Role::Plain, or_blank(current)));
    }
    let written = written.map(|range| value_format::range(dimension, range, ticks));
    let filters = filters.map(|list| filters_text(list, facts.schema.version));
    row.push((Role::Plain, written.unwrap_or_else(|| "-".to_owned())));
    row.push((Role::Plain, extent(dimension)));
    row.extend(sizes(facts.sizes.get(&dimension.name)));
    row.push((Role::Dim, or_blank(filters)));
    row
}

fn write_attributes(facts: &Facts<'_>, out: &mut Output) -> Result<(), Failure> {
    let enumerated = facts
        .schema
        .attributes
        .iter()
        .any(|a| a.enumeration.is_some());
    let mut titles = vec!["attribute", "type", "nullable"];
    titles.extend(enumerated.then_some("enumeration"));
    titles.extend([">size", ">ratio", "filters"]);
    let mut table = Table::new(&titles);
    for attribute in &facts.schema.attributes {
        table.painted(attribute_row(facts, attribute, enumerated));
    }
    section(table, out)
}

fn attribute_row(
    facts: &Facts<'_>,
    attribute: &Attribute,
    enumerated: bool,
) -> Vec<(Role, String)> {
    let null = if attribute.nullable { "yes" } else { "" };
    let mut row = vec![
        (Role::Title, attribute.name.clone()),
        (
            Role::Type,
            type_name(attribute.datatype, attribute.cell_val_num),
        ),
        (Role::Plain, null.to_owned()),
    ];
    if enumerated {
        row.push((Role::Plain, or_blank(attribute.enumeration.clone())));
    }
    row.extend(sizes(facts.sizes.get(&attribute.name)));
    row.push((
        Role::Dim,
        filters_text(&attribute.filters, facts.schema.version),
    ));
    row
}

fn write_other_fields(facts: &Facts<'_>, out: &mut Output) -> Result<(), Failure> {
    let mut table = Table::new(&["also stored", ">size", ">ratio"]);
    for (name, size) in facts.other_fields() {
        let mut row = vec![(Role::Title, name.to_owned())];
        row.extend(sizes(Some(&size)));
        table.painted(row);
    }
    section(table, out)
}

/// Stored bytes, and the ratio of unfiltered to stored bytes.
fn sizes(size: Option<&Sizes>) -> [(Role, String); 2] {
    let ratio = size
        .and_then(|size| size.ratio())
        .map(|ratio| format!("{ratio:.1}"));
    [
        (Role::Plain, or_blank(size.map(|size| bytes(size.stored)))),
        (Role::Plain, or_blank(ratio)),
    ]
}
