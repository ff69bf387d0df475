//! Writes the output of commands to standard output.

use anyhow::Result;
use std::fmt;
use std::io::{self, BufWriter, StdoutLock, Write, stdout};

/// Standard output could not be written, for example because a disk is full.
#[derive(Debug)]
pub(crate) struct OutputError(io::Error);

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot write standard output")
    }
}

impl std::error::Error for OutputError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

/// Writes the output of a command to standard output. If the reader of a pipe has closed it early, as `head`
/// does, the rest is dropped without an error.
///
/// # Errors
///
/// [`OutputError`].
pub(crate) fn print(output: impl AsRef<[u8]>) -> Result<()> {
    write(|out| out.write_all(output.as_ref()))
}

/// Writes output of any length to standard output, piece by piece, as [`print`] does.
///
/// # Errors
///
/// [`OutputError`].
pub(crate) fn write(
    write: impl FnOnce(&mut BufWriter<StdoutLock<'static>>) -> io::Result<()>,
) -> Result<()> {
    let mut out = BufWriter::new(stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(OutputError(error).into()),
        _ => Ok(()),
    }
}
