//! URLs as inputs: their names, their order, and the options about them.

use super::script::{ALWAYS, Fault};
use super::server::{Etags, Request};
use super::{SOUND, Site, large, sample, tables};
use support::{Ran, assert_refused, command, run};

#[test]
fn the_tables_equal_those_of_local_files() {
    let mut site = Site::new(SOUND.map(|name| (name, sample(name))));
    site.add("/d/large.warc.gz", large());
    site.add("/d/damaged.warc.gz", sample("damaged-checksum.warc.gz"));
    for more in [
        &[][..],
        &["-t", "1"],
        &["-t", "4", "--connections", "1"],
        &["-t", "1", "--connections", "8"],
    ] {
        let ran = site.run(&[more, &["--overwrite"]].concat());
        site.assert_as_local(&ran);
        let ran = run(["verify", site.out().to_str().unwrap()]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    }
}

#[test]
fn local_files_and_urls_are_read_in_their_order() {
    let site = Site::small(6);
    let (urls, locals) = (site.urls(), site.locals());
    let inputs: Vec<String> = (0..6)
        .map(|i| if i % 2 == 0 { &urls[i] } else { &locals[i] })
        .cloned()
        .collect();
    site.assert_as_local(&site.scan(&inputs, &[]));
    assert_eq!(site.server.log().len(), 3);
}

#[test]
fn the_crawl_is_in_the_url_or_in_the_options() {
    let site = Site::small(1);
    let url = &site.urls()[0];
    for more in [
        &[][..],
        &["--crawl", "C"],
        &["--subset", "robotstxt"],
        &["--dry-run"],
    ] {
        let mut command = command();
        command.arg("scan").arg(url).args(more);
        let out = site.out();
        let ran: Ran = command.arg("-o").arg(&out).output().unwrap().into();
        assert_refused(&ran, &["error: ", url, "\nhint: ", "--crawl", "--subset"]);
        assert!(!out.exists());
    }
    assert_eq!(site.server.log().len(), 0, "nothing is requested");
}

#[test]
fn the_path_from_crawl_data_on_is_the_name() {
    let mut site = Site::small(0);
    let folder = "/mirror/crawl-data/CC-MAIN-2025-38/segments/1/robotstxt";
    site.add(&format!("{folder}/a.warc.gz"), sample("chunked.warc.gz"));
    site.add(&format!("{folder}/b.warc"), sample("plain.warc"));
    let scan = |inputs: Vec<String>, out: &str| {
        let out = site.folder.arg(out);
        let mut command = command();
        let command = command.arg("scan").args(inputs).args(["-o", &out]);
        let ran: Ran = command.output().unwrap().into();
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        tables(out.as_ref())
    };
    let made = scan(site.urls(), "remote");
    super::assert_same_tables(&made, &scan(site.locals(), "as-files"));
    let part = "rules/crawl=CC-MAIN-2025-38/subset=robotstxt/part-00000.parquet";
    assert!(made.contains_key(part));
}

#[test]
fn inputs_with_the_same_name_are_refused() {
    let site = Site::small(2);
    let url = |path: &str| site.server.url(path);
    let local = site.locals().swap_remove(0);
    for inputs in [
        [url("/a/x.warc"), url("/b/x.warc")],
        [url("/a/x.warc?version=1"), url("/a/x.warc?version=2")],
        [url("/a/x.warc"), url("/a/x.warc")],
        [local, url("/d/0.warc")],
    ] {
        let ran = site.scan(&inputs, &[]);
        assert_refused(&ran, &["error: ", ".warc", "\nhint: "]);
        assert!(!ran.err.contains("version="), "{}", ran.err);
        assert!(!site.out().exists());
    }
    assert_eq!(site.server.log().len(), 0, "nothing is requested");
}

#[test]
fn a_shard_requests_only_its_own_inputs() {
    let site = Site::small(5);
    let options = ["--shard", "2/2"];
    let ran = site.run(&options);
    site.assert_as(&ran, &site.locals(), &options);
    let log = site.server.log();
    let mut paths: Vec<&str> = log.iter().map(|request| request.path()).collect();
    paths.sort_unstable();
    assert!(
        paths == ["/d/3.warc", "/d/4.warc"] || paths == ["/d/2.warc", "/d/3.warc", "/d/4.warc"]
    );
}

#[test]
fn a_dry_run_requests_no_archive() {
    let site = Site::small(2);
    let ran = site.run(&["--dry-run"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains(&site.urls()[1]), "{}", ran.out);
    assert_eq!(site.server.log().len(), 0);
    assert!(!site.out().exists());
}

/// Scans three archives, of which the last one is missing, so that the parts of the others are
/// finished. Changes the first one, and resumes the run.
fn resume_after(etags: Etags, modified: [&'static str; 2], to: Vec<u8>) -> (Site, Ran) {
    let site = Site::small(3);
    site.server.set_etags(etags);
    let script = |value| {
        let name = "Last-Modified";
        site.server.script(None, Fault::Header { name, value });
    };
    script(modified[0]);
    let (status, retry_after, times) = (404, None, ALWAYS);
    site.script(
        2,
        Fault::Status {
            status,
            retry_after,
            times,
        },
    );
    let ran = site.run(&["--part-inputs", "1"]);
    site.assert_failed(&ran, 3, &["/d/2.warc"]);
    site.server.clear_script();
    script(modified[1]);
    site.server.put("/d/0.warc", to);
    let ran = site.run(&["--part-inputs", "1", "--resume"]);
    (site, ran)
}

const MODIFIED: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

#[test]
fn an_object_that_changed_before_a_run_is_resumed_is_reported() {
    let own = sample(SOUND[0]);
    let mut other = own.clone();
    *other.last_mut().unwrap() ^= 1;
    let other_time = "Sun, 06 Nov 1994 08:49:38 GMT";
    let longer = [own.clone(), sample(SOUND[1])].concat();
    for (etags, time, to, words) in [
        (Etags::Strong, MODIFIED, other.clone(), "version \""),
        (
            Etags::None,
            other_time,
            other.clone(),
            "1994-11-06T08:49:38Z",
        ),
        (Etags::Weak, MODIFIED, longer, "bytes, version 1994"),
    ] {
        let (site, ran) = resume_after(etags, [MODIFIED, time], to);
        let text = "an input was 0.warc (";
        site.assert_failed(&ran, 2, &["cannot be resumed", text, words]);
    }
}

#[test]
fn what_a_server_does_not_state_is_not_compared() {
    let own = sample(SOUND[0]);
    let mut other = own.clone();
    *other.last_mut().unwrap() ^= 1;
    for (etags, times, to) in [
        (Etags::Strong, [MODIFIED, MODIFIED], own.clone()),
        // The entity tag says that it is the same.
        (Etags::Strong, [MODIFIED, "no date"], own),
        (Etags::None, [MODIFIED, "no date"], other),
    ] {
        let (site, ran) = resume_after(etags, times, to);
        site.assert_as(&ran, &site.locals(), &["--part-inputs", "1"]);
    }
}

#[test]
fn of_many_objects_some_are_checked_before_a_run_is_resumed() {
    let site = Site::small(400);
    let (status, retry_after, times) = (404, None, 1);
    site.script(
        399,
        Fault::Status {
            status,
            retry_after,
            times,
        },
    );
    let parts = ["--part-inputs", "100"];
    let ran = site.run(&parts);
    site.assert_failed(&ran, 3, &["/d/399.warc"]);
    site.server.clear_log();
    let ran = site.run(&[&parts[..], &["--resume"]].concat());
    site.assert_as(&ran, &site.locals(), &parts);
    let is_check = |request: &Request| request.range.is_some();
    let (checks, reads): (Vec<_>, Vec<_>) = site.server.log().into_iter().partition(is_check);
    // Every second one of 300.
    assert_eq!((checks.len(), reads.len()), (150, 100));
    // A dataset that is complete is not checked.
    site.server.clear_log();
    let ran = site.run(&[&parts[..], &["--resume"]].concat());
    assert_eq!((ran.code, site.server.log().len()), (Some(0), 0));
}
