//! The rows of archives in Arrow.

use crate::error;
use crate::table::{STREAM_CAPSULE_NAME, column_names, new_schema_capsule};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use errors::Error;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use robots_scan_cli::CallMonitor;
use scan::{Options, RowStream, ScanProgress, ScanSummary, stream_schema};
use std::ffi::OsString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{mem, process, thread};
use tables::Table;

/// The message for a stream that was opened before this process was forked.
const FORKED_MESSAGE: &str = "the stream belongs to the process from which this one was forked";

/// Warnings that were not logged yet.
static PENDING_WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// A table that is read from archives whenever it is consumed.
///
/// Any library that reads Arrow streams takes it, such as DuckDB, Polars, pandas and pyarrow. Each use
/// reads the archives again, and keeps only a few batches of rows in memory.
#[pyclass(frozen, module = "robots_scan")]
pub(crate) struct TableStream {
    options: ForkGuard<Options>,
    table: Table,
    faults: Arc<Mutex<Option<u64>>>,
}

/// Scans archives, and streams the rows of one table. `args` are those of the command `scan`, without an output.
#[pyfunction]
pub(crate) fn read(py: Python<'_>, table: &str, args: Vec<OsString>) -> PyResult<TableStream> {
    let monitor = Arc::new(CallMonitor::default());
    let options = py.detach(|| robots_scan_cli::stream_options(table, &args, &monitor));
    let (options, table) = options.map_err(|error| error::command_error(&error))?;
    Ok(TableStream {
        options: ForkGuard::new(options),
        table,
        faults: Arc::default(),
    })
}

/// Returns a query in DuckDB with the columns of the view of a table, over the rows of `source`.
#[pyfunction]
pub(crate) fn select_sql(table: &str, source: &str) -> PyResult<String> {
    let mut tables = Table::ALL.into_iter();
    let found = tables.find(|known| known.name() == table);
    let found = found.ok_or_else(|| {
        let names = Table::ALL.map(Table::name).join(", ");
        error::usage_error(
            &format!("there is no table '{table}'"),
            Some(&format!("choose from {names}")),
        )
    })?;
    Ok(tables::select_sql(found, source))
}

#[pymethods]
impl TableStream {
    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        column_names(&stream_schema(self.table))
    }

    /// The number of places that could not be read when the table was last consumed to its end;
    /// ``None`` before that.
    #[getter]
    fn faults(&self) -> Option<u64> {
        *lock(&self.faults)
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The protocol lets a producer ignore a schema that it cannot give.
        let _ = requested_schema;
        // The client of servers has a thread, which a forked process does not have.
        let options = self.options.get();
        if options.remote.is_some() && self.options.is_forked() {
            return Err(error::usage_error(
                FORKED_MESSAGE,
                Some("call 'read' in this process"),
            ));
        }
        let (faults, table) = (Arc::clone(&self.faults), self.table);
        let finish = move |result: &Result<ScanSummary, Error>| {
            if let Ok(summary) = result {
                *lock(&faults) = Some(summary.faults);
                queue_fault_warning(summary.faults, table);
            }
        };
        let progress = Arc::new(ScanProgress::default());
        let reader = RowStream::start(options.clone(), self.table, progress, finish);
        let rows = StreamRows {
            schema: Arc::clone(reader.schema()),
            reader: Some(ForkGuard::new(reader)),
        };
        let rows: Box<dyn RecordBatchReader + Send> = Box::new(rows);
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(rows), STREAM_CAPSULE_NAME)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        new_schema_capsule(py, &stream_schema(self.table))
    }

    fn __repr__(&self) -> String {
        let inputs = match self.options.get().inputs.len() {
            1 => "1 archive".to_owned(),
            count => format!("{count} archives"),
        };
        format!("<TableStream: {} of {inputs}>", self.table.name())
    }
}

/// The rows of a reader, with errors that the C interface can pass on.
struct StreamRows {
    schema: SchemaRef,
    /// `None` after an error that ends the rows.
    reader: Option<ForkGuard<RowStream>>,
}

impl Iterator for StreamRows {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let reader = self.reader.as_mut()?;
        if reader.is_forked() {
            self.reader = None;
            return Some(Err(ArrowError::ComputeError(FORKED_MESSAGE.to_owned())));
        }
        let rows = reader.get_mut().next()?;
        // In C a text ends at its first NUL.
        Some(rows.map_err(|error| {
            ArrowError::IoError(
                error.to_string().replace('\0', "\\0"),
                std::io::Error::other("the archives could not be read"),
            )
        }))
    }
}

impl RecordBatchReader for StreamRows {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// A value that owns threads, which exist only in the process that made it.
///
/// `fork` copies the memory of a process, but only one of its threads. In the forked process the value is leaked,
/// because dropping it would wait for threads that do not exist there.
struct ForkGuard<T> {
    /// `None` only while it is dropped.
    value: Option<T>,
    process_id: u32,
}

impl<T> ForkGuard<T> {
    fn new(value: T) -> Self {
        Self {
            value: Some(value),
            process_id: process::id(),
        }
    }

    /// Returns true if this process was forked from the one that made the value.
    fn is_forked(&self) -> bool {
        self.process_id != process::id()
    }

    fn get(&self) -> &T {
        self.value.as_ref().expect("only `drop` takes the value")
    }

    fn get_mut(&mut self) -> &mut T {
        self.value.as_mut().expect("only `drop` takes the value")
    }
}

impl<T> Drop for ForkGuard<T> {
    fn drop(&mut self) {
        if self.is_forked() {
            mem::forget(self.value.take());
        }
    }
}

/// Queues a warning if some places could not be read, and starts a thread that logs it.
///
/// The thread that reads the rows may hold the lock of the interpreter and wait for the end of the run, so
/// this thread cannot log it.
fn queue_fault_warning(faults: u64, table: Table) {
    if faults == 0 || table == Table::FAULTS {
        return;
    }
    let places = match faults {
        1 => "1 place".to_owned(),
        _ => format!("{faults} places"),
    };
    let text = format!("{places} could not be read: the table 'faults' lists them");
    lock(&PENDING_WARNINGS).push(text);
    thread::spawn(|| Python::try_attach(log_warnings));
}

/// Logs the warnings that were not logged yet. It is also called when the interpreter ends.
#[pyfunction]
pub(crate) fn log_warnings(py: Python<'_>) -> PyResult<()> {
    let warnings = mem::take(&mut *lock(&PENDING_WARNINGS));
    if warnings.is_empty() {
        return Ok(());
    }
    let logging = py.import("logging")?;
    let logger = logging.call_method1("getLogger", ("robots_scan",))?;
    for text in warnings {
        logger.call_method1("warning", (text,))?;
    }
    Ok(())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
