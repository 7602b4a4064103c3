use bytes::Bytes;
use tdb_tile::{Record, U64Column, Walk, WireError, WireErrorKind};

use super::ConditionOp;

/// A comparison of one field with one value, or with several.
///
/// [`ConditionValue::new`] and [`ConditionValue::of_members`] create it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConditionValue {
    op: ConditionOp,
    field: String,
    value: Bytes,
    /// The start of each member in `value`; `None` for operators that take one value.
    starts: Option<U64Column>,
}

impl ConditionValue {
    /// Creates `field op value`, with the value in stored form; an empty value means null.
    ///
    /// `None` for operators that take members.
    #[must_use]
    pub fn new(field: impl Into<String>, op: ConditionOp, value: impl Into<Bytes>) -> Option<Self> {
        (!op.takes_members()).then(|| Self {
            op,
            field: field.into(),
            value: value.into(),
            starts: None,
        })
    }

    /// Creates `field in members` or `field not in members`; `None` for other operators.
    #[must_use]
    pub fn of_members<M: AsRef<[u8]>>(
        field: impl Into<String>,
        op: ConditionOp,
        members: impl IntoIterator<Item = M>,
    ) -> Option<Self> {
        if !op.takes_members() {
            return None;
        }
        let mut value = Vec::new();
        let mut starts = Vec::new();
        for member in members {
            starts.push(value.len() as u64);
            value.extend_from_slice(member.as_ref());
        }
        Some(Self {
            op,
            field: field.into(),
            value: value.into(),
            starts: Some(U64Column::from_values(starts)),
        })
    }

    /// The compared field.
    #[must_use]
    pub fn field(&self) -> &str {
        &self.field
    }

    /// The operator of the comparison.
    #[must_use]
    pub fn op(&self) -> ConditionOp {
        self.op
    }

    /// The bytes to compare with: one value, or all members back to back.
    #[must_use]
    pub fn value(&self) -> &Bytes {
        &self.value
    }

    /// True if this tests whether a cell of a nullable field is null.
    ///
    /// For a string field that is not nullable, the same comparison is with the empty string.
    #[must_use]
    pub fn is_null_test(&self) -> bool {
        self.value.is_empty() && matches!(self.op, ConditionOp::Equal | ConditionOp::NotEqual)
    }

    /// Iterates over the members of `in` or `not in`; over the only value of other operators.
    pub fn members(&self) -> impl Iterator<Item = &[u8]> {
        let starts = self.starts.as_ref();
        let size = self.value.len() as u64;
        let one = starts.is_none().then_some((0, size));
        let members = starts.into_iter().flat_map(move |starts| {
            let ends = starts.iter().skip(1).chain([size]);
            starts.iter().zip(ends)
        });
        one.into_iter().chain(members).map(|(start, end)| {
            // Cannot panic: the starts were checked when they were decoded or created.
            let (before_end, _) = self.value.split_at(place(end));
            before_end.split_at(place(start)).1
        })
    }

    pub(super) fn negated(&self) -> Self {
        Self {
            op: self.op.negated(),
            ..self.clone()
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "no more than the bytes of a value, which are in memory"
)]
const fn place(start: u64) -> usize {
    start as usize
}

impl Record for ConditionValue {
    const NAME: &'static str = "ConditionValue";
    const MIN_SIZE: usize = 13;
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        let Self {
            op,
            field,
            value,
            starts,
        } = self;
        w.code("op", op)?;
        w.text32("field", field)?;
        w.bytes64("value", value)?;
        if !op.takes_members() {
            *starts = None;
            return Ok(());
        }
        // Empty when decoding; the walker fills it.
        let mut bytes = starts
            .take()
            .map_or(Bytes::new(), |starts| starts.as_bytes().clone());
        w.bytes64("member starts", &mut bytes)?;
        let column = U64Column::new(bytes)
            .ok_or_else(|| w.fail("member starts", WireErrorKind::Invalid("cut short")))?;
        if !column.iter().is_sorted() || column.iter().last() > Some(value.len() as u64) {
            let kind = WireErrorKind::Invalid("not increasing, or beyond the value");
            return Err(w.fail("member starts", kind));
        }
        *starts = Some(column);
        Ok(())
    }
}
