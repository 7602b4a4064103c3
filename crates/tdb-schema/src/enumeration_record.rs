use bytes::Bytes;
use tdb_tile::{Datatype, Record, Walk, WireError, WireErrorKind};

use crate::CellValNum;

/// The content of an enumeration file, without its generic tile.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnumerationRecord {
    /// The version of this record; only 0 is known.
    pub version: u32,
    /// The name of the enumeration.
    pub name: String,
    /// The name of the file.
    pub file: String,
    /// The datatype of the values.
    pub datatype: Datatype,
    /// Number of numbers or characters per value; `u32::MAX` if it varies.
    pub cell_val_num: u32,
    /// True if the order of the values is meaningful.
    pub ordered: bool,
    /// The bytes of all values, back to back.
    pub data: Bytes,
    /// The start of each value in `data` as `u64`, if values vary in size.
    pub offsets: Bytes,
}

impl Record for EnumerationRecord {
    const NAME: &'static str = "Enumeration";
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        let Self {
            version,
            name,
            file,
            datatype,
            cell_val_num,
            ordered,
            data,
            offsets,
        } = self;
        w.scalar("version", version)?;
        if *version != 0 {
            let kind = WireErrorKind::NewerVersion {
                found: *version,
                newest: 0,
            };
            return Err(w.fail("version", kind));
        }
        w.text32("name", name)?;
        w.text32("file", file)?;
        w.code("datatype", datatype)?;
        w.scalar("cell_val_num", cell_val_num)?;
        w.flag("ordered", ordered)?;
        w.bytes64("data", data)?;
        if CellValNum::from(*cell_val_num).is_var() {
            w.bytes64("offsets", offsets)?;
        }
        Ok(())
    }
}

/// An entry in the schema's list of enumerations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnumerationEntryRecord {
    /// The name that attributes refer to.
    pub name: String,
    /// The name of the file in `__schema/__enumerations` that stores the enumeration.
    pub file: String,
}

impl Record for EnumerationEntryRecord {
    const NAME: &'static str = "EnumerationEntry";
    const MIN_SIZE: usize = 8;
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        let Self { name, file } = self;
        w.text32("name", name)?;
        w.text32("file", file)
    }
}
