use tdb_tile::{Record, Walk, WireError};

/// The delete conditions that have been applied to a fragment: its delete fields already contain
/// their effect (from format 15).
///
/// `docs/format/fragments.md`, "Processed conditions".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessedConditions {
    /// The path of each condition, relative to the array: `__commits/<name>.del`.
    pub markers: Vec<String>,
}

impl Record for ProcessedConditions {
    const NAME: &'static str = "ProcessedConditions";
    const MIN_SIZE: usize = 8;
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        let Self { markers } = self;
        let n = w.count::<u64>("count", markers.len())?;
        let mut records: Vec<Marker> = markers.drain(..).map(Marker).collect();
        w.list("markers", n, &mut records, &())?;
        markers.extend(records.into_iter().map(|Marker(marker)| marker));
        Ok(())
    }
}

#[derive(Clone, Debug, Default)]
struct Marker(String);

impl Record for Marker {
    const NAME: &'static str = "ProcessedConditions";
    const MIN_SIZE: usize = 8;
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        w.text64("marker", &mut self.0)
    }
}
