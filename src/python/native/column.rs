//! Reads columns of other libraries in Arrow, and exports columns of answers to them.

use crate::error;
use crate::table::{ARRAY_CAPSULE_NAME, SCHEMA_CAPSULE_NAME, STREAM_CAPSULE_NAME};
use crate::text::Text;
use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::types::{
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrayReader, ArrayRef, make_array};
use arrow_schema::{ArrowError, DataType};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyCapsuleMethods, PyInt, PyList, PyString};

/// A column of results. Any library that reads Arrow takes it.
#[pyclass(frozen, module = "robots_scan")]
pub(crate) struct Column {
    values: ArrayRef,
}

impl Column {
    pub(crate) fn new(values: ArrayRef) -> Self {
        Self { values }
    }
}

#[pymethods]
impl Column {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        let array = FFI_ArrowArray::new(&self.values.to_data());
        let array = PyCapsule::new_with_value(py, array, ARRAY_CAPSULE_NAME)?;
        Ok((self.__arrow_c_schema__(py)?, array))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.values.data_type());
        PyCapsule::new_with_value(
            py,
            schema.map_err(crate::table::arrow_error)?,
            SCHEMA_CAPSULE_NAME,
        )
    }

    /// Returns the values as a list.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        match self.values.data_type() {
            DataType::Boolean => PyList::new(py, self.values.as_boolean()),
            _ => PyList::new(py, self.values.as_string::<i32>()),
        }
    }

    fn __len__(&self) -> usize {
        self.values.len()
    }

    fn __repr__(&self) -> String {
        let values = match self.values.len() {
            1 => "1 value".to_owned(),
            count => format!("{count} values"),
        };
        format!("<Column: {values} of {}>", self.values.data_type())
    }
}

/// A parameter of a function: one value for all rows, or a value per row.
pub(crate) enum Parameter {
    /// The same value in all rows; `None` if it is null.
    Constant(Option<Text>),
    /// The chunks of a column.
    Column(Vec<ArrayRef>),
}

impl Parameter {
    /// Reads a parameter: bytes, text, `None`, or an object with `__arrow_c_stream__` or
    /// `__arrow_c_array__`.
    pub(crate) fn read(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if value.is_none() {
            return Ok(Self::Constant(None));
        }
        if value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>() {
            return Ok(Self::Constant(Some(value.extract()?)));
        }
        Ok(Self::Column(read_chunks(value, "text", check_type)?))
    }

    /// Returns the number of rows; `None` for a constant.
    pub(crate) fn len(&self) -> Option<usize> {
        match self {
            Self::Constant(_) => None,
            Self::Column(chunks) => Some(chunks.iter().map(|chunk| chunk.len()).sum()),
        }
    }

    /// Returns the value of each of `rows` rows.
    pub(crate) fn values(&self, rows: usize) -> Box<dyn Iterator<Item = Option<&[u8]>> + '_> {
        match self {
            Self::Constant(value) => {
                let value = value.as_ref().map(Text::as_bytes);
                Box::new(std::iter::repeat_n(value, rows))
            }
            Self::Column(chunks) => Box::new(chunks.iter().flat_map(|chunk| chunk_values(chunk))),
        }
    }
}

/// Status codes: one for all rows, or one per row.
pub(crate) enum Statuses {
    Constant(Option<i64>),
    Column(Vec<Option<i64>>),
}

impl Statuses {
    /// Reads a column of numbers, a number, or nothing. A library may have made a column with nulls one of floats.
    pub(crate) fn read(value: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(value) = value else {
            return Ok(Self::Constant(None));
        };
        if value.is_instance_of::<PyInt>() {
            return Ok(Self::Constant(Some(value.extract().unwrap_or(i64::MAX))));
        }
        let mut statuses = Vec::new();
        for chunk in read_chunks(value, "a number", check_number_type)? {
            push_numbers(&mut statuses, &chunk)?;
        }
        Ok(Self::Column(statuses))
    }

    /// Returns the number of rows; `None` for a constant.
    pub(crate) fn len(&self) -> Option<usize> {
        match self {
            Self::Constant(_) => None,
            Self::Column(statuses) => Some(statuses.len()),
        }
    }

    /// Returns the status of each of `rows` rows.
    pub(crate) fn values(&self, rows: usize) -> Box<dyn Iterator<Item = Option<i64>> + '_> {
        match self {
            Self::Constant(status) => Box::new(std::iter::repeat_n(*status, rows)),
            Self::Column(statuses) => Box::new(statuses.iter().copied()),
        }
    }
}

fn check_number_type(data_type: &DataType) -> PyResult<()> {
    if data_type.is_integer() || matches!(data_type, DataType::Float64 | DataType::Null) {
        Ok(())
    } else {
        let text = format!("a column of type {data_type} is not read as status codes");
        Err(error::usage_error(&text, Some("give whole numbers")))
    }
}

/// Appends the numbers of a chunk, whose type was checked. A fraction is an error.
fn push_numbers(numbers: &mut Vec<Option<i64>>, chunk: &ArrayRef) -> PyResult<()> {
    macro_rules! push {
        ($kind:ty) => {
            numbers.extend(
                chunk
                    .as_primitive::<$kind>()
                    .iter()
                    .map(|value| value.map(i64::from)),
            )
        };
    }
    match chunk.data_type() {
        DataType::Int8 => push!(Int8Type),
        DataType::Int16 => push!(Int16Type),
        DataType::Int32 => push!(Int32Type),
        DataType::Int64 => push!(Int64Type),
        DataType::UInt8 => push!(UInt8Type),
        DataType::UInt16 => push!(UInt16Type),
        DataType::UInt32 => push!(UInt32Type),
        DataType::UInt64 => {
            let values = chunk.as_primitive::<UInt64Type>().iter();
            numbers.extend(
                values.map(|value| value.map(|value| value.try_into().unwrap_or(i64::MAX))),
            );
        }
        DataType::Float64 => {
            for value in chunk.as_primitive::<Float64Type>() {
                if let Some(value) = value.filter(|value| value.fract() != 0.0) {
                    let text = format!("there is no status {value}");
                    return Err(error::usage_error(&text, Some("give whole numbers")));
                }
                numbers.push(value.map(|value| value as i64));
            }
        }
        _ => numbers.extend(std::iter::repeat_n(None, chunk.len())),
    }
    Ok(())
}

/// Reads the chunks of a column from an object with `__arrow_c_stream__` or `__arrow_c_array__`. `constant` is what may be
/// given instead of a column, and `check` refuses other types.
fn read_chunks(
    value: &Bound<'_, PyAny>,
    constant: &str,
    check: fn(&DataType) -> PyResult<()>,
) -> PyResult<Vec<ArrayRef>> {
    if value.hasattr("__arrow_c_stream__")? {
        read_stream_chunks(&value.call_method0("__arrow_c_stream__")?, check)
    } else if value.hasattr("__arrow_c_array__")? {
        let array = read_array_capsules(&value.call_method0("__arrow_c_array__")?)?;
        check(array.data_type())?;
        Ok(vec![array])
    } else {
        let kind = value.get_type();
        let text = format!("a column of type '{}' cannot be read", kind.name()?);
        let hint = format!("give {constant}, or a column of a library that exports Arrow");
        Err(error::usage_error(&text, Some(&hint)))
    }
}

/// Takes the stream out of a capsule.
#[expect(unsafe_code, reason = "the C stream interface passes a pointer")]
pub(crate) fn take_stream(capsule: &Bound<'_, PyAny>) -> PyResult<FFI_ArrowArrayStream> {
    let capsule = capsule.cast::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(STREAM_CAPSULE_NAME))?;
    let pointer = pointer.cast::<FFI_ArrowArrayStream>().as_ptr();
    // SAFETY: a capsule of this name points to a stream (Arrow PyCapsule interface). It is moved out,
    // which leaves a released stream in the capsule.
    Ok(unsafe { FFI_ArrowArrayStream::from_raw(pointer) })
}

/// Reads the chunks of a stream of one column.
fn read_stream_chunks(
    capsule: &Bound<'_, PyAny>,
    check: fn(&DataType) -> PyResult<()>,
) -> PyResult<Vec<ArrayRef>> {
    let (py, stream) = (capsule.py(), take_stream(capsule)?);
    let reader = ArrayStreamReader::try_new(stream).map_err(crate::table::arrow_error)?;
    check(reader.field().data_type())?;
    // The stream may be produced by another thread, which waits for the lock of the interpreter.
    let chunks = py.detach(|| reader.collect::<Result<Vec<ArrayRef>, ArrowError>>());
    chunks.map_err(crate::table::arrow_error)
}

/// Reads an array from its two capsules.
#[expect(unsafe_code, reason = "the C data interface passes pointers")]
fn read_array_capsules(capsules: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = capsules.extract()?;
    let schema = schema
        .pointer_checked(Some(SCHEMA_CAPSULE_NAME))?
        .cast::<FFI_ArrowSchema>();
    let array = array
        .pointer_checked(Some(ARRAY_CAPSULE_NAME))?
        .cast::<FFI_ArrowArray>();
    // SAFETY: capsules of these names point to a schema and an array (Arrow PyCapsule interface). The
    // array is moved out, which leaves a released array in the capsule; the schema is only borrowed.
    let data = unsafe { from_ffi(FFI_ArrowArray::from_raw(array.as_ptr()), schema.as_ref()) };
    let data = data.map_err(crate::table::arrow_error)?;
    Ok(make_array(data))
}

fn check_type(data_type: &DataType) -> PyResult<()> {
    let values = match data_type {
        DataType::Dictionary(_, values) => values,
        other => other,
    };
    match values {
        DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::Null => Ok(()),
        DataType::Struct(_) => Err(error::usage_error(
            "a table cannot be read as a column",
            Some("give one of its columns"),
        )),
        other => {
            let text = format!("a column of type {other} cannot be read");
            Err(error::usage_error(&text, Some("give text or bytes")))
        }
    }
}

/// Returns the value of each row of a chunk, whose type was checked.
fn chunk_values(chunk: &ArrayRef) -> Box<dyn Iterator<Item = Option<&[u8]>> + '_> {
    fn bytes(text: Option<&str>) -> Option<&[u8]> {
        text.map(str::as_bytes)
    }
    match chunk.data_type() {
        DataType::Utf8 => Box::new(chunk.as_string::<i32>().iter().map(bytes)),
        DataType::LargeUtf8 => Box::new(chunk.as_string::<i64>().iter().map(bytes)),
        DataType::Utf8View => Box::new(chunk.as_string_view().iter().map(bytes)),
        DataType::Binary => Box::new(chunk.as_binary::<i32>().iter()),
        DataType::LargeBinary => Box::new(chunk.as_binary::<i64>().iter()),
        DataType::BinaryView => Box::new(chunk.as_binary_view().iter()),
        DataType::Dictionary(_, _) => {
            let dictionary = chunk.as_any_dictionary();
            let values: Vec<Option<&[u8]>> = chunk_values(dictionary.values()).collect();
            let keys = dictionary.normalized_keys().into_iter().enumerate();
            Box::new(keys.map(move |(row, key)| {
                let is_valid = dictionary.keys().is_valid(row);
                is_valid.then(|| values[key]).flatten()
            }))
        }
        _ => Box::new(std::iter::repeat_n(None, chunk.len())),
    }
}
