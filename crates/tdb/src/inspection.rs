//! Looking at arrays without changing them: see the crate `tdb-inspect`.

use tdb_inspect::doctor::Diagnosis;
use tdb_inspect::explain::Explanation;
use tdb_inspect::{Map, Picture, PictureOptions, TileTrials, Trials, read_picture};
use tdb_open::Result;

use crate::{Array, Context, ReadBuilder};

impl Array {
    /// Returns the positions of the fragments, and of at most `tiles` tiles of sparse fragments.
    ///
    /// # Errors
    /// Fails if the store fails or if R-trees break the format.
    pub fn map(&self, tiles: u64) -> Result<Map> {
        tdb_inspect::map(self, tiles)
    }

    /// Returns the names of fields on which filters can be tried: those whose cells are stored.
    pub fn filtered_fields(&self) -> impl Iterator<Item = &str> {
        tdb_inspect::filtered_fields(self)
    }

    /// Tries filter pipelines on the first cells of a field, in tiles of the array's size: the current pipeline, and
    /// others that suit the datatype. The sample has at most `bytes` bytes of cells, 16 MiB by default, and at most a
    /// twelfth of the memory.
    ///
    /// ```no_run
    /// let trials = tdb::open("weather")?.try_filters("temp", None)?;
    /// for trial in &trials.trials {
    ///     println!("{}: {} of {} bytes", trial.filters, trial.stored, trials.bytes);
    /// }
    /// # Ok::<(), tdb::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the array has no such field, if a dense array does not store it, or if reading fails.
    pub fn try_filters(&self, field: &str, bytes: Option<u64>) -> Result<Trials> {
        tdb_inspect::try_filters(self, field, bytes)
    }

    /// Tries tile layouts: for a sparse array other capacities and cell orders, for a dense one other tile extents. A
    /// sample of at most `bytes` bytes of cells, 16 MiB by default, and at most a twelfth of the memory, is written to
    /// arrays in memory, and read back.
    ///
    /// ```no_run
    /// let trials = tdb::open("weather")?.try_tiles(None)?;
    /// for trial in &trials.trials {
    ///     println!("{:?}: {} of {} bytes", trial.tiles, trial.stored, trials.bytes);
    /// }
    /// # Ok::<(), tdb::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if reading fails, or if memory does not suffice for writing.
    pub fn try_tiles(&self, bytes: Option<u64>) -> Result<TileTrials> {
        tdb_inspect::try_tiles(self, bytes)
    }
}

impl Context {
    /// Checks whether the folder that a URI names can be listed and read and, with `is_writing`, written: an object is
    /// created in the folder and removed again. Failed checks are part of the diagnosis, not errors.
    ///
    /// ```
    /// let folder = tempfile::tempdir()?;
    /// let uri = folder.path().to_str().expect("a path of text");
    /// let diagnosis = tdb::Context::new().doctor(uri, true)?;
    /// assert_eq!(diagnosis.failures().count(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the URI names no folder, if the settings lead to no store, or if a local folder does not exist.
    pub fn doctor(&self, uri: &str, is_writing: bool) -> Result<Diagnosis> {
        tdb_inspect::doctor::doctor(self, uri, is_writing)
    }
}

impl ReadBuilder {
    /// Explains the read without running it: which tiles of which fragments it needs, and why others are skipped.
    ///
    /// # Errors
    /// As for [`ReadBuilder::batches`].
    pub fn explain(self) -> Result<Explanation> {
        let options = self.options()?;
        let session = self.array().context().shared_session();
        Explanation::of(session, self.array().engine(), &options)
            .map_err(|error| error.at(self.array().uri()))
    }

    /// Draws two dimensions of a dense array as a picture. Ranges choose the slice; a dimension without a range is
    /// drawn as far as anything is written. A third dimension of 3 or 4 cells of `uint8`, or as many values per cell,
    /// is a colour.
    ///
    /// ```no_run
    /// use tdb::{Pixel, PictureOptions};
    ///
    /// let image = tdb::open("image")?;
    /// let picture = image.read().to_picture(&PictureOptions::within(800, 600))?;
    /// println!("{} by {}: {:?}", picture.width(), picture.height(), picture.pixel(0, 0));
    /// # Ok::<(), tdb::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`ReadBuilder::batches`]; fails also for a sparse array, a field without numbers, or a slice with more
    /// dimensions than a picture.
    pub fn to_picture(self, options: &PictureOptions) -> Result<Picture> {
        let array = self.array().clone();
        let session = array.context().shared_session().clone();
        let picture = read_picture(&session, array.engine(), &self.options()?, options);
        picture.map_err(|error| error.at(array.uri()))
    }
}
