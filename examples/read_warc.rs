//! Lists the records of a WARC archive: offset, type, length of the block and URL.
//!
//!     cargo run --example read_warc -- data-samples/warc/plain.warc

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use warc::{Limits, Reader};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: read_warc ARCHIVE")?;
    list_records(Path::new(&path), &mut io::stdout().lock())
}

/// Writes a line per record. A damaged record is reported, and reading resumes after it.
pub(crate) fn list_records(path: &Path, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let mut reader = Reader::new(Limits::default());
    reader.open_file(path)?;
    loop {
        match reader.read_record() {
            Ok(true) => {
                let record = reader.record();
                let offset = record.location().offset;
                let record_type = record.record_type().name();
                let bytes = record.content_length();
                let url = String::from_utf8_lossy(record.target_uri().unwrap_or(b"-"));
                writeln!(out, "{offset} {record_type} {bytes} {url}")?;
            }
            Ok(false) => return Ok(()),
            Err(error) => writeln!(out, "damaged: {error}")?,
        }
    }
}
