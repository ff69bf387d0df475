//! Datasets in which rows of tables are changed: `verify` reports each change.

use super::{TestDataset, assert_found, assert_sound, kinds, lines};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, RecordBatch, UInt32Array};
use arrow_select::take::take_record_batch;
use std::fs;
use std::sync::Arc;
use support::{self, files_below, relative};

/// A change of the rows of a table.
type Change = fn(RecordBatch) -> RecordBatch;

/// Returns the rows of a batch with these indices.
fn take(batch: &RecordBatch, rows: impl IntoIterator<Item = usize>) -> RecordBatch {
    let rows = rows.into_iter().map(|row| row as u32);
    take_record_batch(batch, &UInt32Array::from_iter_values(rows)).unwrap()
}

fn with_column(batch: &RecordBatch, name: &str, column: ArrayRef) -> RecordBatch {
    let index = batch.schema().index_of(name).unwrap();
    let mut columns = batch.columns().to_vec();
    columns[index] = column;
    RecordBatch::try_new(batch.schema(), columns).unwrap()
}

/// Replaces the number in a row of a column.
fn with_number(batch: &RecordBatch, name: &str, row: usize, number: i64) -> RecordBatch {
    let column = batch.column_by_name(name).unwrap();
    let column: ArrayRef = match column.as_any().downcast_ref::<Int64Array>() {
        Some(column) => {
            let mut values: Vec<Option<i64>> = column.iter().collect();
            values[row] = Some(number);
            Arc::new(Int64Array::from(values))
        }
        None => {
            let column = column.as_any().downcast_ref::<Int32Array>().unwrap();
            let mut values: Vec<Option<i32>> = column.iter().collect();
            values[row] = Some(number as i32);
            Arc::new(Int32Array::from(values))
        }
    };
    with_column(batch, name, column)
}

fn number(batch: &RecordBatch, name: &str, row: usize) -> Option<i64> {
    let column = batch.column_by_name(name).unwrap();
    if column.is_null(row) {
        return None;
    }
    let any = column.as_any();
    let long = any
        .downcast_ref::<Int64Array>()
        .map(|column| column.value(row));
    long.or_else(|| {
        any.downcast_ref::<Int32Array>()
            .map(|column| column.value(row).into())
    })
}

/// Returns the first row in which the number in a column satisfies a condition.
fn row_with(batch: &RecordBatch, name: &str, is_wanted: impl Fn(i64) -> bool) -> usize {
    let mut rows = 0..batch.num_rows();
    rows.find(|&row| number(batch, name, row).is_some_and(&is_wanted))
        .unwrap()
}

#[test]
fn changed_rows_of_rules_are_found() {
    let change = |change: Change| {
        let dataset = TestDataset::new();
        dataset.rewrite("rules", change);
        dataset.verify()
    };
    assert_sound(&change(|batch| batch));
    let report = change(|batch| take(&batch, [0].into_iter().chain(0..batch.num_rows())));
    assert_found(&report, &[("order", 1)], &["comes after"]);
    // A rule of the first file, repeated at the end.
    let report = change(|batch| take(&batch, (0..batch.num_rows()).chain([0])));
    assert_found(&report, &[("order", 1)], &["after captures that follow it"]);
    let report = change(|batch| with_number(&batch, "robots_id", 0, 7 << 32));
    let found = [("orphan", 1), ("order", 1)];
    assert_found(&report, &found, &["robots_id 30064771072 is not in"]);
    let report = change(|batch| {
        let columns: Vec<usize> = (1..batch.num_columns()).collect();
        batch.project(&columns).unwrap()
    });
    assert_found(&report, &[("columns", 1)], &["`robots_id` should be"]);
    let dataset = TestDataset::new();
    dataset.rewrite_file("rules", &dataset.file("groups"), |batch| batch);
    assert_sound(&dataset.verify());
}

#[test]
fn changed_rows_of_robots_files_are_found() {
    let change = |change: Change| {
        let dataset = TestDataset::new();
        dataset.rewrite("robots_files", change);
        dataset.verify()
    };
    assert_sound(&change(|batch| batch));
    let report = change(|batch| {
        let lost = row_with(&batch, "n_disallow", |rules| rules > 0);
        take(&batch, (0..batch.num_rows()).filter(|row| *row != lost))
    });
    assert!(kinds(&report).iter().all(|kind| kind.0 == "orphan"));
    assert!(lines(&report).contains("is not in robots_files of its part"));
    let report = change(|batch| take(&batch, (0..batch.num_rows()).chain([0])));
    assert_found(&report, &[("twice", 1), ("order", 1)], &["occurs 2 times"]);
    let report = change(|batch| with_number(&batch, "robots_id", 5, 4));
    let found = kinds(&report);
    assert!(
        found.contains(&("order", 1)) && found.contains(&("twice", 1)),
        "{}",
        lines(&report)
    );
}

#[test]
fn changed_rows_of_the_other_tables_are_found() {
    let dataset = TestDataset::new();
    let part = |table: &str| {
        let files = files_below(&dataset.out.join(table));
        let full = files
            .iter()
            .find(|path| !support::rows_of_file(path).is_empty());
        relative(full.unwrap(), &dataset.out)
    };
    // Every change is undone before the next.
    let check = |table: &str, change: Change| {
        let name = part(table);
        let paths = [&name, "_manifest.jsonl", "_SUCCESS"].map(|name| dataset.path(name));
        let before = paths.each_ref().map(|path| fs::read(path).unwrap());
        dataset.rewrite_file(table, &name, change);
        let report = dataset.verify();
        for (path, bytes) in paths.iter().zip(before) {
            fs::write(path, bytes).unwrap();
        }
        report
    };
    let twice = |batch: RecordBatch| take(&batch, [0].into_iter().chain(0..batch.num_rows()));
    let report = check("verdicts", twice);
    assert_found(&report, &[("twice", 1)], &["has the agent"]);
    let report = check("file_preferences", twice);
    assert_found(&report, &[("twice", 1)], &["has the preference"]);
    // Several rows of a host may have one name.
    let last_first = |batch: RecordBatch| {
        let last = batch.num_rows() - 1;
        take(&batch, [last].into_iter().chain(0..last))
    };
    let report = check("host_preferences", last_first);
    assert_found(&report, &[("order", 1)], &["host_preferences"]);
    for table in ["groups", "sitemaps", "directives", "hosts", "host_verdicts"] {
        let report = check(table, twice);
        assert_found(&report, &[("order", 1)], &[table]);
    }
    let other = |batch: RecordBatch| with_number(&batch, "robots_id", 0, 7);
    for table in ["preferences", "anomalies"] {
        assert_found(&check(table, other), &[("orphan", 1)], &[table]);
    }
    let other = |batch: RecordBatch| with_number(&batch, "rules_robots_id", 0, 1 << 50);
    let words = ["names a capture of"];
    assert_found(&check("hosts", other), &[("orphan", 1)], &words);
    assert_sound(&dataset.verify());
}

/// `match` merges the tables in the order of their rows, so it refuses another order, by which it
/// would miss lines.
#[cfg(feature = "answers")]
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
#[cfg(feature = "answers")]
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
