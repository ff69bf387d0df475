//! Exports the rows of a robots.txt file in Arrow.

use crate::error as exceptions;
use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Int16Type, Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch, RecordBatchIterator, StructArray};
use arrow_schema::{ArrowError, DataType, Schema};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use std::ffi::CStr;

// The names of the capsules of the Arrow PyCapsule interface.
pub(crate) const STREAM_CAPSULE_NAME: &CStr = c"arrow_array_stream";
pub(crate) const SCHEMA_CAPSULE_NAME: &CStr = c"arrow_schema";
pub(crate) const ARRAY_CAPSULE_NAME: &CStr = c"arrow_array";

/// Rows of one table. Any library that reads Arrow takes it, such as DuckDB, Polars, pandas and pyarrow.
#[pyclass(frozen, module = "robots_scan")]
pub(crate) struct Table {
    rows: RecordBatch,
}

impl Table {
    pub(crate) fn new(rows: RecordBatch) -> Self {
        Self { rows }
    }
}

#[pymethods]
impl Table {
    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        column_names(&self.rows.schema())
    }

    /// Returns the rows as dictionaries.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let schema = self.rows.schema();
        let rows = (0..self.rows.num_rows()).map(|row| {
            let values = PyDict::new(py);
            for (field, column) in schema.fields().iter().zip(self.rows.columns()) {
                values.set_item(field.name(), value_to_python(py, column, row)?)?;
            }
            Ok(values)
        });
        rows.collect()
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The protocol lets a producer ignore a schema that it cannot give.
        let _ = requested_schema;
        let rows = RecordBatchIterator::new([Ok(self.rows.clone())], self.rows.schema());
        PyCapsule::new_with_value(
            py,
            FFI_ArrowArrayStream::new(Box::new(rows)),
            STREAM_CAPSULE_NAME,
        )
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        new_schema_capsule(py, &self.rows.schema())
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        let rows = StructArray::from(self.rows.clone());
        let array = FFI_ArrowArray::new(&rows.to_data());
        let array = PyCapsule::new_with_value(py, array, ARRAY_CAPSULE_NAME)?;
        Ok((new_schema_capsule(py, &self.rows.schema())?, array))
    }

    fn __len__(&self) -> usize {
        self.rows.num_rows()
    }

    fn __repr__(&self) -> String {
        let columns = self.columns().join(", ");
        format!("<Table: {} rows of {columns}>", self.rows.num_rows())
    }
}

pub(crate) fn column_names(schema: &Schema) -> Vec<String> {
    let fields = schema.fields().iter();
    fields.map(|field| field.name().clone()).collect()
}

pub(crate) fn new_schema_capsule<'py>(
    py: Python<'py>,
    schema: &Schema,
) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(arrow_error)?;
    PyCapsule::new_with_value(py, schema, SCHEMA_CAPSULE_NAME)
}

/// Returns the exception for an error of Arrow.
pub(crate) fn arrow_error(error: ArrowError) -> PyErr {
    exceptions::usage_error(&error.to_string(), None)
}

fn value_to_python<'py>(
    py: Python<'py>,
    column: &dyn Array,
    row: usize,
) -> PyResult<Bound<'py, PyAny>> {
    if column.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    Ok(match column.data_type() {
        DataType::Int64 => column
            .as_primitive::<Int64Type>()
            .value(row)
            .into_pyobject(py)?
            .into_any(),
        DataType::Int32 => column
            .as_primitive::<Int32Type>()
            .value(row)
            .into_pyobject(py)?
            .into_any(),
        DataType::Int16 => column
            .as_primitive::<Int16Type>()
            .value(row)
            .into_pyobject(py)?
            .into_any(),
        DataType::Boolean => {
            let value = column.as_boolean().value(row);
            value.into_pyobject(py)?.to_owned().into_any()
        }
        DataType::Utf8 => column
            .as_string::<i32>()
            .value(row)
            .into_pyobject(py)?
            .into_any(),
        other => {
            let text = format!("a column of type {other} has no Python value");
            return Err(exceptions::usage_error(&text, None));
        }
    })
}
