//! Converts points into a condition, which a delete can store.

use std::collections::HashSet;

use tdb_schema::value::{Value, read};
use tdb_tile::Bug;

use super::Points;
use crate::literal_position::is_text;
use crate::{CompareOp, Condition, FieldTest, Literal, Test};

impl Points {
    /// Returns a condition that holds for exactly the cells at these points; `None` if there are no points.
    ///
    /// It is an `or` of lists: for each combination of coordinates along all dimensions but one, a list of the
    /// coordinates along that one. That is the dimension with the most distinct coordinates, so that there are few
    /// lists.
    ///
    /// # Errors
    /// Only a bug.
    pub fn condition(&self) -> Result<Option<Condition>, Bug> {
        let order = self.by_coordinates();
        let Some(last) = order.last() else {
            return Ok(None);
        };
        let coordinates: Option<Vec<Vec<u64>>> = (0..self.len())
            .map(|point| {
                let keys = self.tree.point(point)?;
                order.iter().map(|at| keys.get(*at).copied()).collect()
            })
            .collect();
        let mut points = coordinates.ok_or_else(|| Bug::new("a point without coordinates"))?;
        points.sort_unstable();
        points.dedup();
        let same =
            |a: &Vec<u64>, b: &Vec<u64>| a.split_last().map(|a| a.1) == b.split_last().map(|b| b.1);
        let lists: Option<Vec<Condition>> = points
            .chunk_by(same)
            .map(|points| {
                let (_, common) = points.first()?.split_last()?;
                let common = order
                    .iter()
                    .zip(common)
                    .map(|(at, key)| self.test(*at, [*key]));
                let list = points.iter().filter_map(|point| point.last().copied());
                let tests: Vec<FieldTest> = common
                    .chain(std::iter::once(self.test(*last, list)))
                    .collect::<Option<_>>()?;
                tests
                    .into_iter()
                    .map(Condition::from)
                    .reduce(Condition::and)
            })
            .collect();
        let impossible = || Bug::new("a coordinate that no test can have");
        Ok(lists
            .ok_or_else(impossible)?
            .into_iter()
            .reduce(Condition::or))
    }

    /// Numbers of the dimensions, those with the fewest distinct coordinates first.
    fn by_coordinates(&self) -> Vec<usize> {
        let different = |at: &usize| self.tree.keys_along(*at).collect::<HashSet<u64>>().len();
        let mut order: Vec<usize> = (0..self.axes.len()).collect();
        order.sort_by_cached_key(different);
        order
    }

    /// Tests whether the coordinate along a dimension has one of these keys.
    fn test(&self, at: usize, keys: impl IntoIterator<Item = u64>) -> Option<FieldTest> {
        let axis = self.axes.get(at)?;
        let datatype = axis.dimension().datatype;
        let literal = |key| {
            let bytes = axis.coordinate(key)?;
            if is_text(datatype) {
                return Some(Literal::Bytes(bytes.to_vec()));
            }
            Some(match read(datatype, &bytes)?.as_ticks() {
                Value::Signed(value) => value.into(),
                Value::Unsigned(value) => value.into(),
                Value::Float32(value) => value.into(),
                Value::Float64(value) => value.into(),
                _ => return None,
            })
        };
        let mut list = keys
            .into_iter()
            .map(literal)
            .collect::<Option<Vec<Literal>>>()?;
        let test = match list.pop() {
            Some(one) if list.is_empty() => Test::Compare(CompareOp::Eq, one),
            last => {
                list.extend(last);
                Test::In(list)
            }
        };
        Some(FieldTest {
            field: axis.dimension().name.clone(),
            test,
        })
    }
}
