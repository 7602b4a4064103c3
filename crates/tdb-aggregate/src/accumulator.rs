//! The state of the aggregates of one field in one group: counts, sums, minimum and maximum.

use tdb_schema::value::holds_bytes;
use tdb_tile::{Bug, Datatype, Scalar, with_scalar};

use crate::number::{Number, Part};
use crate::{AggregateError, Outcome};

/// The state of all aggregates of one field, for one group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Accumulator {
    /// Number of cells that are not null.
    pub(crate) count: u64,
    pub(crate) nulls: u64,
    pub(crate) whole: i128,
    pub(crate) float: f64,
    pub(crate) least: Option<Extreme>,
    pub(crate) greatest: Option<Extreme>,
}

/// A minimum or maximum.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub(crate) enum Extreme {
    Number(Number),
    Bytes(Vec<u8>),
}

/// Statistics of some cells, from metadata, without reading the cells.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoredStatistics {
    /// Number of cells that are not null.
    pub(crate) count: u64,
    pub(crate) nulls: u64,
    /// The sum, if the values are integers.
    pub(crate) whole: i128,
    /// The sum, if the values are floats.
    pub(crate) float: f64,
    /// The minimum and the maximum, in stored form.
    pub(crate) extremes: Option<(Vec<u8>, Vec<u8>)>,
}

impl Accumulator {
    /// Adds what is known about some cells of a field with this datatype.
    pub(crate) fn add_known(
        &mut self,
        datatype: Datatype,
        known: &StoredStatistics,
    ) -> Result<(), Bug> {
        self.join(Part {
            count: known.count,
            nulls: known.nulls,
            whole: known.whole,
            float: known.float,
            ..Part::default()
        });
        if let Some((least, greatest)) = &known.extremes {
            self.bytes_or_number(datatype, least)?;
            self.bytes_or_number(datatype, greatest)?;
        }
        Ok(())
    }

    #[expect(
        clippy::arithmetic_side_effects,
        reason = "there are fewer than 2^64 cells, whose values have 64 bits each"
    )]
    pub(crate) fn join(&mut self, part: Part) {
        self.count += part.count;
        self.nulls += part.nulls;
        self.whole += part.whole;
        self.float += part.float;
        self.extremes(
            part.least.map(Extreme::Number),
            part.greatest.map(Extreme::Number),
        );
    }

    pub(crate) fn extremes(&mut self, least: Option<Extreme>, greatest: Option<Extreme>) {
        if let Some(least) = least
            && self.least.as_ref().is_none_or(|known| least < *known)
        {
            self.least = Some(least);
        }
        if let Some(greatest) = greatest
            && self.greatest.as_ref().is_none_or(|known| greatest > *known)
        {
            self.greatest = Some(greatest);
        }
    }

    /// Adds the state of cells that come after those added so far.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "there are fewer than 2^64 cells, whose values have 64 bits each"
    )]
    pub(crate) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.nulls += other.nulls;
        self.whole += other.whole;
        self.float += other.float;
        self.extremes(other.least, other.greatest);
    }

    /// Returns the bytes of the strings that the state keeps.
    pub(crate) fn text_bytes(&self) -> u64 {
        let texts = [&self.least, &self.greatest].into_iter().flatten();
        let bytes = texts.map(|extreme| match extreme {
            Extreme::Number(_) => 0,
            Extreme::Bytes(text) => text.len() as u64,
        });
        bytes.fold(0, u64::saturating_add)
    }

    pub(crate) fn bytes(&mut self, cell: &[u8]) {
        let is_less = |known: &Extreme| matches!(known, Extreme::Bytes(known) if cell < &known[..]);
        let is_more = |known: &Extreme| matches!(known, Extreme::Bytes(known) if cell > &known[..]);
        if self.least.as_ref().is_none_or(is_less) {
            self.least = Some(Extreme::Bytes(cell.to_vec()));
        }
        if self.greatest.as_ref().is_none_or(is_more) {
            self.greatest = Some(Extreme::Bytes(cell.to_vec()));
        }
    }

    /// Updates minimum and maximum as if a cell had this value.
    fn bytes_or_number(&mut self, datatype: Datatype, value: &[u8]) -> Result<(), Bug> {
        if holds_bytes(datatype) {
            self.bytes(value);
            return Ok(());
        }
        let cut = Bug::new("a stored value is shorter than its datatype");
        let number = with_scalar!(datatype, T => T::read(value).map(Number::from)).ok_or(cut)?;
        let extreme = || Some(Extreme::Number(number));
        self.extremes(extreme(), extreme());
        Ok(())
    }

    pub(crate) fn whole_sum(
        &self,
        datatype: Datatype,
        field: &str,
    ) -> Result<Outcome, AggregateError> {
        let sum = self.whole;
        let fits = if datatype.is_signed() {
            i64::try_from(sum).map(Outcome::Signed)
        } else {
            u64::try_from(sum).map(Outcome::Unsigned)
        };
        fits.map_err(|_| AggregateError::Overflow {
            field: field.to_owned(),
            sum,
        })
    }
}

/// True if the datatype is a date or time, whose smallest number means "not a time" (NaT).
pub(crate) fn is_time(datatype: Datatype) -> bool {
    datatype.is_datetime() || datatype.is_time()
}

/// Returns a minimum or maximum in the stored form of the field.
pub(crate) fn value(datatype: Datatype, extreme: Option<&Extreme>) -> Result<Outcome, Bug> {
    let bytes = match extreme {
        None => return Ok(Outcome::None),
        Some(Extreme::Bytes(bytes)) => bytes.clone(),
        Some(Extreme::Number(Number::Whole(value))) => {
            // The number came from a value of this datatype, so its low bytes are the value.
            value
                .to_le_bytes()
                .get(..datatype.size())
                .ok_or_else(|| Bug::new("a datatype of more than 128 bits"))?
                .to_vec()
        }
        // Both zeros are equal: return +0.0, whichever came first.
        Some(Extreme::Number(Number::Float(value))) if datatype.size() == 4 => {
            (narrow(*value) + 0.0).to_le_bytes().to_vec()
        }
        Some(Extreme::Number(Number::Float(value))) => (value + 0.0).to_le_bytes().to_vec(),
    };
    Ok(Outcome::Value(datatype, bytes))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "it came from a float of 32 bits, which this gives back"
)]
fn narrow(value: f64) -> f32 {
    value as f32
}
