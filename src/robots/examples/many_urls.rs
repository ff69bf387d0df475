//! Decides which of many URLs a crawler may fetch. The rules are compiled once, for all URLs of a host.
//!
//!     cargo run --package robotstxt-dialects --example many_urls -- data-samples/robots/query.txt GPTBot < urls.txt

use robotstxt_dialects::{Dialect, Parser, Policy};
use std::error::Error;
use std::fs;
use std::io::{self, BufRead, Write};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, path, crawler] = &args[..] else {
        return Err("usage: many_urls ROBOTS_TXT CRAWLER < URLS".into());
    };
    let mut out = io::stdout().lock();
    decide(&fs::read(path)?, crawler, io::stdin().lock(), &mut out)?;
    Ok(())
}

/// Writes a line per URL: whether the crawler may fetch it, and the line of the rule that decides.
pub(crate) fn decide(
    body: &[u8],
    crawler: &str,
    urls: impl BufRead,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut parser = Parser::new();
    let policy = Policy::new(Dialect::Rfc9309, &parser.parse(body), crawler.as_bytes());
    for url in urls.lines() {
        let url = url?;
        let access = policy.access(url.as_bytes());
        let decision = ["disallow", "allow"][usize::from(access.is_allowed)];
        let line = access.line_no.map_or("-".to_owned(), |no| no.to_string());
        writeln!(out, "{decision} line {line} {url}")?;
    }
    Ok(())
}
