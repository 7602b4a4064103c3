//! Points as a condition, which a delete can store.

use std::collections::HashSet;

use tdb_schema::value::{Value, read};

use super::Points;
use crate::literal_position::is_text;
use crate::{CompareOp, Condition, FieldTest, Literal, Test};

impl Points {
    /// The condition that holds for the cells at these points and no others; `None` if there are none.
    ///
    /// It has a list for each combination of coordinates along all dimensions but the one that has the most of them.
    #[must_use]
    pub fn condition(&self) -> Option<Condition> {
        let order = self.by_coordinates();
        let last = *order.last()?;
        let mut points: Vec<Vec<u64>> = (0..self.len())
            .filter_map(|point| {
                let keys = self.tree.point(point)?;
                order.iter().map(|at| keys.get(*at).copied()).collect()
            })
            .collect();
        points.sort_unstable();
        points.dedup();
        let same =
            |a: &Vec<u64>, b: &Vec<u64>| a.split_last().map(|a| a.1) == b.split_last().map(|b| b.1);
        let lists = points.chunk_by(same).filter_map(|points| {
            let (_, common) = points.first()?.split_last()?;
            let common = order.iter().zip(common);
            let common = common.filter_map(|(at, key)| self.test(*at, [*key]));
            let list = points.iter().filter_map(|point| point.last().copied());
            let tests = common.chain(self.test(last, list));
            tests.map(Condition::from).reduce(Condition::and)
        });
        lists.reduce(Condition::or)
    }

    /// The places of the dimensions, those with the fewest coordinates first.
    fn by_coordinates(&self) -> Vec<usize> {
        let different = |at: &usize| self.tree.keys_along(*at).collect::<HashSet<u64>>().len();
        let mut order: Vec<usize> = (0..self.axes.len()).collect();
        order.sort_by_cached_key(different);
        order
    }

    /// Whether the coordinate along a dimension is one of those with these keys.
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
        let mut list: Vec<Literal> = keys.into_iter().filter_map(literal).collect();
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
