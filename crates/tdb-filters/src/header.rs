//! Reading and writing the metadata that filters record; for filters of this crate and others.

use tdb_tile::{Bug, Exact, Scalar, WireErrorKind};

use crate::FilterError;

/// Reads the fields of a filter's metadata or options in order, and never beyond the end.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    filter: &'static str,
    /// The bytes not read yet.
    rest: &'a [u8],
    /// The number of bytes read.
    position: usize,
}

impl<'a> Reader<'a> {
    /// Creates a reader of `bytes`; errors name `filter`.
    #[must_use]
    pub fn new(filter: &'static str, bytes: &'a [u8]) -> Self {
        Self {
            filter,
            rest: bytes,
            position: 0,
        }
    }

    /// The number of bytes read so far.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    /// The bytes not read yet.
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Returns the next `n` bytes.
    ///
    /// # Errors
    /// Fails if fewer bytes are left.
    pub fn take(&mut self, field: &'static str, n: usize) -> Result<&'a [u8], FilterError> {
        let (piece, rest) = self.rest.split_at_checked(n).ok_or_else(|| {
            let kind = WireErrorKind::Truncated {
                needs: n as u64,
                left: self.rest.len() as u64,
            };
            FilterError::corrupt(self.filter, field, kind)
        })?;
        self.position = self.position.exact_add(n)?;
        self.rest = rest;
        Ok(piece)
    }

    /// Returns the next `count` records of `size` bytes.
    ///
    /// # Errors
    /// Fails if fewer are left.
    pub fn take_records(
        &mut self,
        field: &'static str,
        count: usize,
        size: usize,
    ) -> Result<&'a [u8], FilterError> {
        let too_many = "more records than can be counted in bytes";
        let bytes = count
            .checked_mul(size)
            .ok_or_else(|| FilterError::invalid(self.filter, field, too_many))?;
        self.take(field, bytes)
    }

    /// Reads the next number.
    ///
    /// # Errors
    /// Fails if the bytes end.
    pub fn scalar<T: Scalar>(&mut self, field: &'static str) -> Result<T, FilterError> {
        let read = T::read(self.take(field, T::SIZE)?);
        read.ok_or_else(|| Bug::new("a number of another size").into())
    }

    /// Reads the next `u32` as a length.
    ///
    /// # Errors
    /// Fails if the bytes end.
    pub fn length(&mut self, field: &'static str) -> Result<usize, FilterError> {
        Ok(self.scalar::<u32>(field)? as usize)
    }

    /// Reads the next `u64` as the length of data in memory.
    ///
    /// # Errors
    /// Fails if the bytes end, or if the length exceeds the address space.
    pub fn long_length(&mut self, field: &'static str) -> Result<usize, FilterError> {
        let needs = self.scalar::<u64>(field)?;
        let left = self.rest().len() as u64;
        usize::try_from(needs).map_err(|_| {
            FilterError::corrupt(self.filter, field, WireErrorKind::Truncated { needs, left })
        })
    }

    /// Reads the next `u32` as the number of records of `size` bytes that follow.
    ///
    /// # Errors
    /// Fails if the bytes end, or if that many records cannot follow.
    pub fn count(&mut self, field: &'static str, size: usize) -> Result<usize, FilterError> {
        let count = self.length(field)?;
        let mut ahead = self.clone();
        ahead.take_records(field, count, size)?;
        Ok(count)
    }

    /// Fails unless everything was read.
    ///
    /// # Errors
    /// [`FilterError::Corrupt`] if bytes are left.
    pub fn finish(&self, field: &'static str) -> Result<(), FilterError> {
        match self.rest().len() {
            0 => Ok(()),
            left => Err(FilterError::corrupt(
                self.filter,
                field,
                WireErrorKind::Trailing { left: left as u64 },
            )),
        }
    }
}

/// Appends a length as `u32`.
///
/// # Errors
/// Fails if the length is 4 GiB or more: one chunk cannot hold such data.
pub fn put_length(
    filter: &'static str,
    header: &mut Vec<u8>,
    length: usize,
) -> Result<(), FilterError> {
    let length = u32::try_from(length).map_err(|_| FilterError::Values {
        filter,
        why: "a part of 4 GiB or more",
    })?;
    length.write(header);
    Ok(())
}

/// Appends the header that many filters share: the number of parts, and the length of each.
///
/// # Errors
/// As for [`put_length`].
pub fn put_parts(
    filter: &'static str,
    header: &mut Vec<u8>,
    lengths: impl Iterator<Item = usize> + Clone,
) -> Result<(), FilterError> {
    put_length(filter, header, lengths.clone().count())?;
    lengths
        .into_iter()
        .try_for_each(|length| put_length(filter, header, length))
}

/// Reads the header that [`put_parts`] writes; returns the lengths of the parts, which add up to
/// `total`.
///
/// # Errors
/// Fails if the header is truncated or the lengths do not add up.
pub fn parts<'a>(
    filter: &'static str,
    reader: &mut Reader<'a>,
    total: usize,
) -> Result<impl Iterator<Item = usize> + Clone + use<'a>, FilterError> {
    let count = reader.count("part count", 4)?;
    let stored = reader.take_records("part lengths", count, 4)?;
    let (lengths, _) = stored.as_chunks::<4>();
    let lengths = lengths
        .iter()
        .map(|length| u32::from_le_bytes(*length) as usize);
    let counted = lengths.clone().try_fold(0, usize::checked_add);
    let sum = counted.ok_or_else(|| {
        FilterError::invalid(filter, "part lengths", "add up to more than memory holds")
    })?;
    if sum != total {
        return Err(FilterError::mismatch(
            filter,
            "sum of part lengths",
            total,
            sum,
        ));
    }
    Ok(lengths)
}
