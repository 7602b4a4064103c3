use bytes::Bytes;
use tdb_tile::{Datatype, Record, Walk, WireError, WireErrorKind};

use crate::CellValNum;

/// An enumeration file, once its generic tile is opened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnumerationRecord {
    /// The version of this record; only 0 is known.
    pub version: u32,
    /// The enumeration's name.
    pub name: String,
    /// The name of the file itself.
    pub file: String,
    /// The datatype of the values.
    pub datatype: Datatype,
    /// Numbers or characters per value; `u32::MAX` where it varies.
    pub cell_val_num: u32,
    /// Whether the order of the values means something.
    pub ordered: bool,
    /// The values, one behind the other.
    pub data: Bytes,
    /// Where each value starts in `data`, as `u64`, if they vary in size.
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

/// An entry of the schema's list of enumerations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnumerationEntryRecord {
    /// The enumeration's name, as attributes refer to it.
    pub name: String,
    /// The file in `__schema/__enumerations` that holds it.
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
