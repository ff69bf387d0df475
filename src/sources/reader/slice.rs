//! A slice of an input, which is read by one reader.

use super::faults::missing_input_fault;
use super::{Source, Unopened};
use crate::InputPlace;
use capture::CaptureScope;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use warc::{ArchiveFile, Compression};

/// The answer to the request of an object on a server.
#[derive(Clone, Debug)]
pub enum FetchedObject {
    /// The object.
    Object(ArchiveFile),
    /// There is no such object, which is a fault.
    Missing,
    /// The object could not be fetched, for this reason.
    Failed(Arc<str>),
}

/// An input, or a byte range of it, that one worker reads.
#[derive(Clone, Debug)]
pub struct InputSlice {
    /// The source that is read.
    pub source: Arc<dyn Source>,
    /// The object, if the input is on a server.
    pub fetched: Option<FetchedObject>,
    /// The name of the input, `warc_filename` in the tables.
    pub name: Arc<str>,
    /// The `robots_id` of the first capture of the input.
    pub first_robots_id: i64,
    /// The byte range in which members that are read begin; `None` for the whole input.
    pub range: Option<Range<u64>>,
    /// True if a member is known to begin at the start of the range. Otherwise the first member in
    /// the range is searched for.
    pub begins_at_member: bool,
    /// Selects the records that are captures.
    pub scope: CaptureScope,
    /// True if the object is fetched again when it seems to be truncated.
    pub may_fetch_again: bool,
    /// The compression of the input, which the slices of the input share. It is set when the first of them is opened.
    pub compression: Arc<OnceLock<Compression>>,
}

/// An input that is opened, whole, for a slice of it.
pub(super) enum OpenedInput {
    /// A regular file, or an object that was fetched.
    File(ArchiveFile),
    /// A stream, which is read once.
    Stream(Box<dyn Read + Send>),
}

impl InputSlice {
    /// Returns a slice that is a whole input without a name.
    #[cfg(test)]
    pub(super) fn whole(source: Arc<dyn Source>) -> Self {
        Self {
            source,
            fetched: None,
            name: "".into(),
            first_robots_id: 0,
            range: None,
            begins_at_member: true,
            scope: CaptureScope {
                is_robots_subset: true,
                max_body_bytes: usize::MAX,
                body_limit: None,
            },
            may_fetch_again: false,
            compression: Arc::default(),
        }
    }

    /// Opens the archive.
    ///
    /// # Errors
    ///
    /// [`Unopened::Missing`], [`Unopened::Failed`].
    pub(super) fn open_input(&self) -> Result<OpenedInput, Unopened> {
        match (&self.fetched, self.source.place()) {
            (Some(FetchedObject::Object(file)), _) => Ok(OpenedInput::File(file.clone())),
            (Some(FetchedObject::Missing), _) | (None, InputPlace::Missing(_)) => {
                Err(Unopened::Missing(missing_input_fault()))
            }
            (Some(FetchedObject::Failed(reason)), _) => {
                Err(Unopened::Failed(io::Error::other(&**reason)))
            }
            (None, InputPlace::File(path)) => {
                let file = ArchiveFile::open(path);
                file.map(OpenedInput::File).map_err(Unopened::Failed)
            }
            (None, InputPlace::Stream(stream)) => {
                let stream = stream.take();
                stream.map(OpenedInput::Stream).map_err(Unopened::Failed)
            }
            (None, InputPlace::Remote(_)) => {
                Err(Unopened::Failed(io::Error::other("it was not fetched")))
            }
        }
    }
}

/// The place at which an object seems to be truncated.
#[derive(Clone, Copy)]
pub struct TruncationPoint {
    /// The offset of the member that is not complete.
    pub offset: u64,
    /// The number of records of that member that were read.
    pub records_before: u32,
}
