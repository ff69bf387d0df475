//! Developer tools, run as `cargo xtask TOOL`.

mod bench_corpus;
mod record;
mod series;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask TOOL

tools:
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
