//! Prints the crawlers that a robots.txt file names, and whether each may fetch all, some or no paths.
//!
//!     cargo run --package robotstxt-dialects --example verdict -- data-samples/robots/groups-are-merged.txt

use robotstxt_dialects::{Evaluator, Parser};
use std::error::Error;
use std::fs;
use std::io::{self, Write};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: verdict ROBOTS_TXT")?;
    print_verdicts(&fs::read(path)?, &mut io::stdout().lock())?;
    Ok(())
}

/// Writes a line per crawler; `*` is every crawler that the file does not name.
pub(crate) fn print_verdicts(body: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let mut parser = Parser::new();
    let robots_txt = parser.parse(body);
    for row in Evaluator::new().verdicts(&robots_txt) {
        let agent = String::from_utf8_lossy(row.agent);
        writeln!(out, "{agent}: {}", row.verdict.name())?;
    }
    Ok(())
}
