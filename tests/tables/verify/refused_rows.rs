//! `match` refuses datasets whose files are missing or whose rows are in another order, although the manifest states
//! their digests.

use super::TestDataset;
use arrow_array::cast::AsArray;
use arrow_array::{RecordBatch, UInt32Array};
use arrow_select::take::take_record_batch;
use std::fs;

/// A change of the rows of a table.
type Change = fn(RecordBatch) -> RecordBatch;

/// Returns the rows of a batch with these indices.
fn take(batch: &RecordBatch, rows: impl IntoIterator<Item = usize>) -> RecordBatch {
    let rows = rows.into_iter().map(|row| row as u32);
    take_record_batch(batch, &UInt32Array::from_iter_values(rows)).unwrap()
}

/// `match` merges the tables in the order of their rows, so it refuses another order, by which it
/// would miss lines.
#[test]
fn match_refuses_rows_in_another_order_and_missing_rows() {
    let reversed = |batch: RecordBatch| take(&batch, (0..batch.num_rows()).rev());
    let twice = |batch: RecordBatch| take(&batch, [0].into_iter().chain(0..batch.num_rows()));
    let none = |batch: RecordBatch| batch.slice(0, 0);
    let same = |batch: RecordBatch| batch;
    let changes: [(&str, Change); 6] = [
        ("rules", same),
        ("rules", reversed),
        ("rules", twice),
        ("groups", reversed),
        ("groups", twice),
        // A capture that has rules must have rows.
        ("rules", none),
    ];
    for (i, (table, change)) in changes.into_iter().enumerate() {
        let dataset = TestDataset::new();
        let captures = support::columns(&dataset.path(&dataset.file("robots_files")));
        let urls = captures.iter().flat_map(|batch| {
            let urls = batch.column_by_name("url").unwrap().as_string::<i32>();
            urls.iter().flatten().collect::<Vec<_>>()
        });
        let list = dataset.path("../list");
        fs::write(&list, urls.collect::<Vec<_>>().join("\n")).unwrap();
        dataset.rewrite(table, change);
        let matches = dataset.path("../m.csv");
        let [from, list, to] = [&dataset.out, &list, &matches].map(|path| path.to_str().unwrap());
        let ran = support::run([
            "match",
            from,
            "--any-name",
            "-a",
            "x",
            "--urls",
            list,
            "-o",
            to,
        ]);
        if i == 0 {
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            continue;
        }
        assert_eq!((ran.code, matches.exists()), (Some(2), false), "{table}");
        assert!(ran.err.contains("part-00000.parquet"), "{}", ran.err);
        assert!(ran.err.contains(&format!("`{table}`")), "{}", ran.err);
    }
}

/// A scan that was killed may have left files of some tables of a part.
#[test]
fn match_refuses_a_part_without_a_file_before_it_begins() {
    let dataset = TestDataset::new();
    let rules = dataset.path(&dataset.file("rules"));
    fs::remove_file(rules).unwrap();
    let list = dataset.path("../list");
    fs::write(&list, "https://a.example/").unwrap();
    let matches = dataset.path("../m.csv");
    let [from, list, to] = [&dataset.out, &list, &matches].map(|path| path.to_str().unwrap());
    let ran = support::run([
        "match",
        from,
        "--any-name",
        "-a",
        "x",
        "--urls",
        list,
        "-o",
        to,
    ]);
    assert_eq!((ran.code, matches.exists()), (Some(2), false));
    for words in [
        "part-00000.parquet",
        "no file of the table `rules`",
        "--resume",
    ] {
        assert!(ran.err.contains(words), "{}", ran.err);
    }
}
