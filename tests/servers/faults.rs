//! Faults of the connection and of single transfers: bodies that are cut, stalled or wrong, objects
//! that change, and a server that is away for a while.

use super::script::{ALWAYS, Fault};
use super::server::{Etags, etag};
use super::{Site, large, sample, wait};
use std::thread;
use std::time::Duration;
use support::rows;

/// The place at which transfers of the large archive are cut.
const CUT: usize = 100_000;

/// Asserts that the large archive was requested, and then the rest of it with its entity tag.
#[track_caller]
fn assert_continued(site: &Site, requests: usize) {
    let gets = site.server.gets(Site::LARGE);
    let statuses: Vec<_> = gets.iter().map(|get| get.status).collect();
    let mut expected = vec![Some(200)];
    expected.resize(requests, Some(206));
    assert_eq!(statuses, expected, "{gets:?}");
    let tag = etag(&large());
    for pair in gets.windows(2) {
        let received = pair[0].first_byte()..=pair[0].first_byte() + CUT;
        assert!(received.contains(&pair[1].first_byte()), "{gets:?}");
        assert!(pair[1].first_byte() > pair[0].first_byte(), "{gets:?}");
        assert_eq!(pair[1].if_match.as_deref(), Some(&*tag));
    }
}

/// Asserts that the large archive was requested from its beginning this many times, and never
/// under a condition.
#[track_caller]
fn assert_begun_again(site: &Site, times: usize) {
    let gets = site.server.gets(Site::LARGE);
    assert_eq!(gets.len(), times, "{gets:?}");
    for get in gets {
        assert_eq!((get.first_byte(), &get.if_match), (0, &None));
    }
}

#[test]
fn a_body_that_is_cut_short_continues_where_it_ended() {
    let site = Site::with_large();
    let (after_bytes, times) = (CUT, 2);
    site.script(1, Fault::Short { after_bytes, times });
    site.assert_as_local(&site.run(&[]));
    assert_continued(&site, 3);
    site.assert_requested_once(&[0, 2]);
}

#[test]
fn a_body_without_a_strong_etag_begins_again() {
    for etags in [Etags::None, Etags::Weak] {
        let site = Site::with_large();
        site.server.set_etags(etags);
        let (after_bytes, times) = (CUT, 1);
        site.script(1, Fault::Short { after_bytes, times });
        site.assert_as_local(&site.run(&[]));
        assert_begun_again(&site, 2);
    }
}

#[test]
fn a_body_whose_connection_is_reset_continues() {
    let site = Site::with_large();
    let (after_bytes, times) = (CUT, 2);
    site.script(1, Fault::Reset { after_bytes, times });
    site.assert_as_local(&site.run(&[]));
    assert_continued(&site, 3);
}

#[test]
fn a_body_that_stalls_continues_on_another_connection() {
    let site = Site::with_large();
    let (after_bytes, times) = (CUT, 1);
    site.script(1, Fault::Stall { after_bytes, times });
    site.assert_as_local(&site.run(&["--patience", "4s"]));
    assert_continued(&site, 2);
    let gets = site.server.gets(Site::LARGE);
    let waited = gets[1].at - gets[0].at;
    assert!(waited >= Duration::from_millis(290), "{waited:?}");
}

#[test]
fn a_body_that_stalls_without_an_etag_begins_again() {
    let site = Site::with_large();
    site.server.set_etags(Etags::None);
    let (after_bytes, times) = (CUT, 1);
    site.script(1, Fault::Stall { after_bytes, times });
    site.assert_as_local(&site.run(&["--patience", "4s"]));
    assert_begun_again(&site, 2);
}

#[test]
fn an_answer_that_is_only_slow_is_not_requested_again() {
    let site = Site::small(2);
    site.server
        .script(None, Fault::Delay(Duration::from_millis(300)));
    site.assert_as_local(&site.run(&["--patience", "20s"]));
    site.assert_requested_once(&[0, 1]);
}

#[test]
fn an_answer_with_another_range_begins_again() {
    let site = Site::with_large();
    let (after_bytes, times) = (CUT, 1);
    site.script(1, Fault::Short { after_bytes, times });
    site.script(1, Fault::WrongRange { times });
    site.assert_as_local(&site.run(&[]));
    let gets = site.server.gets(Site::LARGE);
    assert_eq!(gets.len(), 3, "{gets:?}");
    assert!(gets[1].first_byte() > 0 && gets[2].first_byte() == 0);
}

/// Its length is that of the part, so it would seem to be a truncated archive.
#[test]
fn a_part_that_was_not_requested_is_not_an_archive() {
    let site = Site::with_large();
    let part = Fault::Part {
        bytes: 50_000,
        times: 1,
    };
    site.server.script(Some(Site::LARGE), part);
    site.assert_as_local(&site.run(&[]));
}

#[test]
fn a_server_without_ranges_sends_the_whole_object_again() {
    let site = Site::with_large();
    let (after_bytes, times) = (CUT, 1);
    site.script(1, Fault::Short { after_bytes, times });
    site.script(1, Fault::IgnoreRange);
    site.assert_as_local(&site.run(&[]));
    let gets = site.server.gets(Site::LARGE);
    assert!((2..=3).contains(&gets.len()), "{gets:?}");
    assert!(gets.iter().all(|get| get.status == Some(200)));
}

/// Changes the large archive to other content while it is transferred.
fn change(to: Vec<u8>, etags: Etags) {
    let site = Site::with_large();
    site.server.set_etags(etags);
    let (after_bytes, times, after_requests) = (CUT, 1, 1);
    site.script(1, Fault::Short { after_bytes, times });
    site.put_local(Site::LARGE, &to);
    site.script(1, Fault::Change { to, after_requests });
    // The exit code is 0 and there is no row in `faults`.
    site.assert_as_local(&site.run(&[]));
    let gets = site.server.gets(Site::LARGE);
    let is_conditional = gets.iter().any(|get| get.status == Some(412));
    assert_eq!(is_conditional, etags == Etags::Strong);
    assert_eq!(gets.last().unwrap().first_byte(), 0);
}

#[test]
fn an_object_that_changes_during_its_transfer_is_read_in_its_new_state() {
    let shorter = sample("cc-robotstxt-later.warc.gz");
    let mut longer = large();
    longer.extend(sample("chunked.warc.gz"));
    thread::scope(|scope| {
        for to in [shorter, longer] {
            for etags in [Etags::Strong, Etags::None] {
                let to = to.clone();
                scope.spawn(move || change(to, etags));
            }
        }
    });
}

/// The rest of an object that is shorter than its `Content-Length` cannot be requested: 416.
#[test]
fn an_object_that_is_shorter_than_announced_begins_again() {
    for etags in [Etags::Strong, Etags::None] {
        let site = Site::with_large();
        site.server.set_etags(etags);
        let (extra, times) = (1000, 1);
        site.script(1, Fault::WrongLength { extra, times });
        site.assert_as_local(&site.run(&[]));
        let gets = site.server.gets(Site::LARGE);
        assert_eq!(gets.last().unwrap().status, Some(200), "{gets:?}");
    }
}

#[test]
fn an_object_that_is_longer_than_announced_is_fetched_again() {
    let site = Site::with_large();
    let (extra, times) = (-50_000, 1);
    site.script(1, Fault::WrongLength { extra, times });
    site.assert_as_local(&site.run(&[]));
    assert_begun_again(&site, 2);
}

#[test]
fn an_archive_that_is_truncated_once_is_whole() {
    for etags in [Etags::Strong, Etags::None] {
        let site = Site::with_large();
        site.server.set_etags(etags);
        let (to, after_requests) = (large(), 1);
        site.server.put(Site::LARGE, &to[..CUT]);
        site.script(1, Fault::Change { to, after_requests });
        site.assert_as_local(&site.run(&[]));
        assert_begun_again(&site, 2);
        assert!(rows(&site.out(), "faults").is_empty());
        site.assert_requested_once(&[0, 2]);
    }
}

#[test]
fn an_archive_that_is_truncated_on_the_server_is_fetched_twice() {
    let mut cut = large();
    cut.truncate(CUT);
    for cut in [sample("damaged-cut.warc.gz"), cut] {
        let site = Site::new([
            ("first.warc.gz", sample("chunked.warc.gz")),
            ("large.warc.gz", cut),
            ("last.warc.gz", sample("whole-file.warc.gz")),
        ]);
        let ran = site.run(&[]);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        site.assert_as_local(&ran);
        assert_begun_again(&site, 2);
        site.assert_requested_once(&[0, 2]);
        let faults = rows(&site.out(), "faults");
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert_eq!(faults[0]["code"], "truncated");
        assert_eq!(faults[0]["warc_filename"], "large.warc.gz");
    }
}

#[test]
fn damage_gives_the_faults_of_local_files() {
    let names = [
        "damaged-checksum.warc.gz",
        "damaged-first.warc.gz",
        "damaged-frame.warc.zst",
        "damaged-garbage.warc.gz",
        "damaged-often.warc.gz",
        "damaged-plain.warc",
        "damaged-whole-file.warc.gz",
        "not-an-archive.txt",
        "nothing.warc.gz",
        "per-record-1.1.warc.gz",
    ];
    let site = Site::new(names.map(|name| (name, sample(name))));
    let ran = site.run(&[]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    site.assert_as_local(&ran);
}

/// It would never end: every byte is a new one.
#[test]
fn an_object_that_comes_byte_by_byte_fails() {
    for etags in [Etags::Strong, Etags::None] {
        let site = Site::with_large();
        site.server.set_etags(etags);
        let pause = Duration::from_millis(10);
        site.script(1, Fault::Drip { pause });
        let ran = site.run(&["--patience", "4s"]);
        site.assert_failed(&ran, 3, &["large.warc.gz", "bytes came in time"]);
        site.server.clear_script();
        site.assert_as_local(&site.run(&["--resume"]));
    }
}

#[test]
fn an_object_of_a_terabyte_is_not_fetched() {
    let site = Site::small(3);
    let (extra, times) = (1 << 40, ALWAYS);
    site.script(1, Fault::WrongLength { extra, times });
    let ran = site.run(&[]);
    site.assert_failed(&ran, 3, &["/d/1.warc", "more than 68719476736"]);
    assert_eq!(site.server.gets("/d/1.warc").len(), 1);
    assert!(!ran.err.contains("/d/2.warc"), "{}", ran.err);
}

/// One object is not served well, which says nothing about the others.
#[test]
fn only_the_object_waits_whose_answer_is_not_http() {
    for fault in [Fault::NotHttp { times: 3 }, Fault::NoAnswer { times: 3 }] {
        let site = Site::small(4);
        site.script(2, fault);
        let ran = site.run(&[]);
        site.assert_as_local(&ran);
        assert!(!ran.err.contains("all requests wait"), "{}", ran.err);
        assert_eq!(site.server.gets("/d/2.warc").len(), 4);
    }
}

#[test]
fn a_request_without_an_answer_is_sent_again() {
    let site = Site::small(4);
    site.script(2, Fault::NoAnswer { times: 2 });
    site.assert_as_local(&site.run(&[]));
    assert!(site.server.gets(&site.paths[2]).len() >= 3);
}

#[test]
fn bodies_without_content_length_are_read() {
    let site = Site::with_large();
    site.server.script(None, Fault::Chunked);
    let (after_bytes, times) = (CUT, 1);
    site.script(1, Fault::Short { after_bytes, times });
    site.assert_as_local(&site.run(&[]));
}

/// Some servers declare a gzip file as content that is encoded with gzip. Its bytes are those of
/// the archive.
#[test]
fn content_encoding_is_not_decoded() {
    let site = Site::with_large();
    let (name, value) = ("Content-Encoding", "gzip");
    site.server.script(None, Fault::Header { name, value });
    let (after_bytes, times) = (CUT, 1);
    site.script(1, Fault::Short { after_bytes, times });
    site.assert_as_local(&site.run(&[]));
}

#[test]
fn a_server_that_is_started_again_gives_the_same_tables() {
    let mut site = Site::small(12);
    let time = Duration::from_millis(50);
    site.server.script(None, Fault::Delay(time));
    let run = site.spawn(&site.urls(), &["--connections", "2"]);
    site.server.wait_for(5);
    site.server.stop();
    thread::sleep(Duration::from_millis(300));
    site.server.start_again();
    let ran = wait(run);
    site.assert_as_local(&ran);
    let fetched = |path: &String| !site.server.gets(path).is_empty();
    assert!(site.paths.iter().all(fetched));
}

#[test]
fn a_server_that_is_stopped_during_a_body_gives_the_same_tables() {
    let mut site = Site::with_large();
    let (after_bytes, times) = (CUT, 1);
    site.script(1, Fault::Stall { after_bytes, times });
    let run = site.spawn(&site.urls(), &["--connections", "1"]);
    site.server.wait_for(2);
    thread::sleep(Duration::from_millis(200));
    site.server.stop();
    thread::sleep(Duration::from_millis(100));
    site.server.start_again();
    site.assert_as_local(&wait(run));
}

/// A body that never arrives as a whole fails the input, not the run. Bytes that were received
/// before are no progress.
#[test]
fn an_object_that_is_always_cut_fails_after_the_patience() {
    let (after_bytes, times) = (CUT, ALWAYS);
    let fail = |etags, fault: Option<Fault>| {
        let site = Site::with_large();
        site.server.set_etags(etags);
        site.script(1, Fault::Short { after_bytes, times });
        if let Some(fault) = fault {
            site.script(1, fault);
        }
        let ran = site.run(&["--patience", "4s"]);
        site.assert_failed(&ran, 3, &["large.warc.gz"]);
        site.server.clear_script();
        site.assert_as_local(&site.run(&["--resume"]));
    };
    thread::scope(|scope| {
        scope.spawn(|| fail(Etags::None, None));
        scope.spawn(|| fail(Etags::Strong, Some(Fault::IgnoreRange)));
        scope.spawn(|| fail(Etags::Strong, Some(Fault::WrongRange { times })));
    });
}
