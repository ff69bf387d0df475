//! Reading one table without files: `RowStream`.

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use dataset::OutputLayout;
use scan::{Options, RowStream, ScanProgress};
use sources::input::{self, InputOptions};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use support::archive;
use tables::Table;

/// The number of archives of which only some are read.
const COPIES: u64 = 200;

fn options(archives: Vec<String>, threads: usize) -> Options {
    let found = input::find_inputs(&InputOptions {
        arguments: archives,
        ..InputOptions::default()
    });
    let found = found.unwrap();
    Options {
        threads,
        listed_inputs: found.listed_inputs,
        list_digest: found.list_digest,
        ..Options::new(
            found.inputs,
            OutputLayout::new(Path::new("unused.parquet"), &[Table::RULES], None),
        )
    }
}

/// Starts a reader. The receiver gets the number of faults, or the error, when the run has ended.
fn start(options: Options, table: Table) -> (RowStream, Receiver<Result<u64, String>>) {
    let (sender, ended) = channel();
    let reader = RowStream::start(options, table, Arc::default(), move |result| {
        let faults = result.as_ref().map(|summary| summary.faults);
        let _ = sender.send(faults.map_err(ToString::to_string));
    });
    (reader, ended)
}

fn rows(batches: &[RecordBatch]) -> usize {
    batches.iter().map(RecordBatch::num_rows).sum()
}

#[test]
fn rows_do_not_depend_on_the_number_of_threads() {
    let archives = vec![archive("cc-robotstxt*.warc.gz")];
    let read = |threads| {
        let (reader, ended) = start(options(archives.clone(), threads), Table::RULES);
        let schema = Arc::clone(reader.schema());
        let batches = reader
            .collect::<Result<Vec<RecordBatch>, ArrowError>>()
            .unwrap();
        assert_eq!(ended.recv().unwrap(), Ok(0));
        arrow_select::concat::concat_batches(&schema, &batches).unwrap()
    };
    let one = read(1);
    assert!(one.num_rows() > 100, "{} rows", one.num_rows());
    assert_eq!(one.schema().fields().last().unwrap().name(), "subset");
    assert_eq!(read(4), one);
}

#[test]
fn faults_are_counted_and_do_not_end_the_rows() {
    let damaged = options(vec![archive("damaged-checksum.warc.gz")], 2);
    let (reader, ended) = start(damaged.clone(), Table::ROBOTS_FILES);
    let captures: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
    assert!(rows(&captures) > 0);
    let faults = ended.recv().unwrap().unwrap();
    assert!(faults > 0);
    let (reader, _) = start(damaged, Table::FAULTS);
    let of_table: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
    assert_eq!(rows(&of_table) as u64, faults);
}

#[test]
fn an_archive_that_fails_is_an_error_after_the_rows_before_it() {
    let place = tempfile::tempdir().unwrap();
    let copies: Vec<_> = ["a.warc", "b.warc"]
        .map(|name| place.path().join(name))
        .to_vec();
    for copy in &copies {
        std::fs::copy(archive("plain.warc"), copy).unwrap();
    }
    let names = copies.iter().map(|copy| copy.to_str().unwrap().to_owned());
    let options = options(names.collect(), 1);
    std::fs::remove_file(&copies[1]).unwrap();
    let (reader, ended) = start(options, Table::ROBOTS_FILES);
    let results: Vec<Result<RecordBatch, ArrowError>> = reader.collect();
    let (last, first) = results.split_last().unwrap();
    assert!(first.iter().all(Result::is_ok) && !first.is_empty());
    let error = last.as_ref().unwrap_err().to_string();
    assert!(error.contains("b.warc"), "{error}");
    assert!(ended.recv().unwrap().unwrap_err().contains("b.warc"));
}

#[test]
fn a_reader_that_is_dropped_stops_reading() {
    // The same archive under many names: far more rows than wait to be read.
    let place = tempfile::tempdir().unwrap();
    let names = (0..COPIES).map(|i| {
        let copy = place.path().join(format!("{i}.warc.gz"));
        std::fs::copy(archive("cc-robotstxt.warc.gz"), &copy).unwrap();
        copy.to_str().unwrap().to_owned()
    });
    let names: Vec<String> = names.collect();
    let progress = Arc::new(ScanProgress::default());
    let (sender, ended) = channel();
    let mut reader = RowStream::start(
        options(names, 2),
        Table::ROBOTS_FILES,
        Arc::clone(&progress),
        move |result| {
            let _ = sender.send(result.is_ok());
        },
    );
    assert!(reader.next().unwrap().unwrap().num_rows() > 0);
    // Reading waits when a few batches are ready.
    let end = ended.recv_timeout(Duration::from_millis(500));
    assert!(end.is_err(), "all archives were read ahead");
    let inputs = progress.inputs.load(Ordering::Relaxed);
    assert!(inputs < COPIES / 2, "{inputs} inputs were read ahead");
    drop(reader);
    ended
        .recv_timeout(Duration::from_secs(60))
        .expect("the run ends");
}
