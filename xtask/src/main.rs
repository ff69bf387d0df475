//! Developer tools, run as `cargo xtask TOOL`.

mod bench_corpus;
mod samples;
mod series;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask TOOL

tools:
  samples [FOLDER]                          writes the sample files into data-samples, or into FOLDER
  bench-corpus [crawl] FOLDER BYTES         writes archives shaped like a crawl into FOLDER
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
        "samples" => write_samples(&args),
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

fn write_samples(args: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let folder = match args.first() {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../data-samples"),
    };
    Ok(samples::write_all(&folder)?)
}
