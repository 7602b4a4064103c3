//! Skips tiles in which no cell matches a condition, as proved by their statistics.

use std::cmp::Ordering;

use bytes::Bytes;
use tdb_cells::{KnownCells, TileFacts};
use tdb_fragment::TileNumber;
use tdb_schema::FieldKind;
use tdb_tile::{Bug, Datatype, Range};

use crate::resolved::{ResolvedField, ResolvedTest, Step};
use crate::{CompareOp, Predicate, ResolvedCondition};

impl Predicate {
    /// Whether the statistics of a tile of `cells` cells prove that no cell matches the condition.
    ///
    /// # Errors
    /// Only a [`Bug`].
    pub fn rules_out(&self, facts: &TileFacts, tile: TileNumber, cells: u64) -> Result<bool, Bug> {
        self.fails_for_all(cells, &|field| facts.cells(field, tile, cells))
    }

    /// Whether no cell in a box, given as a range along each dimension of the schema, can be selected: the condition
    /// requires coordinates outside the box, or no point is in it.
    ///
    /// # Errors
    /// Only a [`Bug`].
    pub fn rules_out_box(&self, ranges: &[Range]) -> Result<bool, Bug> {
        if let Some((points, dimensions)) = self.points() {
            let own = dimensions.iter().map(|dimension| ranges.get(*dimension));
            let other = || Bug::new("a box has fewer dimensions than the schema");
            let own = own.collect::<Option<Vec<_>>>().ok_or_else(other)?;
            if !points.any_in(&own)? {
                return Ok(true);
            }
        }
        // The number of cells does not matter, because coordinates are never null.
        self.fails_for_all(1, &|field| match field {
            FieldKind::Dimension(dimension) => {
                let range = ranges.get(dimension)?;
                Some(KnownCells::Has {
                    nulls: Some(0),
                    extremes: Some((&range.lo, &range.hi)),
                })
            }
            _ => None,
        })
    }

    fn fails_for_all<'a>(
        &self,
        cells: u64,
        known: &dyn Fn(FieldKind) -> Option<KnownCells<'a>>,
    ) -> Result<bool, Bug> {
        let Some((condition, fields)) = self.condition() else {
            return Ok(false);
        };
        let known = |field: &Option<FieldKind>| match field {
            // No cell has a value of a missing field.
            None => Some(KnownCells::Lacking),
            Some(field) => known(*field),
        };
        let fields: Vec<Option<KnownCells<'a>>> = fields.iter().map(known).collect();
        condition.is_ruled_out(&fields, cells)
    }
}

impl ResolvedCondition {
    /// Whether no cell matches, given the facts about each field.
    fn is_ruled_out(&self, fields: &[Option<KnownCells<'_>>], cells: u64) -> Result<bool, Bug> {
        let mut waiting: Vec<bool> = Vec::with_capacity(self.depth);
        for step in &self.steps {
            let fails = match step {
                Step::Test { field, test } => {
                    let tested = self.fields.get(*field).zip(fields.get(*field));
                    let unknown = || Bug::new("a test of no field of a condition");
                    let (field, known) = tested.ok_or_else(unknown)?;
                    known.is_some_and(|known| field.all_fail(test, known, cells))
                }
                // There are no facts about computed values.
                Step::Compare(_) => false,
                Step::And | Step::Or => {
                    let (last, before) = (waiting.pop(), waiting.pop());
                    let joined = last.zip(before);
                    let too_many = || Bug::new("a condition with a joint too many");
                    let (b, a) = joined.ok_or_else(too_many)?;
                    if *step == Step::And { a || b } else { a && b }
                }
            };
            waiting.push(fails);
        }
        match waiting[..] {
            [fails] => Ok(fails),
            _ => Err(Bug::new("a condition whose tests are not all joined")),
        }
    }
}

impl ResolvedField {
    /// Whether a test is known to fail for every cell.
    fn all_fail(&self, test: &ResolvedTest, known: KnownCells<'_>, cells: u64) -> bool {
        let (Some((datatype, _)), KnownCells::Has { nulls, extremes }) = (self.stored, known)
        else {
            return true;
        };
        match test {
            ResolvedTest::Always => false,
            ResolvedTest::Never => true,
            ResolvedTest::Null => nulls == Some(0),
            // Null cells fail every other test.
            _ if nulls.is_some_and(|nulls| nulls >= cells) => true,
            test => extremes.is_some_and(|(least, greatest)| {
                Extremes {
                    datatype,
                    least,
                    greatest,
                }
                .all_fail(test)
            }),
        }
    }
}

/// The least and the greatest value of some cells.
struct Extremes<'a> {
    datatype: Datatype,
    least: &'a [u8],
    greatest: &'a [u8],
}

impl Extremes<'_> {
    fn all_fail(&self, test: &ResolvedTest) -> bool {
        let is_one = self.order(self.least, self.greatest) == Some(Ordering::Equal);
        match test {
            ResolvedTest::Compare(op, value) => {
                let least = self.order(self.least, value);
                let greatest = self.order(self.greatest, value);
                let (Some(least), Some(greatest)) = (least, greatest) else {
                    return false;
                };
                match op {
                    CompareOp::Lt => least.is_ge(),
                    CompareOp::Le => least.is_gt(),
                    CompareOp::Gt => greatest.is_le(),
                    CompareOp::Ge => greatest.is_lt(),
                    CompareOp::Eq => least.is_gt() || greatest.is_lt(),
                    CompareOp::Ne => least.is_eq() && greatest.is_eq(),
                }
            }
            ResolvedTest::In(members) => self.has_none_of(members),
            ResolvedTest::NotIn(members) => is_one && self.has(members, self.least),
            ResolvedTest::StartsWith(prefix) => {
                let is_behind = self.least > &prefix[..] && !self.least.starts_with(prefix);
                is_behind || self.greatest < &prefix[..]
            }
            ResolvedTest::NotStartsWith(prefix) => {
                self.least.starts_with(prefix) && self.greatest.starts_with(prefix)
            }
            ResolvedTest::Like(matcher) => is_one && !matcher.matches(self.least),
            ResolvedTest::NotLike(matcher) => is_one && matcher.matches(self.least),
            ResolvedTest::Always
            | ResolvedTest::Never
            | ResolvedTest::Null
            | ResolvedTest::NotNull => false,
        }
    }

    /// Compares two values; `None` if they have no order, as with NaN.
    fn order(&self, a: &[u8], b: &[u8]) -> Option<Ordering> {
        self.datatype.compare(a, b)
    }

    /// Whether no member, in ascending order, is between the extremes. NaN members equal no cell.
    fn has_none_of(&self, members: &[Bytes]) -> bool {
        let is_before = |member: &Bytes| self.order(member, self.least).is_none_or(Ordering::is_lt);
        let is_behind = |member: &Bytes| {
            let order = self.order(member, self.greatest);
            order.is_none_or(Ordering::is_gt)
        };
        let next = members.partition_point(is_before);
        members.get(next).is_none_or(is_behind)
    }

    fn has(&self, members: &[Bytes], value: &[u8]) -> bool {
        let found = members.iter();
        found
            .filter_map(|member| self.order(member, value))
            .any(Ordering::is_eq)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tdb_schema::CellValNum;
    use tdb_tile::Limits;

    use super::*;
    use crate::{Condition, FieldCells};
    use tdb_cells::FieldInfo;

    const FIELDS: [(&str, Datatype, CellValNum); 3] = [
        ("a", Datatype::Int32, CellValNum::Fixed(1)),
        ("b", Datatype::Float64, CellValNum::Fixed(1)),
        ("t", Datatype::StringAscii, CellValNum::Var),
    ];

    fn resolved(text: &str) -> ResolvedCondition {
        let fields = FIELDS.map(|(name, datatype, cell_val_num)| FieldInfo {
            name: name.to_owned(),
            datatype,
            cell_val_num,
            nullable: true,
            enumeration: None,
            field: FieldKind::Attribute(0),
        });
        let condition = Condition::parse(text, &Limits::default()).unwrap();
        condition.resolve(&fields, &Limits::default()).unwrap()
    }

    /// Three cells; `None` is null.
    type Cells<T> = [Option<T>; 3];

    /// The least and the greatest value.
    type Ends = (Vec<u8>, Vec<u8>);

    /// The stored extremes of the cells that are not null, and the bytes of each cell.
    fn stored<T: Clone + PartialOrd>(
        cells: &Cells<T>,
        bytes: impl Fn(&T) -> Vec<u8>,
    ) -> (Option<Ends>, Vec<Vec<u8>>) {
        let mut valid: Vec<T> = cells.iter().flatten().cloned().collect();
        valid.sort_by(|a, b| a.partial_cmp(b).unwrap());
        let ends = valid.first().zip(valid.last());
        let fill = |cell: &Option<T>| cell.as_ref().map_or_else(|| vec![0; 8], &bytes);
        (
            ends.map(|(lo, hi)| (bytes(lo), bytes(hi))),
            cells.iter().map(fill).collect(),
        )
    }

    fn test() -> impl Strategy<Value = String> {
        let number = || (-3..4).prop_map(|n: i32| n.to_string());
        let text = || "[ab]{0,2}".prop_map(|t| format!("'{t}'"));
        let op = prop::sample::select(vec!["<", "<=", ">", ">=", "=", "!="]);
        let compared = |name: &'static str, values: BoxedStrategy<String>| {
            prop_oneof![
                (op.clone(), values.clone()).prop_map(move |(op, v)| format!("{name} {op} {v}")),
                (any::<bool>(), prop::collection::vec(values, 1..4)).prop_map(move |(not, v)| {
                    let not = if not { "not " } else { "" };
                    format!("{name} {not}in ({})", v.join(", "))
                }),
                any::<bool>().prop_map(move |not| {
                    let not = if not { "not " } else { "" };
                    format!("{name} is {not}null")
                }),
            ]
        };
        prop_oneof![
            compared("a", number().boxed()),
            compared("b", number().boxed()),
            compared("t", text().boxed()),
            (
                any::<bool>(),
                prop::sample::select(vec!["starts with", "like"]),
                text()
            )
                .prop_map(|(not, word, text)| format!(
                    "{}t {word} {text}",
                    if not { "not " } else { "" }
                )),
        ]
    }

    fn condition() -> impl Strategy<Value = String> {
        test().prop_recursive(3, 8, 2, |inner| {
            prop_oneof![
                (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} and {b})")),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} or {b})")),
                inner.prop_map(|a| format!("not ({a})")),
            ]
        })
    }

    proptest! {
        #[test]
        fn no_cell_of_a_tile_that_is_ruled_out_fits(
            text in condition(),
            a: Cells<i8>,
            b in prop::array::uniform3(prop::option::of(-3..4_i8)),
            t in prop::array::uniform3(prop::option::of("[ab]{0,2}")),
        ) {
            let condition = resolved(&text);
            let a = a.map(|cell| cell.map(|cell| i32::from(cell % 4)));
            let all = [
                stored(&a, |v| v.to_le_bytes().to_vec()),
                stored(&b, |v| f64::from(*v).to_le_bytes().to_vec()),
                stored(&t, |v| v.as_bytes().to_vec()),
            ];
            let valid = [a.map(|c| c.is_some()), b.map(|c| c.is_some()), t.map(|c| c.is_some())];
            let validity = valid.map(|valid| valid.map(u8::from));
            let place = |field: &ResolvedField| FIELDS.iter().position(|(name, ..)| *name == field.name).unwrap();
            let known = condition.fields().iter().map(|field| {
                let at = place(field);
                Some(KnownCells::Has {
                    nulls: Some(validity[at].iter().filter(|valid| **valid == 0).count() as u64),
                    extremes: all[at].0.as_ref().map(|(lo, hi)| (&lo[..], &hi[..])),
                })
            });
            let known: Vec<_> = known.collect();
            // The fill value of null cells has 8 bytes, more than some numbers have.
            let values: Vec<Vec<u8>> = all.iter().zip([4, 8, usize::MAX]).map(|((_, cells), size)| {
                cells.iter().flat_map(|cell| &cell[..size.min(cell.len())]).copied().collect()
            }).collect();
            let mut ends = vec![0];
            for cell in &all[2].1 {
                ends.push(ends[ends.len() - 1] + cell.len() as u64);
            }
            let cells = condition.fields().iter().map(|field| {
                let at = place(field);
                Some(FieldCells {
                    values: &values[at],
                    offsets: (at == 2).then_some(&ends[..]),
                    validity: Some(&validity[at]),
                })
            });
            let mut answers = Vec::new();
            condition.evaluate(&cells.collect::<Vec<_>>(), 3, &mut answers).unwrap();
            if condition.is_ruled_out(&known, 3).unwrap() {
                prop_assert_eq!(answers, [0, 0, 0], "{}", text);
            }
        }
    }

    #[test]
    fn what_the_ends_tell() {
        let ends = |text: &str, least: i32, greatest: i32| {
            let (least, greatest) = (least.to_le_bytes(), greatest.to_le_bytes());
            let known = KnownCells::Has {
                nulls: None,
                extremes: Some((&least, &greatest)),
            };
            resolved(text).is_ruled_out(&[Some(known)], 9).unwrap()
        };
        for (text, least, greatest, is_ruled_out) in [
            ("a < 3", 3, 9, true),
            ("a < 3", 2, 9, false),
            ("a > 9", 3, 9, true),
            ("a = 5", 3, 9, false),
            ("a = 2", 3, 9, true),
            ("a != 3", 3, 3, true),
            ("a in (1, 2, 10)", 3, 9, true),
            ("a in (1, 4, 10)", 3, 9, false),
            ("a not in (1, 3)", 3, 3, true),
            ("a < 3 or a > 8", 3, 9, false),
            ("a < 3 or a > 9", 3, 9, true),
            ("a > 2 and a > 9", 3, 9, true),
            ("a is null", 3, 9, false),
        ] {
            assert_eq!(ends(text, least, greatest), is_ruled_out, "{text}");
        }
    }

    #[test]
    fn nothing_known_rules_nothing_out_and_a_lacking_field_everything() {
        let condition = resolved("a < 3");
        assert!(!condition.is_ruled_out(&[None], 9).unwrap());
        assert!(
            condition
                .is_ruled_out(&[Some(KnownCells::Lacking)], 9)
                .unwrap()
        );
    }
}
