//! Turns panics of the Parquet reader into errors.

use disk::error::{Error, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Runs a call of the Parquet reader on a file that may hold any bytes, and
/// turns a panic into an error that names the file.
///
/// # Errors
///
/// Those of `call`; [`ErrorKind::Read`] if it panics.
pub fn catch_panic<T>(path: &Path, call: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    // The reader is not used again after a panic.
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| {
        let why = "the Parquet reader panicked: the file is damaged";
        Err(Error::with_source(ErrorKind::Read, path, why))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_that_names_the_file() {
        let path = Path::new("list.parquet");
        let error = catch_panic::<()>(path, || panic!("index out of bounds")).unwrap_err();
        assert_eq!(error.kind(), Some(&ErrorKind::Read));
        assert_eq!(error.path(), path);
        assert_eq!(catch_panic(path, || Ok(1)).unwrap(), 1);
    }
}
