//! Conditions of queries.
//!
//! A program makes a condition before it says which array it is for, from bytes whose datatype is that of the field. So
//! a handle keeps the bytes, and the engine's condition is made when a query gets it.

use std::ffi::{c_char, c_int, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tdb::engine::array::ChangeOptions;
use tdb::engine::change::delete_cells;
use tdb::engine::condition::{CompareOp, ConditionRules, Literal};
use tdb::engine::schema::value::holds_bytes;
use tdb::engine::schema::{ArraySchema, CellValNum, Enumeration};
use tdb::{Condition, Datatype, DeleteOptions, Scalar as _};

use crate::array::OpenedArray;
use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::{bytes, check_place, put, text};
use crate::border::{Error, Result, call, free, get, give, handle};
use crate::constants::*;
use crate::datatypes::integer;

/// A condition as the program gave it; without a tree until it was initialised.
#[derive(Debug, Default)]
pub(crate) struct QueryCondition {
    tree: Mutex<Option<Tree>>,
}

#[derive(Clone, Debug)]
enum Tree {
    And(Box<Tree>, Box<Tree>),
    Or(Box<Tree>, Box<Tree>),
    Compare(Comparison),
    Member(Membership),
}

/// A comparison of a field with a value; `None` stands for null.
#[derive(Clone, Debug)]
struct Comparison {
    field: String,
    op: CompareOp,
    value: Option<Vec<u8>>,
    compares_labels: bool,
}

/// A search for a field's value among others.
#[derive(Clone, Debug)]
struct Membership {
    field: String,
    values: Vec<u8>,
    /// Where values begin, if their sizes vary.
    offsets: Vec<u8>,
    is_in: bool,
    compares_labels: bool,
}

impl QueryCondition {
    fn of(tree: Tree) -> Self {
        Self {
            tree: Mutex::new(Some(tree)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Tree>> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tree(&self) -> Result<Tree> {
        self.lock()
            .clone()
            .ok_or_else(|| failed("the condition was not initialized"))
    }

    /// Returns the engine's condition for an array.
    ///
    /// # Errors
    /// Fails if a field does not exist, or a value does not have the size of the field's.
    pub(crate) fn resolved(&self, schema: &ArraySchema, opened: &OpenedArray) -> Result<Condition> {
        self.tree()?.resolved(schema, opened)
    }
}

fn failed(why: impl std::fmt::Display) -> Error {
    Error::new("QueryCondition", why.to_string())
}

impl Tree {
    fn resolved(&self, schema: &ArraySchema, opened: &OpenedArray) -> Result<Condition> {
        Ok(match self {
            Self::And(left, right) => left
                .resolved(schema, opened)?
                .and(right.resolved(schema, opened)?),
            Self::Or(left, right) => left
                .resolved(schema, opened)?
                .or(right.resolved(schema, opened)?),
            Self::Compare(comparison) => comparison.resolved(schema, opened)?,
            Self::Member(membership) => membership.resolved(schema, opened)?,
        })
    }

    /// Returns the opposite: every test is turned round, so that null cells match neither.
    fn negated(self) -> Self {
        match self {
            Self::And(left, right) => Self::Or(Box::new(left.negated()), Box::new(right.negated())),
            Self::Or(left, right) => Self::And(Box::new(left.negated()), Box::new(right.negated())),
            Self::Compare(comparison) => Self::Compare(Comparison {
                op: opposite(comparison.op),
                ..comparison
            }),
            Self::Member(membership) => Self::Member(Membership {
                is_in: !membership.is_in,
                ..membership
            }),
        }
    }

    fn set_compares_labels(&mut self, compares: bool) {
        match self {
            Self::And(left, right) | Self::Or(left, right) => {
                left.set_compares_labels(compares);
                right.set_compares_labels(compares);
            }
            Self::Compare(comparison) => comparison.compares_labels = compares,
            Self::Member(membership) => membership.compares_labels = compares,
        }
    }
}

fn opposite(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Lt => CompareOp::Ge,
        CompareOp::Le => CompareOp::Gt,
        CompareOp::Gt => CompareOp::Le,
        CompareOp::Ge => CompareOp::Lt,
        CompareOp::Eq => CompareOp::Ne,
        CompareOp::Ne => CompareOp::Eq,
    }
}

/// The form of the values that a field is compared with: its own, or that of its labels.
struct Form {
    datatype: Datatype,
    values: CellValNum,
    /// False for labels without an order.
    is_ordered: bool,
}

impl Form {
    /// Returns the form for a field.
    fn of(
        field: &str,
        compares_labels: bool,
        schema: &ArraySchema,
        opened: &OpenedArray,
    ) -> Result<Self> {
        let Some(known) = schema.field(field) else {
            return Err(failed(format_args!(
                "Field name '{field}' doesn't exist in the array"
            )));
        };
        let attribute = schema
            .attributes
            .iter()
            .find(|attribute| attribute.name == field);
        let enumeration = attribute.and_then(|attribute| attribute.enumeration.as_ref());
        let Some(name) = enumeration else {
            return Ok(Self {
                datatype: known.datatype,
                values: known.cell_val_num,
                is_ordered: true,
            });
        };
        if !compares_labels {
            return Err(failed(format_args!(
                "'{field}' has labels, and tdb compares the labels, not their indexes"
            )));
        }
        let found = opened.array.engine().enumeration(name);
        let labels = found.map_err(|error| Error::from(opened.array.failed(error)))?;
        let labels: &Enumeration = &labels;
        Ok(Self {
            datatype: labels.datatype(),
            values: labels.cell_val_num(),
            is_ordered: labels.is_ordered(),
        })
    }

    /// Returns a value of the program as the engine takes it.
    fn literal(&self, field: &str, value: &[u8]) -> Result<Literal> {
        if holds_bytes(self.datatype) || self.values != CellValNum::Fixed(1) {
            return Ok(match std::str::from_utf8(value) {
                Ok(text) => Literal::Text(text.to_owned()),
                Err(_) => Literal::Bytes(value.to_vec()),
            });
        }
        if value.len() != self.datatype.size() {
            return Err(failed(format_args!(
                "Value node condition value size mismatch for '{field}': {} bytes, not {}",
                value.len(),
                self.datatype.size()
            )));
        }
        if self.datatype == Datatype::Bool {
            return Ok(Literal::Bool(value.first().is_some_and(|byte| *byte != 0)));
        }
        number(self.datatype, value)
            .ok_or_else(|| failed(format_args!("'{field}' cannot be compared")))
    }
}

/// Returns a number as the engine takes it; dates and times are ticks of their unit.
fn number(datatype: Datatype, value: &[u8]) -> Option<Literal> {
    if !datatype.is_real() {
        return integer(datatype, value).map(Literal::Integer);
    }
    let wide = f64::read(value);
    let narrow = || f32::read(value).map(f64::from);
    let is_wide = datatype.size() == f64::SIZE;
    if is_wide { wide } else { narrow() }.map(Literal::Float)
}

impl Comparison {
    fn resolved(&self, schema: &ArraySchema, opened: &OpenedArray) -> Result<Condition> {
        let field = Condition::field(self.field.clone());
        let Some(value) = &self.value else {
            return match self.op {
                CompareOp::Eq => Ok(field.is_null()),
                CompareOp::Ne => Ok(field.is_not_null()),
                _ => Err(failed("Null can only be used with equality operators.")),
            };
        };
        let form = Form::of(&self.field, self.compares_labels, schema, opened)?;
        let is_equality = matches!(self.op, CompareOp::Eq | CompareOp::Ne);
        if !form.is_ordered && !is_equality {
            let text = "Cannot apply an inequality operator against an unordered Enumeration";
            return Err(failed(text));
        }
        Ok(field.compare(self.op, form.literal(&self.field, value)?))
    }
}

impl Membership {
    fn resolved(&self, schema: &ArraySchema, opened: &OpenedArray) -> Result<Condition> {
        let form = Form::of(&self.field, self.compares_labels, schema, opened)?;
        let mut starts = self
            .offsets
            .as_chunks::<8>()
            .0
            .iter()
            .map(|offset| u64::from_le_bytes(*offset));
        let mut members = Vec::new();
        if form.values.is_var() || !self.offsets.is_empty() {
            let mut start = starts.next();
            while let Some(first) = start {
                start = starts.next();
                let end = start.unwrap_or(self.values.len() as u64);
                let part = usize::try_from(first).ok().zip(usize::try_from(end).ok());
                let found = part.and_then(|(first, end)| self.values.get(first..end));
                let value = found.ok_or_else(|| failed("offsets beyond the values"))?;
                members.push(form.literal(&self.field, value)?);
            }
        } else {
            for value in self.values.chunks(form.datatype.size().max(1)) {
                members.push(form.literal(&self.field, value)?);
            }
        }
        let field = Condition::field(self.field.clone());
        Ok(if self.is_in {
            field.is_in(members)
        } else {
            field.not_in(members)
        })
    }
}

/// Deletes the cells that match a condition.
///
/// # Errors
/// Those of the engine.
pub(crate) fn delete(opened: &OpenedArray, condition: &Condition) -> Result<()> {
    let rules = ConditionRules::stored_bytes();
    let options = DeleteOptions::default()
        .change(ChangeOptions::default().timestamp(opened.change_time()))
        .with_nulls(true)
        .rules(rules);
    let session = opened.array.context().shared_session();
    delete_cells(session, opened.array.engine(), condition, &options)
        .map_err(|error| opened.array.failed(error))?;
    Ok(())
}

handle!(
    /// A condition of a query.
    tiledb_query_condition_t => QueryCondition, "query condition"
);

/// Creates a condition that has to be initialised.
///
/// # Safety
/// `cond` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_alloc(
    ctx: *mut tiledb_ctx_t,
    cond: *mut *mut tiledb_query_condition_t,
) -> i32 {
    call(ctx, |_| {
        check_place(cond)?;
        put(cond, give(QueryCondition::default()))
    })
}

/// Frees a condition.
///
/// # Safety
/// `cond` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_free(cond: *mut *mut tiledb_query_condition_t) {
    free(cond);
}

/// Initialises a condition as a comparison of a field with a value; null stands for null.
///
/// # Safety
/// `attribute_name` is null or a text; `condition_value` is null or points to as many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_init(
    ctx: *mut tiledb_ctx_t,
    cond: *mut tiledb_query_condition_t,
    attribute_name: *const c_char,
    condition_value: *const c_void,
    condition_value_size: u64,
    op: tiledb_query_condition_op_t,
) -> i32 {
    call(ctx, |_| {
        let condition = get(cond)?;
        let op = match op {
            TILEDB_LT => CompareOp::Lt,
            TILEDB_LE => CompareOp::Le,
            TILEDB_GT => CompareOp::Gt,
            TILEDB_GE => CompareOp::Ge,
            TILEDB_EQ => CompareOp::Eq,
            TILEDB_NE => CompareOp::Ne,
            _ => return Err(failed("Cannot perform set membership on a single value")),
        };
        let value = if condition_value.is_null() {
            None
        } else {
            Some(bytes(condition_value, condition_value_size)?.to_vec())
        };
        let mut tree = condition.lock();
        if tree.is_some() {
            return Err(failed("Cannot reinitialize query condition"));
        }
        *tree = Some(Tree::Compare(Comparison {
            field: text(attribute_name)?.to_owned(),
            op,
            value,
            compares_labels: true,
        }));
        Ok(())
    })
}

/// Creates a condition that a field's value is among values, or is not.
///
/// # Safety
/// `field_name` is null or a text; `data` and `offsets` are null or point to as many bytes; `cond` is null or points to
/// a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_alloc_set_membership(
    ctx: *mut tiledb_ctx_t,
    field_name: *const c_char,
    data: *const c_void,
    data_size: u64,
    offsets: *const c_void,
    offsets_size: u64,
    op: tiledb_query_condition_op_t,
    cond: *mut *mut tiledb_query_condition_t,
) -> i32 {
    call(ctx, |_| {
        check_place(cond)?;
        let is_in = match op {
            TILEDB_IN => true,
            TILEDB_NOT_IN => false,
            _ => return Err(failed("a set takes IN or NOT_IN")),
        };
        let membership = Membership {
            field: text(field_name)?.to_owned(),
            values: bytes(data, data_size)?.to_vec(),
            offsets: bytes(offsets, offsets_size)?.to_vec(),
            is_in,
            compares_labels: true,
        };
        put(cond, give(QueryCondition::of(Tree::Member(membership))))
    })
}

/// Combines two conditions into a new one.
///
/// # Safety
/// `combined_cond` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_combine(
    ctx: *mut tiledb_ctx_t,
    left_cond: *const tiledb_query_condition_t,
    right_cond: *const tiledb_query_condition_t,
    combination_op: tiledb_query_condition_combination_op_t,
    combined_cond: *mut *mut tiledb_query_condition_t,
) -> i32 {
    call(ctx, |_| {
        check_place(combined_cond)?;
        let left = get(left_cond)?.tree()?;
        let tree = match combination_op {
            TILEDB_NOT => left.negated(),
            TILEDB_AND => Tree::And(Box::new(left), Box::new(get(right_cond)?.tree()?)),
            TILEDB_OR => Tree::Or(Box::new(left), Box::new(get(right_cond)?.tree()?)),
            _ => return Err(failed("Cannot combine query conditions; invalid operator")),
        };
        put(combined_cond, give(QueryCondition::of(tree)))
    })
}

/// Creates the opposite of a condition.
///
/// # Safety
/// `negated_cond` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_negate(
    ctx: *mut tiledb_ctx_t,
    cond: *const tiledb_query_condition_t,
    negated_cond: *mut *mut tiledb_query_condition_t,
) -> i32 {
    call(ctx, |_| {
        check_place(negated_cond)?;
        let tree = get(cond)?.tree()?.negated();
        put(negated_cond, give(QueryCondition::of(tree)))
    })
}

/// Sets whether values compared with an enumerated attribute are labels, or indexes.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_set_use_enumeration(
    ctx: *mut tiledb_ctx_t,
    cond: *const tiledb_query_condition_t,
    use_enumeration: c_int,
) -> i32 {
    call(ctx, |_| {
        let condition = get(cond)?;
        if let Some(tree) = &mut *condition.lock() {
            tree.set_compares_labels(use_enumeration != 0);
        }
        Ok(())
    })
}
