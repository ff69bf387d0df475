//! Limits on what is read ahead that are smaller than those of the program: runs in this process.

use super::{Site, assert_same_tables, large, sample, tables};
use dataset::OutputLayout;
use dataset::division::PartSize;
use remote::{Rate, Remote, RemoteOptions};
use scan::Options;
use sources::input::{self, InputOptions};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;
use support::files_below;
use tables::Table;

/// Scans the archives of a site with this limit in bytes, and compares the tables with those of the
/// local copies.
fn assert_as_local(site: &Site, read_ahead_bytes: u64, temp_folder: &Path) {
    let remote = RemoteOptions {
        rate: Rate::Unlimited,
        concurrent_tasks: 1,
        max_connections: Some(2),
        read_ahead_bytes,
        patience: Duration::from_secs(20),
        stall_timeout: Duration::from_secs(20),
        temp_folder: temp_folder.to_owned(),
        ca_file: None,
        is_anonymous: true,
    };
    let remote = Arc::new(Remote::start(remote, drop).unwrap());
    let found = input::find_inputs(&InputOptions {
        arguments: site.urls(),
        crawl: Some("C".to_owned()),
        subset: Some("robotstxt".to_owned()),
        remote: Some(Arc::clone(&remote)),
        ..InputOptions::default()
    });
    let found = found.unwrap();
    let options = Options {
        threads: 2,
        part_size: PartSize::Inputs(3),
        listed_inputs: found.listed_inputs,
        list_digest: found.list_digest,
        remote: Some(remote),
        ..Options::new(
            found.inputs,
            OutputLayout::new(&site.out(), &Table::ALL, None),
        )
    };
    let (notices, _received) = channel();
    let done = scan::run(&options, &Arc::default(), &notices, &Arc::default()).unwrap();
    assert_eq!(done.failed_inputs, 0);
    let (local, expected) = site.scan_local(&site.locals(), &["--part-inputs", "3"]);
    assert!(matches!(local.code, Some(0 | 1)), "{}", local.err);
    assert_same_tables(&tables(&site.out()), &tables(&expected));
}

#[test]
fn the_tables_do_not_depend_on_the_parts_that_are_read_ahead() {
    // Several objects that are larger than what is read ahead, and small ones between them.
    let mut site = Site::small(0);
    for i in 0..4 {
        site.add(&format!("/d/large-{i}.warc.gz"), large());
        site.add(&format!("/d/small-{i}.warc"), sample("plain.warc"));
    }
    assert_as_local(&site, 100 << 10, &std::env::temp_dir());
}

#[test]
fn temporary_files_are_removed() {
    let site = Site::with_large();
    let temporary = site.folder.path().join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    assert_as_local(&site, 100 << 10, &temporary);
    assert_eq!(files_below(&temporary).len(), 0);
    let names: Vec<_> = std::fs::read_dir(site.out()).unwrap().collect();
    let is_temporary = |entry: &std::io::Result<std::fs::DirEntry>| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_str().unwrap().starts_with("_tmp")
    };
    assert!(!names.iter().any(is_temporary), "{names:?}");
}
