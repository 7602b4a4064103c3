//! Functions between the labels of an enumeration and their codes, the indexes among its labels.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{AnyDictionaryArray, Array, ArrayRef, Int64Array, make_array, new_null_array};
use arrow_schema::{DataType, FieldRef};
use datafusion::arrow::compute::{cast, take};
use datafusion::common::{HashMap, Result, exec_datafusion_err, internal_datafusion_err};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

/// Labels of an enumeration, all different, as the values of a dictionary column.
#[derive(Clone, Debug)]
pub(crate) struct Labels {
    /// Column of these labels.
    field: FieldRef,
    values: ArrayRef,
    codes: Arc<HashMap<String, i64>>,
}

impl Labels {
    /// Returns the labels of a column; `None` if these are not all different texts.
    pub(crate) fn new(field: &FieldRef, values: &ArrayRef) -> Option<Self> {
        let texts = values.as_string_opt::<i64>()?;
        let codes: HashMap<String, i64> = (texts.iter().zip(0..))
            .filter_map(|(label, code)| Some((label?.to_owned(), code)))
            .collect();
        (codes.len() == texts.len()).then(|| Self {
            field: Arc::clone(field),
            values: Arc::clone(values),
            codes: Arc::new(codes),
        })
    }

    /// Returns the codes of texts; null for those that are no labels.
    fn codes_of(&self, texts: &ArrayRef) -> Result<ArrayRef> {
        let code = |text: Option<&str>| self.codes.get(text?).copied();
        let codes: Int64Array = match texts.data_type() {
            DataType::Utf8 => texts.as_string::<i32>().iter().map(code).collect(),
            DataType::LargeUtf8 => texts.as_string::<i64>().iter().map(code).collect(),
            DataType::Utf8View => texts.as_string_view().iter().map(code).collect(),
            other => return Err(internal_datafusion_err!("labels of {other}")),
        };
        Ok(cast(&codes, self.key_type()?)?)
    }

    fn key_type(&self) -> Result<&DataType> {
        match self.field.data_type() {
            DataType::Dictionary(keys, _) => Ok(keys),
            other => Err(internal_datafusion_err!("labels of {other}")),
        }
    }
}

impl PartialEq for Labels {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.values, &other.values) && self.field == other.field
    }
}

impl Eq for Labels {}

impl Hash for Labels {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.field.name().hash(state);
        self.values.len().hash(state);
    }
}

/// Function that returns the codes of labels.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct CodeOfLabel {
    labels: Labels,
    signature: Signature,
}

/// Function that returns the codes of texts; null for texts that are no labels.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct CodeOfText {
    labels: Labels,
    signature: Signature,
}

/// Function that returns the labels of codes.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct LabelOfCode {
    labels: Labels,
    signature: Signature,
}

impl CodeOfLabel {
    pub(crate) fn new(labels: Labels) -> Self {
        Self {
            labels,
            signature: Signature::any(1, Volatility::Immutable),
        }
    }
}

impl CodeOfText {
    pub(crate) fn new(labels: Labels) -> Self {
        Self {
            labels,
            signature: Signature::any(1, Volatility::Immutable),
        }
    }
}

impl LabelOfCode {
    pub(crate) fn new(labels: Labels) -> Self {
        Self {
            labels,
            signature: Signature::any(1, Volatility::Immutable),
        }
    }
}

impl ScalarUDFImpl for CodeOfLabel {
    fn name(&self) -> &'static str {
        "code_of_label"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        self.labels.key_type().cloned()
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let column = only(&args)?;
        let dictionary = column
            .as_any_dictionary_opt()
            .ok_or_else(|| internal_datafusion_err!("codes of {}", column.data_type()))?;
        let codes = if is_same(dictionary.values(), &self.labels.values) {
            make_array(dictionary.keys().to_data())
        } else {
            codes_of_others(dictionary, &self.labels)?
        };
        Ok(ColumnarValue::Array(codes))
    }
}

impl ScalarUDFImpl for CodeOfText {
    fn name(&self) -> &'static str {
        "code_of_text"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        self.labels.key_type().cloned()
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let column = only(&args)?;
        let codes = match column.as_any_dictionary_opt() {
            Some(dictionary) => {
                let codes = self.labels.codes_of(dictionary.values())?;
                take(&codes, dictionary.keys(), None)?
            }
            None => self.labels.codes_of(&column)?,
        };
        Ok(ColumnarValue::Array(codes))
    }
}

impl ScalarUDFImpl for LabelOfCode {
    fn name(&self) -> &'static str {
        "label_of_code"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.labels.field.data_type().clone())
    }

    fn return_field_from_args(&self, _: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        Ok(Arc::clone(&self.labels.field))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let codes = only(&args)?.to_data().into_builder();
        // Codes beyond the labels are an error of `build`.
        let labels = codes
            .data_type(self.labels.field.data_type().clone())
            .add_child_data(self.labels.values.to_data())
            .build()?;
        Ok(ColumnarValue::Array(make_array(labels)))
    }
}

fn only(args: &ScalarFunctionArgs) -> Result<ArrayRef> {
    let missing = || internal_datafusion_err!("a function without a column");
    let column = args.args.first().ok_or_else(missing)?;
    column.to_array(args.number_rows)
}

fn is_same(a: &ArrayRef, b: &ArrayRef) -> bool {
    Arc::ptr_eq(a, b) || a.to_data().ptr_eq(&b.to_data()) || a == b
}

/// Returns the codes of a column whose dictionary has the labels in another order: DataFusion made it of several.
fn codes_of_others(column: &dyn AnyDictionaryArray, labels: &Labels) -> Result<ArrayRef> {
    if column.values().is_empty() {
        // All rows are null, as those are that an outer join adds.
        return Ok(new_null_array(labels.key_type()?, column.len()));
    }
    let other_type = || internal_datafusion_err!("labels of another type");
    let others = column.values().as_string_opt::<i64>();
    let codes: Vec<Option<i64>> = (others.ok_or_else(other_type)?.iter())
        .map(|label| label.and_then(|label| labels.codes.get(label).copied()))
        .collect();
    let nulls = column.logical_nulls();
    let code_of_row = |(row, key): (usize, usize)| {
        if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return Ok(None);
        }
        let code = codes.get(key).copied().flatten();
        let unknown = || exec_datafusion_err!("a label that its enumeration does not have");
        code.map(Some).ok_or_else(unknown)
    };
    let keys = column.normalized_keys().into_iter().enumerate();
    let rows = keys
        .map(code_of_row)
        .collect::<Result<Vec<Option<i64>>>>()?;
    Ok(cast(&Int64Array::from(rows), labels.key_type()?)?)
}

#[cfg(test)]
mod tests {
    use arrow_array::LargeStringArray;
    use arrow_schema::Field;

    use super::*;

    #[test]
    fn rows_that_an_outer_join_adds_have_no_codes() {
        let labels: ArrayRef = Arc::new(LargeStringArray::from(vec!["a", "b"]));
        let label_type = DataType::Dictionary(DataType::Int8.into(), DataType::LargeUtf8.into());
        let field = Arc::new(Field::new("e", label_type.clone(), true));
        let labels = Labels::new(&field, &labels).unwrap();
        let added = new_null_array(&label_type, 3);
        let codes = codes_of_others(added.as_any_dictionary(), &labels).unwrap();
        assert_eq!(
            (codes.null_count(), codes.data_type()),
            (3, &DataType::Int8)
        );
        let texts: ArrayRef = Arc::new(LargeStringArray::from(vec![Some("b"), Some("c"), None]));
        let codes = labels.codes_of(&texts).unwrap();
        let codes = codes.as_primitive::<arrow_array::types::Int8Type>();
        assert_eq!(codes.iter().collect::<Vec<_>>(), [Some(1), None, None]);
    }
}
