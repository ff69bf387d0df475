//! Fault injection: damage, kills, full disks and hostile bytes. Each kind of fault is injected many
//! times, and its cost is counted.
//!
//! `make campaign` injects all of them, and prints the rows of a table; other runs inject a fiftieth
//! (`docs/developers/testing.md`).

#![expect(clippy::unwrap_used, reason = "a test may panic, and says where")]

mod bodies;
mod damage;
mod disk;
mod inputs;
mod kill;
mod names;
mod packing;
mod repeated;
mod run;

use std::time::Instant;
use support::Random;
use support::series::Series;

/// The result of injecting one kind of fault.
#[derive(Debug, Default)]
struct Tried {
    /// The number of injected faults.
    count: usize,
    /// Their cost, as text.
    lost: String,
}

impl Tried {
    /// Returns the result of a kind that cannot be injected here, with the reason.
    fn not(why: &str) -> Self {
        Self {
            count: 0,
            lost: why.to_owned(),
        }
    }
}

/// Injects faults of one kind and prints the row of the table. Panics if they cost too much.
fn try_kind(name: &str, make: fn(&mut Random, Series) -> Tried) {
    let series = Series::new();
    let began = Instant::now();
    let Tried { count, lost } = make(&mut series.random(0), series);
    println!(
        "\n| {name} | {count} | {lost} | {:.0} |",
        began.elapsed().as_secs_f64()
    );
    assert!(count > 0 || lost.starts_with("not tried"));
}

macro_rules! kinds {
    ($($test:ident: $name:literal, $make:path;)*) => {
        $(#[test]
        fn $test() {
            try_kind($name, $make);
        })*
    };
}

kinds! {
    an_archive_is_truncated: "archive cut short", damage::cut;
    a_bit_is_flipped: "bit flipped", damage::flip;
    bytes_are_inserted: "bytes inserted", damage::insert;
    bytes_are_removed: "bytes removed", damage::remove;
    a_block_is_zeroed: "512 bytes zeroed", damage::zero;
    garbage_lies_between_members: "garbage between members", damage::garbage;
    a_checksum_is_wrong: "gzip checksum or size wrong", damage::checksum;
    a_length_is_wrong: "`Content-Length` wrong, absent, huge", damage::length;
    blank_lines_are_missing: "blank lines missing", damage::blank_lines;
    archives_are_concatenated: "archives concatenated, members without WARC", damage::concatenated;
    many_damaged_archives_make_one_dataset: "damaged archives in one run", damage::dataset;
    a_run_is_killed_at_a_system_call: "killed at a write, sync, rename or open", kill::at_calls;
    a_run_over_records_is_killed: "killed at a call while it reads records by address", kill::at_calls_of_records;
    a_run_over_bodies_is_killed: "killed at a call while it reads tables of bodies", kill::at_calls_of_bodies;
    a_run_that_replaces_a_dataset_is_killed: "killed while it replaces a dataset", kill::replacing;
    a_run_that_writes_one_file_is_killed: "killed while it writes one file", kill::single_file;
    a_run_is_killed_at_any_time: "killed at any time", kill::at_times;
    a_history_is_stopped: "killed, or disk full, while it makes a history", repeated::history;
    a_history_that_gets_a_crawl_is_stopped: "killed, or disk full, while it adds a crawl to a history", repeated::added_crawl;
    a_join_is_stopped: "killed, or disk full, while it joins datasets", repeated::join;
    a_join_that_gets_a_dataset_is_stopped: "killed, or disk full, while it joins another dataset", repeated::added_dataset;
    a_manifest_is_truncated: "manifest cut short", kill::manifest;
    a_run_is_interrupted: "interrupted (SIGINT, SIGTERM)", kill::interrupt;
    two_runs_write_to_one_output: "two runs on one output", kill::two_runs;
    a_disk_is_full: "disk full at a write", disk::full;
    a_disk_is_full_for_records: "disk full while it reads records by address", disk::full_for_records;
    a_disk_is_full_for_bodies: "disk full while it reads tables of bodies", disk::full_for_bodies;
    a_small_disk_is_full: "file system of 1 MiB", disk::small;
    a_disk_operation_fails: "sync, rename or open of an output fails", disk::failing;
    an_output_folder_is_removed: "output folder is removed", disk::vanishing;
    an_input_fails_while_it_is_read: "input fails while it is read", inputs::failing;
    an_input_is_missing: "input missing or not readable", inputs::missing;
    an_input_changes_while_it_is_read: "input grows or shrinks while it is read", inputs::changing;
    a_body_is_hostile: "hostile body or header, of 16 MiB and more", bodies::bodies;
    an_archive_is_a_decompression_bomb: "archive that decompresses to 2 GiB", bodies::bombs;
    a_name_is_hostile: "hostile name, URL, crawl", names::names;
}
