//! Exceptions, whose classes are in `robots_scan/_errors.py`.

use crawlers::Refusal;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use robots_scan_cli::CallError;

const ERRORS_MODULE: &str = "robots_scan._errors";

static USAGE_ERROR_CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static STOPPED_ERROR_CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static ERROR_CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// Returns the exception for wrong arguments.
pub(crate) fn usage_error(text: &str, hint: Option<&str>) -> PyErr {
    Python::attach(|py| {
        let class = USAGE_ERROR_CLASS.import(py, ERRORS_MODULE, "UsageError");
        exception_from_class(class, (text, "usage", None::<&str>, hint))
    })
}

/// Returns the exception for an argument that is refused.
pub(crate) fn refused(refusal: Refusal) -> PyErr {
    usage_error(&refusal.text, Some(&refusal.hint))
}

/// Returns the exception for an error of a command.
pub(crate) fn command_error(error: &CallError) -> PyErr {
    Python::attach(|py| {
        let class = match (&*error.kind, error.has_begun) {
            ("usage", _) => USAGE_ERROR_CLASS.import(py, ERRORS_MODULE, "UsageError"),
            (_, true) => STOPPED_ERROR_CLASS.import(py, ERRORS_MODULE, "StoppedError"),
            (_, false) => ERROR_CLASS.import(py, ERRORS_MODULE, "Error"),
        };
        let path = error.path.as_ref().map(|path| path.as_os_str());
        exception_from_class(class, (&error.text, &error.kind, path, &error.hint))
    })
}

fn exception_from_class<'py>(
    class: PyResult<&Bound<'py, PyType>>,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) -> PyErr {
    match class.and_then(|class| class.call1(arguments)) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}
