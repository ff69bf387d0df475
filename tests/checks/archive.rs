//! Checks that the tables of any archive are consistent.

use super::packing::pack;
use super::reading::{Event, IN_ONE_CALL, with_readers};
use super::{shown, sum_of};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use dataset::OutputLayout;
use dataset::division::PartSize;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use scan::{Options, ScanProgress, ScanSummary, run};
use sources::InputPlace;
use sources::input::Input;
use sources::reader::Archive;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use tables::Table;
use warc::{Integrity, RecordType};

/// Tables whose rows belong to a capture.
const CHILDREN: [&str; 7] = [
    "groups",
    "rules",
    "sitemaps",
    "directives",
    "preferences",
    "anomalies",
    "verdicts",
];

/// Checks the tables of the archive that `packing.rs` builds from `data`.
pub fn check(data: &[u8]) {
    let bytes = pack(data);
    let sum = sum_of(data);
    // In memory if possible, because every file is synced.
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    };
    let folder = folder.expect("a temporary folder can be made");
    let out = folder.path().join("out");
    let (events, summary) = with_readers(&bytes, |readers| {
        let read = readers.read_file(IN_ONE_CALL);
        // A refused input is one fault over all of it.
        let events = read.map(|(events, _)| events);
        (events, write(readers.path(), &bytes, &out, sum))
    });
    let of = || shown(&bytes);
    let (mut records_read, mut faults, mut records) = (Vec::new(), Vec::new(), 0);
    match events {
        Err(code) => faults.push((0, bytes.len() as i64, code.to_owned())),
        Ok(events) => {
            for event in events {
                match event {
                    Event::Fault(fault) => {
                        faults.push((
                            fault.offset as i64,
                            fault.bytes_skipped as i64,
                            fault.code.to_owned(),
                        ));
                    }
                    Event::Record(record) => {
                        records += 1;
                        records_read.push((record.location, record.record_type, record.integrity));
                    }
                }
            }
        }
    }
    let written = Rows::read(&out, "faults");
    let written = (0..written.len).map(|row| {
        (
            written.number("warc_record_offset", row),
            written.number("bytes_skipped", row),
            written.text("code", row),
        )
    });
    let (mismatches, written): (Vec<_>, Vec<_>) = written
        .map(|(offset, skipped, code)| {
            (
                offset.unwrap_or(-1),
                skipped.unwrap_or(-1),
                code.unwrap_or(""),
            )
        })
        .map(|(offset, skipped, code)| (offset, skipped, code.to_owned()))
        .partition(|(_, _, code)| code == "digest_mismatch");
    assert_eq!(written, faults, "faults of {}", of());
    // Digests are compared only for records that were returned.
    let mismatches: HashSet<i64> = mismatches.into_iter().map(|(offset, ..)| offset).collect();
    let n_faults = Rows::read(&out, "faults").len;
    let captures = Rows::read(&out, "robots_files");
    let runs = Rows::read(&out, "runs");
    assert_eq!(runs.len, 1, "{}", of());
    let counted = ["inputs", "input_bytes", "records", "captures", "faults"];
    let counted = counted.map(|name| runs.number(name, 0).unwrap_or(-1));
    let expected = [
        1,
        bytes.len() as i64,
        records,
        captures.len as i64,
        n_faults as i64,
    ];
    assert_eq!(counted, expected, "{}", of());
    let summed = [
        summary.inputs,
        summary.bytes,
        summary.records,
        summary.captures,
        summary.faults,
    ];
    let summed = summed.map(|count| count as i64);
    assert_eq!(summed, expected, "{}", of());
    // Captures are records of three types, in their order. Every response and every revisit of the robots.txt subset
    // is one.
    let mut taken = 0;
    for (location, kind, integrity) in records_read {
        let is_next = taken < captures.len
            && captures.number("warc_record_offset", taken) == Some(location.offset as i64)
            && captures.number("warc_record_in_member", taken)
                == Some(i64::from(location.index_in_member));
        if is_next {
            let length = captures.number("warc_record_length", taken);
            assert_eq!(
                length,
                location.length.map(|length| length as i64),
                "{}",
                of()
            );
            let may = matches!(
                kind,
                RecordType::Response | RecordType::Resource | RecordType::Revisit
            );
            assert!(may, "{kind:?} in {}", of());
            let mark = captures.is_true("is_doubtful", taken);
            let has_mismatch = mismatches.contains(&(location.offset as i64));
            let may_be = match integrity {
                Integrity::Damaged => vec![Some(true)],
                Integrity::Unknown => vec![None, Some(true)],
                Integrity::Verified | Integrity::Unguarded => vec![Some(false), Some(true)],
            };
            assert!(
                may_be.contains(&mark),
                "{location:?} is {mark:?} in {}",
                of()
            );
            let is_explained =
                mark != Some(true) || integrity == Integrity::Damaged || has_mismatch;
            assert!(is_explained, "{location:?} is doubtful in {}", of());
            taken += 1;
        } else {
            let must =
                matches!(kind, RecordType::Response | RecordType::Revisit) && is_robots_subset(sum);
            assert!(!must, "{location:?} is missing in {}", of());
        }
    }
    assert_eq!(
        taken,
        captures.len,
        "captures that are not records: {}",
        of()
    );
    assert_children(&captures, &out, &bytes);
}

fn is_robots_subset(sum: u32) -> bool {
    sum & 1 == 0
}

/// Scans one file.
fn write(path: &Path, bytes: &[u8], out: &Path, sum: u32) -> ScanSummary {
    let subset = if is_robots_subset(sum) {
        "robotstxt"
    } else {
        "warc"
    };
    let options = Options {
        body_limit: (sum & 2 == 0).then_some(u64::from(sum >> 8) % 1000),
        max_body_bytes: if sum & 4 == 0 {
            1 << 20
        } else {
            (sum >> 6) as usize % 500
        },
        with_bodies: sum & 8 == 0,
        verify_digests: sum & 16 == 0,
        part_size: PartSize::Bytes(1 << 30),
        ..Options::new(
            vec![Input {
                index: 0,
                source: std::sync::Arc::new(Archive {
                    place: InputPlace::File(path.to_owned()),
                }),
                name: "input".to_owned(),
                bytes: Some(bytes.len() as u64),
                crawl: "CRAWL".to_owned(),
                subset: subset.to_owned(),
            }],
            OutputLayout::new(out, &Table::ALL, None),
        )
    };
    let (sender, notices) = std::sync::mpsc::channel();
    let ran = run(
        &options,
        &ScanProgress::default(),
        &sender,
        &Default::default(),
    );
    drop(sender);
    let summary = ran.unwrap_or_else(|error| panic!("{error}: {}", shown(bytes)));
    assert_eq!(summary.failed_inputs, 0, "{}", shown(bytes));
    assert_eq!(
        notices.iter().count() as u64,
        summary.faults,
        "{}",
        shown(bytes)
    );
    summary
}

/// The rows of a table, read from its files.
struct Rows {
    batches: Vec<RecordBatch>,
    len: usize,
}

impl Rows {
    /// Reads all files of a table. The Parquet reader checks that texts are UTF-8.
    fn read(dataset: &Path, table: &str) -> Self {
        let mut batches = Vec::new();
        for path in files(&dataset.join(table)) {
            let file = File::open(&path).expect("a file of the dataset can be opened");
            let reader =
                ParquetRecordBatchReaderBuilder::try_new(file).and_then(|builder| builder.build());
            let reader = reader.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            batches.extend(
                reader.map(|batch| batch.unwrap_or_else(|error| panic!("{table}: {error}"))),
            );
        }
        let len = batches.iter().map(RecordBatch::num_rows).sum();
        Self { batches, len }
    }

    fn cell(&self, name: &str, mut row: usize) -> Option<(&dyn Array, usize)> {
        for batch in &self.batches {
            if row < batch.num_rows() {
                let column = batch.column_by_name(name);
                let column = column.unwrap_or_else(|| panic!("there is no column {name}"));
                return column.is_valid(row).then_some((column.as_ref(), row));
            }
            row -= batch.num_rows();
        }
        panic!("there is no such row of {name}")
    }

    fn number(&self, name: &str, row: usize) -> Option<i64> {
        let (column, row) = self.cell(name, row)?;
        Some(match column.data_type() {
            DataType::Int32 => column.as_primitive::<Int32Type>().value(row).into(),
            _ => column.as_primitive::<Int64Type>().value(row),
        })
    }

    fn text(&self, name: &str, row: usize) -> Option<&str> {
        let (column, row) = self.cell(name, row)?;
        Some(column.as_string::<i32>().value(row))
    }

    fn is_true(&self, name: &str, row: usize) -> Option<bool> {
        let (column, row) = self.cell(name, row)?;
        Some(column.as_boolean().value(row))
    }
}

/// Returns all files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("a folder of the dataset can be read").path();
        if path.is_dir() {
            found.extend(files(&path))
        } else {
            found.push(path)
        }
    }
    found.sort();
    found
}

/// Asserts that keys are unique, that each row of the other tables has a capture and is in the order
/// of the captures, and that the counts of the captures are correct.
fn assert_children(captures: &Rows, out: &Path, bytes: &[u8]) {
    let mut nth_of = HashMap::new();
    for row in 0..captures.len {
        let id = captures.number("robots_id", row);
        let before = nth_of.insert(id.expect("a key is never null"), row);
        assert_eq!(before, None, "the key of row {row} of {}", shown(bytes));
    }
    // The number of rows of each capture, by table.
    let mut counts: HashMap<&str, Vec<i64>> = HashMap::new();
    for table in CHILDREN {
        let rows = Rows::read(out, table);
        let of = |row: usize| format!("row {row} of {table}, of {}", shown(bytes));
        let mut count = vec![0; captures.len];
        let mut last = 0;
        for row in 0..rows.len {
            let id = rows.number("robots_id", row).expect("a key is never null");
            let Some(&nth) = nth_of.get(&id) else {
                panic!("no capture has {}", of(row));
            };
            assert!(nth >= last, "{}", of(row));
            last = nth;
            count[nth] += 1;
            let column = if table == "verdicts" {
                "evidence_line"
            } else {
                "line_no"
            };
            if let Some(line) = rows.number(column, row) {
                let lines = captures.number("n_lines", nth).unwrap_or(0);
                assert!((1..=lines).contains(&line), "{}", of(row));
            }
        }
        match table {
            "groups" => assert_groups(&rows, captures, &nth_of, bytes),
            "rules" => assert_rules(&rows, captures, &nth_of, bytes),
            "verdicts" => assert_verdicts(&rows, out, &nth_of, bytes),
            _ => {}
        }
        counts.insert(table, count);
    }
    for (table, column) in [
        ("groups", "n_user_agents"),
        ("sitemaps", "n_sitemaps"),
        ("directives", "n_directives"),
        ("anomalies", "n_anomalies"),
    ] {
        for (row, &count) in counts[table].iter().enumerate() {
            let mut stated = captures.number(column, row).unwrap_or(0);
            let class = captures.text("content_class", row);
            if table == "directives" && matches!(class, Some("html" | "binary")) {
                stated = 0;
            }
            assert_eq!(count, stated, "{column} of {row} of {}", shown(bytes));
        }
    }
}

fn assert_groups(rows: &Rows, captures: &Rows, nth_of: &HashMap<i64, usize>, bytes: &[u8]) {
    let mut last = vec![(0, 0); captures.len];
    for row in 0..rows.len {
        let of = || format!("row {row} of groups, of {}", shown(bytes));
        let nth = nth_of[&rows.number("robots_id", row).unwrap_or(0)];
        let numbers = ["group_no", "agent_no"].map(|name| rows.number(name, row).unwrap_or(0));
        let follows = match last[nth] {
            (group, agent) if group == numbers[0] => numbers[1] == agent + 1,
            (group, _) => numbers == [group + 1, 1],
        };
        assert!(follows, "{numbers:?} behind {:?}, {}", last[nth], of());
        last[nth] = (numbers[0], numbers[1]);
    }
    for (nth, (groups, _)) in last.into_iter().enumerate() {
        let stated = captures.number("n_groups", nth).unwrap_or(0);
        assert_eq!(groups, stated, "groups of {nth} of {}", shown(bytes));
    }
}

fn assert_rules(rows: &Rows, captures: &Rows, nth_of: &HashMap<i64, usize>, bytes: &[u8]) {
    let (mut allow, mut disallow) = (vec![0; captures.len], vec![0; captures.len]);
    for row in 0..rows.len {
        let of = || format!("row {row} of rules, of {}", shown(bytes));
        let nth = nth_of[&rows.number("robots_id", row).unwrap_or(0)];
        allow[nth] += i64::from(rows.is_true("allow", row) == Some(true));
        disallow[nth] += i64::from(rows.is_true("allow", row) == Some(false));
        let path = rows.text("path", row).unwrap_or_default();
        assert!(path.is_ascii(), "{}", of());
        assert_ne!(rows.text("path_raw", row), Some(path), "{}", of());
    }
    for (column, counts) in [("n_allow", allow), ("n_disallow", disallow)] {
        for (nth, count) in counts.into_iter().enumerate() {
            let stated = captures.number(column, nth).unwrap_or(0);
            assert_eq!(count, stated, "{column} of {nth} of {}", shown(bytes));
        }
    }
}

/// Asserts that every capture has one verdict for `*` and one for each agent of a line that counts.
fn assert_verdicts(rows: &Rows, out: &Path, nth_of: &HashMap<i64, usize>, bytes: &[u8]) {
    let (mut names, mut default_verdicts) = (HashSet::new(), 0);
    for row in 0..rows.len {
        let of = || format!("row {row} of verdicts, of {}", shown(bytes));
        let agent = rows.text("agent", row).expect("a name is never null");
        let id = rows.number("robots_id", row);
        assert!(names.insert((id, agent)), "{agent} has two: {}", of());
        default_verdicts += usize::from(agent == "*");
    }
    assert_eq!(default_verdicts, nth_of.len(), "{}", shown(bytes));
    let groups = Rows::read(out, "groups");
    for row in 0..groups.len {
        let of = || format!("row {row} of groups, of {}", shown(bytes));
        let id = groups.number("robots_id", row);
        if groups.is_true("counts", row) == Some(false) {
            continue;
        }
        let name = groups.text("agent", row).expect("a name is never null");
        let is_token = |byte: &u8| byte.is_ascii_lowercase() || b"_-".contains(byte);
        let len = name.bytes().take_while(is_token).count();
        let token = if name == "*" { name } else { &name[..len] };
        for name in [name, token] {
            let has_verdict = name.is_empty() || names.contains(&(id, name));
            assert!(has_verdict, "{name} has no verdict: {}", of());
        }
    }
}
