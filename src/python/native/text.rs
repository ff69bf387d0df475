//! Converts the bodies, names and URLs in arguments to bytes.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyMemoryView, PyString};
use std::borrow::Cow;

/// The bytes of an argument: text, bytes, or any object with the buffer protocol.
///
/// Text is encoded as UTF-8. Its surrogates represent bytes that are not UTF-8, as in the results of
/// `os.fsdecode` and of `bytes.decode("utf-8", "surrogateescape")`. Other objects than `bytes` are copied,
/// because another thread could change them.
pub(crate) enum Text {
    Utf8(PyBackedStr),
    Bytes(PyBackedBytes),
}

impl Text {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Utf8(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }

    /// Returns the text, in which bytes that are not UTF-8 are replaced.
    pub(crate) fn to_str(&self) -> Cow<'_, str> {
        match self {
            Self::Utf8(text) => Cow::Borrowed(text),
            Self::Bytes(bytes) => String::from_utf8_lossy(bytes),
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            return match text.extract() {
                Ok(text) => Ok(Self::Utf8(text)),
                Err(_) => encode_surrogates(&text).map(Self::Bytes),
            };
        }
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.to_owned().into()));
        }
        let Ok(view) = PyMemoryView::from(&object) else {
            let object_type = object.get_type();
            let text = format!("bytes or text are required, not '{}'", object_type.name()?);
            return Err(PyTypeError::new_err(text));
        };
        let bytes = view.call_method0("tobytes")?;
        Ok(Self::Bytes(bytes.cast_into::<PyBytes>()?.into()))
    }
}

/// Returns the bytes of text with surrogates.
fn encode_surrogates(text: &Bound<'_, PyString>) -> PyResult<PyBackedBytes> {
    let bytes = text.call_method1("encode", ("utf-8", "surrogateescape"))?;
    Ok(bytes.cast_into::<PyBytes>()?.into())
}
