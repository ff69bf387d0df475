//! Developer tools, run as `cargo xtask TOOL`.

mod bench_corpus;
mod series;

use sha1::{Digest, Sha1};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask TOOL

tools:
  bench-corpus crawl FOLDER BYTES           writes archives shaped like a crawl into FOLDER
  bench-corpus real-bodies FOLDER BYTES ARCHIVE…
                                            writes the same with the bodies of given archives
  bench-corpus stress FOLDER BYTES [ARCHIVE…]
                                            writes archives with few redirects and many large files
  series FOLDER CRAWLS HOSTS [SEED [PERCENT [PROGRAM]]]
                                            writes crawls whose changes are known, and the truth about them;
                                            PERCENT of the hosts change their policy between two, and
                                            PROGRAM scans each crawl to a dataset";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let tool = args.next().unwrap_or_default();
    let args: Vec<String> = args.collect();
    let result = match tool.as_str() {
        "bench-corpus" => bench_corpus::run(&args),
        "series" => series::run(&args),
        _ => Err(USAGE.into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns `sha1:` and the digest in base 32.
fn digest(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut out = String::from("sha1:");
    for five in Sha1::digest(bytes).chunks(5) {
        let bits = five.iter().fold(0u64, |bits, &b| bits << 8 | u64::from(b));
        for i in (0..8).rev() {
            out.push(char::from(ALPHABET[(bits >> (i * 5) & 31) as usize]));
        }
    }
    out
}
