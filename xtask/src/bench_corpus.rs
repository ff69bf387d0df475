//! Builds the archives that `make bench` and `make profile` measure.
//!
//! Usage: `cargo xtask bench-corpus crawl|real-bodies|stress FOLDER BYTES [ARCHIVE…]`. Writes archives of
//! about 1.9 MB, the size in Common Crawl's robots.txt subset, until there are `BYTES` bytes:
//!
//! - `crawl`: generated archives in the proportions of a crawl;
//! - `real-bodies`: the same, but the bodies with status 200 are those of the given archives;
//! - `stress`: mostly successful captures, many of them large: those of the given archives, or generated ones.

#![expect(clippy::unwrap_used, reason = "a bench may panic, and says where")]

mod bodies;
mod choice;
mod copies;
mod crawl;
mod pages;
mod site;
mod stress;

use bodies::Bodies;
use copies::RealBodies;
use crawl::{Crawl, SuccessBodies};
use inputs::Framing;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// The size of an archive of the robots.txt subset in bytes.
const ARCHIVE_BYTES: usize = 1_900_000;
/// The seed of generated archives.
const CRAWL_SEED: u64 = 1;

const USAGE: &str = "usage: cargo xtask bench-corpus crawl FOLDER BYTES\n       \
                     cargo xtask bench-corpus real-bodies FOLDER BYTES ARCHIVE…\n       \
                     cargo xtask bench-corpus stress FOLDER BYTES [ARCHIVE…]";

/// Runs the tool with its command-line arguments.
pub(crate) fn run(args: &[String]) -> Result<(), Box<dyn Error>> {
    let [kind, folder, bytes, archives @ ..] = args else {
        return Err(USAGE.into());
    };
    let (folder, bytes) = (Path::new(folder), bytes.parse()?);
    let archives: Vec<PathBuf> = archives.iter().map(PathBuf::from).collect();
    fs::create_dir_all(folder)?;
    let mut corpus = Corpus {
        folder,
        made: 0,
        bytes: 0,
        archive: Vec::new(),
    };
    let bodies = match (kind.as_str(), &archives[..]) {
        ("crawl", []) => Some(SuccessBodies::Generated(Bodies::new(CRAWL_SEED))),
        ("real-bodies", [_, ..]) => {
            Some(SuccessBodies::Real(RealBodies::new(&archives, CRAWL_SEED)))
        }
        ("stress", []) => Some(SuccessBodies::Large),
        ("stress", [_, ..]) => None,
        _ => return Err(USAGE.into()),
    };
    match bodies {
        Some(bodies) => {
            let mut crawl = Crawl::new(CRAWL_SEED, bodies);
            while corpus.bytes < bytes {
                corpus.archive = crawl.archive(ARCHIVE_BYTES);
                corpus.finish_archive();
            }
        }
        None => stress::copies_of(&archives, &mut corpus, bytes),
    }
    println!("{} archives, {} bytes", corpus.made, corpus.bytes);
    Ok(())
}

/// The archives being written.
struct Corpus<'a> {
    folder: &'a Path,
    made: u64,
    bytes: usize,
    archive: Vec<u8>,
}

impl Corpus<'_> {
    fn push(&mut self, record: &[u8]) {
        Framing::Gzip.push(&mut self.archive, record);
    }

    fn finish_archive(&mut self) {
        let name = format!("BENCH-{:05}.warc.gz", self.made);
        fs::write(self.folder.join(name), &self.archive).unwrap();
        self.made += 1;
        self.bytes += self.archive.len();
        self.archive.clear();
    }
}
