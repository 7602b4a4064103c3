//! The keys by which cells are grouped: fields, or parts of their dates.

use std::borrow::Cow;

use tdb_cells::files::has_value;
use tdb_cells::{Column, FieldInfo};
use tdb_query::Reader;
use tdb_schema::value::{Calendar, DatePart};
use tdb_schema::{ArraySchema, CellValNum};
use tdb_tile::{Bug, Datatype, Scalar};

use crate::AggregateError;
use crate::read_field::read_field;
use crate::same_value::SameValue;

/// A field to group by, or a part of its dates: `station`, `year(day)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grouping<'a> {
    /// The field to read.
    pub(crate) field: &'a str,
    text: &'a str,
    part: Option<DatePart>,
}

/// Computes the keys of cells.
#[derive(Debug)]
pub(crate) struct Keys {
    field: String,
    part: Option<(DatePart, Calendar)>,
    same: SameValue,
    /// The field as it appears in the result.
    pub(crate) info: FieldInfo,
}

impl<'a> Grouping<'a> {
    /// Parses a grouping. A field with exactly this name takes precedence over a part of a date.
    pub(crate) fn parse(text: &'a str, schema: &ArraySchema) -> Self {
        let part = text.split_once('(').and_then(|(part, field)| {
            let field = field.strip_suffix(')')?.trim();
            Some((DatePart::from_name(part.trim())?, unquoted(field)))
        });
        match part.filter(|_| schema.field(text).is_none()) {
            Some((part, field)) => Self {
                field,
                text,
                part: Some(part),
            },
            None => Self {
                field: text,
                text,
                part: None,
            },
        }
    }

    /// Returns the computation of keys for the columns of a reader.
    pub(crate) fn keys(&self, reader: &Reader) -> Result<Keys, AggregateError> {
        let mut info = read_field(reader, self.field)?;
        let field = info.name.clone();
        let same = SameValue::new(&info);
        let Some(part) = self.part else {
            return Ok(Keys {
                field,
                part: None,
                same,
                info,
            });
        };
        let is_one = info.cell_val_num == CellValNum::Fixed(1) && info.enumeration.is_none();
        let calendar = Calendar::new(info.datatype).filter(|_| is_one);
        let unfit = || AggregateError::Unfit {
            function: part.name(),
            field: field.clone(),
            datatype: info.datatype,
            is_list: info.cell_val_num != CellValNum::Fixed(1),
        };
        let calendar = calendar.ok_or_else(unfit)?;
        self.text.clone_into(&mut info.name);
        info.datatype = Datatype::Int64;
        info.nullable = true;
        Ok(Keys {
            field,
            part: Some((part, calendar)),
            same,
            info,
        })
    }
}

impl Keys {
    /// Returns the name of the column from which the keys are computed.
    pub(crate) fn column(&self) -> &str {
        &self.field
    }

    /// Returns the key of a cell; equal values have the same key. `None` if the cell is null, an index without a
    /// label, or not a time.
    pub(crate) fn of<'c>(
        &mut self,
        column: &'c Column,
        row: usize,
    ) -> Result<Option<Cow<'c, [u8]>>, AggregateError> {
        if !has_value(column, row) {
            return Ok(None);
        }
        let lacking = || Bug::new("a column has fewer cells than its batch");
        let cell = column.cell(row).ok_or_else(lacking)?;
        let Some((part, calendar)) = &mut self.part else {
            return Ok(Some(self.same.of(cell)));
        };
        let ticks = i64::read(cell).ok_or_else(lacking)?;
        let Some(date) = calendar.date(ticks) else {
            return Ok(None);
        };
        let value = date.part(*part);
        let number = i64::try_from(value).map_err(|_| AggregateError::Year {
            field: self.field.clone(),
            year: value,
        })?;
        Ok(Some(Cow::Owned(number.to_le_bytes().to_vec())))
    }
}

/// Returns the name of a field without the pair of quotes around it, if there is one.
pub(crate) fn unquoted(field: &str) -> &str {
    let name = field
        .strip_prefix('"')
        .and_then(|name| name.strip_suffix('"'));
    name.unwrap_or(field)
}
