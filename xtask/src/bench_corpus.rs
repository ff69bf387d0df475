//! Builds the archives that `make bench` and `make profile` measure.
//!
//! Usage: `cargo xtask bench-corpus crawl|real-bodies|stress FOLDER BYTES [ARCHIVE…]`. Writes archives of
//! about 1.9 MB, the size in Common Crawl's robots.txt subset, until there are `BYTES` bytes:
//!
//! - `crawl`: generated archives in the proportions of a crawl;
//! - `real-bodies`: the same, but the bodies with status 200 are those of the given archives;
//! - `stress`: mostly successful captures, many of them large, copied from the given archives or generated.

#![expect(clippy::unwrap_used, reason = "a bench may panic, and says where")]

mod bodies;
mod choice;
mod copies;
mod crawl;
mod pages;
mod site;
mod stress;

use copies::RealBodies;
use crawl::Crawl;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The size of an archive of the robots.txt subset in bytes.
const ARCHIVE_BYTES: usize = 1_900_000;
/// The seed of the corpus `crawl`.
const CRAWL_SEED: u64 = 1;

const USAGE: &str = "usage: cargo xtask bench-corpus crawl FOLDER BYTES\n       \
                     cargo xtask bench-corpus real-bodies FOLDER BYTES ARCHIVE…\n       \
                     cargo xtask bench-corpus stress FOLDER BYTES [ARCHIVE…]";

/// Writes generated archives until there are `bytes` bytes.
fn generate(corpus: &mut Corpus<'_>, bytes: usize, mut crawl: Crawl) {
    while corpus.bytes < bytes {
        corpus.archive = crawl.archive(ARCHIVE_BYTES);
        corpus.finish_archive();
    }
}

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
    match (kind.as_str(), archives.is_empty()) {
        ("crawl", true) => generate(&mut corpus, bytes, Crawl::new(CRAWL_SEED)),
        ("real-bodies", false) => {
            let bodies = RealBodies::new(&archives, CRAWL_SEED);
            generate(
                &mut corpus,
                bytes,
                Crawl::with_real_bodies(CRAWL_SEED, bodies),
            );
        }
        ("stress", true) => stress::generate(&mut corpus, bytes),
        ("stress", false) => stress::copies_of(&archives, &mut corpus, bytes),
        _ => return Err(USAGE.into()),
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
        push_member(&mut self.archive, record);
    }

    fn finish_archive(&mut self) {
        let name = format!("BENCH-{:05}.warc.gz", self.made);
        fs::write(self.folder.join(name), &self.archive).unwrap();
        self.made += 1;
        self.bytes += self.archive.len();
        self.archive.clear();
    }
}

/// Appends a record to an archive, as a gzip member.
fn push_member(archive: &mut Vec<u8>, record: &[u8]) {
    let mut encoder = GzEncoder::new(archive, Compression::new(6));
    encoder.write_all(record).unwrap();
    encoder.finish().unwrap();
}
