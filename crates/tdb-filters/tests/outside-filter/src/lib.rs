//! Filter 200: reverses the bytes of a chunk, and adds a mark to each.
//!
//! Options: `u8` mark. Metadata: none of its own. `[1, 2, 3]` with mark 1 becomes `[4, 3, 2]`.

use tdb_filters::{
    Chunk, Description, Entry, Filter, FilterError, OptionValue, Options, Out, Stage,
};
use tdb_tile::FormatVersion;

/// The filter, for `Registry::builtin().with(&ENTRY)`.
pub static ENTRY: Entry = Entry::new(200, "turn_around", parse, build);

fn parse(options: &Options<'_>) -> Result<Box<dyn Filter>, FilterError> {
    let mut reader = options.reader();
    let mark = reader.scalar("mark")?;
    reader.finish("options")?;
    Ok(Box::new(TurnAround { mark }))
}

fn build(description: &Description) -> Result<Box<dyn Filter>, FilterError> {
    let mark = description.integer("turn_around", "mark", 1)?;
    Ok(Box::new(TurnAround { mark }))
}

#[derive(Debug)]
struct TurnAround {
    mark: u8,
}

impl Filter for TurnAround {
    fn encode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        _: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        let values = chunk.data.bytes();
        for (place, value) in out.data(values.len())?.iter_mut().zip(values.iter().rev()) {
            *place = value.wrapping_add(self.mark);
        }
        out.keep_metadata(0);
        Ok(())
    }

    fn decode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        _: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        let stored = chunk.data.bytes();
        for (place, byte) in out.data(stored.len())?.iter_mut().zip(stored.iter().rev()) {
            *place = byte.wrapping_sub(self.mark);
        }
        out.keep_metadata(0);
        Ok(())
    }

    fn options(&self, _version: FormatVersion) -> Vec<u8> {
        vec![self.mark]
    }

    fn describe(&self) -> Vec<(&'static str, OptionValue)> {
        vec![("mark", OptionValue::Integer(self.mark.into()))]
    }
}
