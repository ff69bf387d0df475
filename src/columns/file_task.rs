//! The work of writing a file, in tasks that any thread can run.

use super::column_chunk::ColumnChunk;
use super::column_writer::ColumnWriter;
use super::hashing_writer::ParquetFileWriter;
use super::page::PageBuffers;
use super::row_groups::PageRows;
use parquet::errors::ParquetError;
use rayon::prelude::*;
use std::cell::RefCell;

thread_local! {
    /// The page buffers of this thread, which are reused for each page.
    static PAGE_BUFFERS: RefCell<PageBuffers> = RefCell::default();
}

/// A task of a [`TableFileWriter`](super::TableFileWriter), to be run on any
/// thread. The output must be passed to [`take`](super::TableFileWriter::take).
pub struct FileTask {
    /// The index of the row group; of the first one if several are appended.
    pub group: usize,
    pub(super) kind: FileTaskKind,
}

pub(super) enum FileTaskKind {
    /// Encodes a page of each column, with the column writers of the row group.
    Encode(PageRows, Vec<ColumnWriter>),
    /// Appends row groups to the file.
    Append(Box<ParquetFileWriter>, Vec<Vec<ColumnChunk>>),
}

pub enum FileTaskOutput {
    /// The column writers, for the next page of the row group.
    Page(Vec<ColumnWriter>),
    /// The column chunks of a finished row group.
    RowGroup(Vec<ColumnChunk>),
    /// The file, and how many row groups were appended to it.
    Appended(Box<ParquetFileWriter>, usize),
}

impl FileTask {
    /// Returns the bytes of the values to be encoded.
    pub fn bytes(&self) -> u64 {
        match &self.kind {
            FileTaskKind::Encode(page, _) => page.bytes,
            FileTaskKind::Append(..) => 0,
        }
    }

    /// Runs the task on this thread. The columns of a page are encoded in parallel on the current rayon pool.
    ///
    /// # Errors
    ///
    /// Those of compression and of writing.
    pub fn run(self) -> Result<FileTaskOutput, ParquetError> {
        match self.kind {
            FileTaskKind::Encode(page, columns) => encode_page(&page, columns),
            FileTaskKind::Append(mut writer, groups) => {
                let count = groups.len();
                for chunks in groups {
                    let mut group = writer.next_row_group()?;
                    for chunk in chunks {
                        chunk.append_to_row_group(&mut group)?;
                    }
                    group.close()?;
                }
                Ok(FileTaskOutput::Appended(writer, count))
            }
        }
    }
}

/// Encodes a page of each column, in parallel on the current rayon pool.
fn encode_page(
    page: &PageRows,
    mut columns: Vec<ColumnWriter>,
) -> Result<FileTaskOutput, ParquetError> {
    columns.par_iter_mut().try_for_each(|column| {
        PAGE_BUFFERS.with_borrow_mut(|buffers| column.write_page(&page.batches, buffers))
    })?;
    if !page.ends_group {
        return Ok(FileTaskOutput::Page(columns));
    }
    let closed = columns
        .into_par_iter()
        .map(|column| PAGE_BUFFERS.with_borrow_mut(|buffers| column.close(buffers)));
    Ok(FileTaskOutput::RowGroup(closed.collect::<Result<_, _>>()?))
}
