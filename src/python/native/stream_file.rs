//! Writes tables of other libraries, read in Arrow, to files.

use crate::column::take_stream;
use crate::table::arrow_error;
use arrow_array::RecordBatchReader;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_schema::ArrowError;
use parquet::arrow::ArrowWriter;
use pyo3::prelude::*;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Writes a table that exports an Arrow stream to a new Parquet file.
#[pyfunction]
pub(crate) fn write_stream(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    path: PathBuf,
) -> PyResult<()> {
    let stream = take_stream(&table.call_method0("__arrow_c_stream__")?)?;
    let reader = RecordBatchStreamReader::try_new(stream).map_err(arrow_error)?;
    // The stream may be produced by another thread, which waits for the lock of the interpreter.
    let written = py.detach(|| write_batches(reader, &path));
    written.map_err(arrow_error)
}

fn write_batches(reader: RecordBatchStreamReader, path: &Path) -> Result<(), ArrowError> {
    let file = File::create_new(path)?;
    let mut writer = ArrowWriter::try_new(file, reader.schema(), None)?;
    for batch in reader {
        writer.write(&batch?)?;
    }
    writer.close()?;
    Ok(())
}
