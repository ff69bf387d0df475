//! Datasets in which rows of tables are changed: `verify` reports each change.

use super::{TestDataset, assert_found, assert_sound, kinds, lines};
use crate::util::{self, files_below, relative};
use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Int32Array, Int64Array, RecordBatch, UInt32Array,
};
use arrow_select::take::take_record_batch;
use std::fs;
use std::sync::Arc;

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
    let report = change(|batch| take(&batch, 1..batch.num_rows()));
    assert_found(&report, &[("count", 1)], &["rules/", "n_disallow is"]);
    let report = change(|batch| take(&batch, [0].into_iter().chain(0..batch.num_rows())));
    assert_found(&report, &[("order", 1), ("count", 1)], &["comes after"]);
    // A rule of the first file, repeated at the end.
    let report = change(|batch| take(&batch, (0..batch.num_rows()).chain([0])));
    assert_found(&report, &[("order", 1)], &["after captures that follow it"]);
    let report = change(|batch| with_number(&batch, "robots_id", 0, 7 << 32));
    assert_found(
        &report,
        &[("orphan", 1), ("count", 1)],
        &["robots_id 30064771072"],
    );
    let report = change(|batch| with_number(&batch, "line_no", 0, 1_000_000));
    let kinds: Vec<_> = kinds(&report).into_iter().map(|(kind, _)| kind).collect();
    assert!(kinds.contains(&"parent"), "{}", lines(&report));
    let report = change(|batch| {
        let columns: Vec<usize> = (1..batch.num_columns()).collect();
        batch.project(&columns).unwrap()
    });
    assert_found(&report, &[("columns", 1)], &["`robots_id` should be"]);
    let dataset = TestDataset::new();
    dataset.rewrite_file("groups", &dataset.file("rules"), |batch| batch);
    assert_found(
        &dataset.verify(),
        &[("maker", 1)],
        &["does not state the table `rules`"],
    );
}

#[test]
fn changed_rows_of_robots_files_are_found() {
    let change = |change: Change| {
        let dataset = TestDataset::new();
        dataset.rewrite("robots_files", change);
        dataset.verify()
    };
    assert_sound(&change(|batch| batch));
    let with_rules = |batch: &RecordBatch| row_with(batch, "n_disallow", |rules| rules > 0);
    let report = change(|batch| {
        let lost = row_with(&batch, "n_disallow", |rules| rules > 0);
        take(&batch, (0..batch.num_rows()).filter(|row| *row != lost))
    });
    let words = [
        "it has 136 rows, but the manifest states 137",
        "is not in robots_files",
    ];
    let found = kinds(&report);
    assert_eq!(
        (found[0], found[1], found[2].0, found.len()),
        (("rows", 1), ("place", 1), "orphan", 3)
    );
    assert!(words.iter().all(|word| lines(&report).contains(word)));
    let report = change(|batch| take(&batch, (0..batch.num_rows()).chain([0])));
    let found = kinds(&report);
    assert!(found.contains(&("rows", 1)) && found.contains(&("twice", 1)));
    assert!(lines(&report).contains("occurs 2 times"));
    let report = change(|batch| with_number(&batch, "n_disallow", 0, 1_000));
    assert!(
        kinds(&report).iter().any(|kind| kind.0 == "count"),
        "{}",
        lines(&report)
    );
    let report = change(|batch| with_number(&batch, "robots_id", 5, 4));
    assert!(kinds(&report).contains(&("place", 2)), "{}", lines(&report));
    let report = change(|batch| {
        let marks = (0..batch.num_rows()).map(|row| Some(row == 5));
        with_column(
            &batch,
            "is_doubtful",
            Arc::new(marks.collect::<BooleanArray>()),
        )
    });
    let words = ["is_doubtful is true, and no row of faults lies at"];
    assert_found(&report, &[("capture", 1)], &words);
    let report = change(|batch| with_number(&batch, "warc_record_length", 0, 1 << 40));
    assert_found(&report, &[("place", 1)], &["is not within"]);
    for count in [
        "n_user_agents",
        "n_groups",
        "n_allow",
        "n_disallow",
        "n_sitemaps",
        "n_directives",
        "n_anomalies",
    ] {
        let dataset = TestDataset::new();
        dataset.rewrite("robots_files", |batch| {
            let row = with_rules(&batch);
            let is = number(&batch, count, row).unwrap();
            with_number(&batch, count, row, is + 1)
        });
        let word = format!("{count} is ");
        assert_found(&dataset.verify(), &[("count", 1)], &[&word]);
    }
}

#[test]
fn changed_rows_of_the_other_tables_are_found() {
    let dataset = TestDataset::new();
    let part = |table: &str| {
        let files = files_below(&dataset.out.join(table));
        let full = files
            .iter()
            .find(|path| !util::rows_of_file(path).is_empty());
        relative(full.unwrap(), &dataset.out)
    };
    // Every change is undone before the next.
    let check = |table: &str, change: Change| {
        let (name, manifest) = (part(table), dataset.path("_manifest.jsonl"));
        let before = (
            fs::read(dataset.path(&name)).unwrap(),
            fs::read(&manifest).unwrap(),
        );
        dataset.rewrite_file(table, &name, change);
        let report = dataset.verify();
        fs::write(dataset.path(&name), before.0).unwrap();
        fs::write(manifest, before.1).unwrap();
        report
    };
    let beyond = |batch: RecordBatch| with_number(&batch, "warc_record_offset", 0, 1 << 40);
    assert_found(
        &check("faults", beyond),
        &[("fault", 1)],
        &["are not within"],
    );
    let wide = |batch: RecordBatch| with_number(&batch, "bytes_skipped", 0, -1);
    assert_found(&check("faults", wide), &[("fault", 1)], &["-1 bytes"]);
    let lost = |batch: RecordBatch| take(&batch, 1..batch.num_rows());
    assert_found(
        &check("faults", lost),
        &[("rows", 1)],
        &["the manifest states"],
    );
    for (name, value) in [
        ("captures", 5),
        ("faults", 500),
        ("input_bytes", 5),
        ("part", 77),
    ] {
        let file = part("runs");
        let manifest = fs::read(dataset.path("_manifest.jsonl")).unwrap();
        let bytes = fs::read(dataset.path(&file)).unwrap();
        dataset.rewrite_file("runs", &file, |batch| with_number(&batch, name, 0, value));
        let report = dataset.verify();
        fs::write(dataset.path(&file), bytes).unwrap();
        fs::write(dataset.path("_manifest.jsonl"), manifest).unwrap();
        assert_found(&report, &[("runs", 1)], &[&format!("`{name}` is {value}")]);
    }
    let twice = |batch: RecordBatch| take(&batch, [0].into_iter().chain(0..batch.num_rows()));
    assert_found(
        &check("runs", twice),
        &[("rows", 1)],
        &["the manifest states 1"],
    );
    let report = check("verdicts", twice);
    assert!(kinds(&report).contains(&("twice", 1)), "{}", lines(&report));
    for table in ["groups", "sitemaps", "directives"] {
        let report = check(table, twice);
        assert!(kinds(&report).contains(&("order", 1)), "{}", lines(&report));
        assert!(
            kinds(&report).iter().any(|kind| kind.0 == "count"),
            "{table}"
        );
    }
    assert_found(&check("anomalies", lost), &[("count", 1)], &["n_anomalies"]);
    let other = |batch: RecordBatch| with_number(&batch, "robots_id", 0, 7);
    assert_found(
        &check("preferences", other),
        &[("orphan", 1)],
        &["preferences/"],
    );
    // The row of the first file for `*` is missing.
    let report = check("verdicts", lost);
    assert!(
        kinds(&report).iter().any(|kind| kind.0 == "count"),
        "{}",
        lines(&report)
    );
    assert_sound(&dataset.verify());
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
        let captures = util::columns(&dataset.path(&dataset.file("robots_files")));
        let urls = captures.iter().flat_map(|batch| {
            let urls = batch.column_by_name("url").unwrap().as_string::<i32>();
            urls.iter().flatten().collect::<Vec<_>>()
        });
        let list = dataset.path("../list");
        fs::write(&list, urls.collect::<Vec<_>>().join("\n")).unwrap();
        dataset.rewrite(table, change);
        let matches = dataset.path("../m.csv");
        let [from, list, to] = [&dataset.out, &list, &matches].map(|path| path.to_str().unwrap());
        let ran = util::run(["match", from, "-a", "x", "--urls", list, "-o", to]);
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
    let ran = util::run(["match", from, "-a", "x", "--urls", list, "-o", to]);
    assert_eq!((ran.code, matches.exists()), (Some(2), false));
    for words in [
        "part-00000.parquet",
        "no file of the table `rules`",
        "--resume",
    ] {
        assert!(ran.err.contains(words), "{}", ran.err);
    }
}
