//! Refusals: 429 and 503, the 403 of a server for which the client is too fast, objects that cannot
//! be fetched, and inputs that fail after `--patience`.

use super::Site;
use super::script::{ALWAYS, Fault, RetryAfter};
use super::server::Request;
use std::net::TcpListener;
use std::thread;
use std::time::Duration;
use support::{Ran, rows};

/// The difference between the time of an event here and in the program.
const TOLERANCE: Duration = Duration::from_millis(50);

fn status(status: u16, retry_after: Option<RetryAfter>, times: usize) -> Fault {
    Fault::Status {
        status,
        retry_after,
        times,
    }
}

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// Asserts that a line reports the beginning of a wait, and one its end.
#[track_caller]
fn assert_wait_is_reported(ran: &Ran) {
    let mut lines = ran.err.lines();
    let is_begin = |line: &str| line.starts_with("warning:") && line.contains("wait");
    assert!(lines.any(is_begin), "{}", ran.err);
    assert!(lines.any(|line| line.contains("continues")), "{}", ran.err);
}

/// Asserts that nothing was requested for a time after each refusal with this status.
#[track_caller]
fn assert_waited(log: &[Request], status: u16, waits: &[Duration]) {
    let is_refused = |request: &&Request| request.status == Some(status);
    let refused: Vec<&Request> = log.iter().filter(is_refused).collect();
    assert_eq!(refused.len(), waits.len(), "{log:?}");
    for (refused, wait) in refused.iter().zip(waits) {
        let next = log.iter().find(|request| request.at > refused.at).unwrap();
        let waited = next.at - refused.at;
        assert!(waited + TOLERANCE >= *wait, "{waited:?} {wait:?}");
    }
}

/// Refuses requests with both statuses, on two servers at the same time.
fn refuse(retry_after: Option<RetryAfter>, waits: &[Duration]) {
    let run = |refusal: u16| {
        let site = Site::small(4);
        site.server
            .script(None, status(refusal, retry_after, waits.len()));
        let ran = site.run(&["--connections", "1"]);
        site.assert_as_local(&ran);
        assert_wait_is_reported(&ran);
        assert_waited(&site.server.log(), refusal, waits);
    };
    thread::scope(|scope| {
        scope.spawn(|| run(429));
        scope.spawn(|| run(503));
    });
}

#[test]
fn retry_after_in_seconds_is_respected() {
    refuse(Some(RetryAfter::Seconds(1)), &[seconds(1.0)]);
}

#[test]
fn retry_after_as_a_date_is_respected() {
    // Dates are whole seconds, so this one is one to two seconds ahead.
    refuse(Some(RetryAfter::Date(seconds(2.0))), &[seconds(1.0)]);
}

/// That further waits double is tested with invented times (`src/remote/pace.rs`).
#[test]
fn a_refusal_without_retry_after_is_waited_for() {
    refuse(None, &[seconds(1.0)]);
}

#[test]
fn all_requests_wait_after_one_was_refused() {
    // Without the wait, the run takes half a second.
    let site = Site::small(32);
    site.server.script(None, Fault::Delay(seconds(0.06)));
    let retry_after = Some(RetryAfter::Seconds(1));
    site.script(5, status(429, retry_after, 1));
    let ran = site.run(&["--connections", "4"]);
    site.assert_as_local(&ran);
    assert_wait_is_reported(&ran);
    let log = site.server.log();
    let refused = log.iter().find(|request| request.status == Some(429));
    let refused = refused.unwrap().at;
    let during = refused..refused + seconds(1.0) - TOLERANCE;
    let during = log.iter().filter(|request| during.contains(&request.at));
    // The refused one, those that were under way, and one more on each of their connections: the client learns of the
    // refusal later than the server logs it.
    assert!(during.count() <= 7);
}

/// Waits are for one server only.
#[test]
fn other_servers_are_not_affected_by_a_refusal() {
    let (site, other) = (Site::small(2), Site::small(14));
    other.server.script(None, Fault::Delay(seconds(0.05)));
    // The first object of a run is requested alone.
    site.script(1, status(503, Some(RetryAfter::Seconds(2)), 1));
    let inputs = [site.urls(), other.urls()[2..].to_vec()].concat();
    let ran = site.scan(&inputs, &[]);
    let locals = [site.locals(), other.locals()[2..].to_vec()].concat();
    site.assert_as(&ran, &locals, &[]);
    let log = site.server.log();
    let refused = log.iter().position(|request| request.status == Some(503));
    let refused = refused.unwrap();
    let wait = log[refused].at..log[refused + 1].at;
    let log = other.server.log();
    assert!(log.iter().any(|request| wait.contains(&request.at)));
}

/// Refuses requests with 403 after some of them, as Common Crawl does to clients that are too fast.
fn refuse_after(archives: usize, requests: usize, connections: &str) {
    let site = Site::small(archives);
    let until_pause = seconds(0.7);
    let refuse_after = Fault::RefuseAfter {
        requests,
        until_pause,
    };
    site.server.script(None, refuse_after);
    site.server.script(None, Fault::Delay(seconds(0.03)));
    // The pause has begun when this one is refused.
    site.script(archives - 1, Fault::Delay(seconds(0.2)));
    let ran = site.run(&["--connections", connections]);
    site.assert_as_local(&ran);
    assert!(rows(&site.out(), "faults").is_empty());
    assert_wait_is_reported(&ran);
    // An object that was delivered before was requested again, and refused too.
    let log = site.server.log();
    let is_probe = |request: &Request| {
        let before = log.iter().filter(|before| before.at < request.at);
        let mut before = before.filter(|before| before.path() == request.path());
        request.status == Some(403) && before.any(|before| before.status == Some(200))
    };
    assert!(log.iter().any(is_probe), "{log:?}");
    let gap = log.windows(2).map(|pair| pair[1].at - pair[0].at).max();
    assert!(gap.unwrap() + TOLERANCE >= seconds(1.0), "{gap:?}");
}

#[test]
fn a_server_that_is_asked_too_fast_is_left_alone_until_it_answers_again() {
    refuse_after(8, 5, "1");
}

/// An object is refused before a pause, and the object that was delivered before is delivered again
/// after the pause. That does not mean that the first one is missing.
#[test]
fn objects_that_are_refused_at_the_same_time_are_not_missing() {
    refuse_after(12, 9, "4");
}

/// One object is refused while others are delivered.
#[test]
fn an_object_that_is_missing_is_named_and_can_be_fetched_later() {
    for refusal in [403, 404, 410] {
        let site = Site::small(3);
        site.script(1, status(refusal, None, ALWAYS));
        let ran = site.run(&["--connections", "1"]);
        site.assert_failed(&ran, 3, &["error: ", "/d/1.warc"]);
        for other in ["/d/0.warc", "/d/2.warc"] {
            assert!(!ran.err.contains(other), "{}", ran.err);
        }
        let log = site.server.log();
        if refusal == 403 {
            let at = site.server.gets("/d/1.warc")[0].at;
            let is_probe = |request: &&Request| request.at > at && request.path() == "/d/0.warc";
            assert!(log.iter().any(|request| is_probe(&request)), "{log:?}");
        }
        site.server.clear_script();
        site.assert_as_local(&site.run(&["--resume"]));
    }
}

#[test]
fn an_object_that_is_missing_can_be_skipped() {
    for refusal in [403, 404, 410] {
        let site = Site::small(3);
        site.script(1, status(refusal, None, ALWAYS));
        let ran = site.run(&["--connections", "1", "--missing", "skip"]);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        let faults = rows(&site.out(), "faults");
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert_eq!(faults[0]["code"], "input_missing");
        assert_eq!(faults[0]["warc_filename"], "1.warc");
        // As if the local copy did not exist.
        std::fs::remove_file(&site.locals()[1]).unwrap();
        site.assert_as(&ran, &site.locals(), &["--missing", "skip"]);
    }
}

/// Credentials are missing or wrong, so nothing else would be answered differently.
#[test]
fn a_server_that_refuses_the_first_request_ends_the_run() {
    for refusal in [401, 403] {
        for missing in ["refuse", "skip"] {
            let site = Site::small(12);
            site.server.script(None, status(refusal, None, ALWAYS));
            let ran = site.run(&["--missing", missing, "--connections", "2"]);
            let (refusal, host) = (refusal.to_string(), site.server.host());
            site.assert_failed(&ran, 3, &["error: ", &refusal, &host]);
            let log = site.server.log();
            assert!(log.len() <= 4, "{log:?}");
        }
    }
}

#[test]
fn an_input_fails_when_the_patience_is_over_and_can_be_resumed() {
    let site = Site::small(3);
    site.script(2, status(503, None, ALWAYS));
    let options = ["--connections", "1", "--part-inputs", "1"];
    let ran = site.run(&[&options[..], &["--patience", "4s"]].concat());
    site.assert_failed(&ran, 3, &["error: ", "/d/2.warc"]);
    site.server.clear_script();
    site.server.clear_log();
    let ran = site.run(&[&options[..], &["--resume"]].concat());
    site.assert_as(&ran, &site.locals(), &["--part-inputs", "1"]);
    // The parts of the others were complete: one byte shows whether they have changed.
    let is_read = |request: &Request| request.range.as_deref() != Some("bytes=0-0");
    let mut log = site.server.log();
    log.retain(is_read);
    assert!(log.iter().all(|request| request.path() == "/d/2.warc"));
    assert!(!log.is_empty());
}

#[test]
fn a_wait_that_is_longer_than_the_patience_fails_the_input() {
    let site = Site::small(2);
    site.script(1, status(429, Some(RetryAfter::Seconds(600)), 1));
    let ran = site.run(&["--connections", "1", "--patience", "4s"]);
    site.assert_failed(&ran, 3, &["/d/1.warc"]);
    site.assert_as_local(&site.run(&["--resume"]));
}

/// The time does not fit into a clock.
#[test]
fn a_wait_for_ever_fails_the_input() {
    let site = Site::small(2);
    let for_ever = Some(RetryAfter::Seconds(u64::MAX));
    site.script(1, status(503, for_ever, ALWAYS));
    let ran = site.run(&["--connections", "1", "--patience", "4s"]);
    site.assert_failed(&ran, 3, &["/d/1.warc", "503"]);
}

/// To find out whether a refusal concerns all objects, the client asks again for one that was
/// delivered. This request has to wait.
#[test]
fn patience_ends_while_another_object_is_asked_for() {
    let site = Site::small(3);
    site.script(1, status(403, None, ALWAYS));
    site.script(2, status(429, Some(RetryAfter::Seconds(600)), ALWAYS));
    let ran = site.run(&["--connections", "2", "--patience", "4s"]);
    site.assert_failed(&ran, 3, &["/d/2.warc"]);
}

/// The object that was delivered has been removed since.
#[test]
fn a_refusal_concerns_one_object_if_the_other_one_is_gone() {
    let site = Site::small(4);
    let path = site.paths[0].clone();
    site.server.script(
        Some(&path),
        Fault::StatusAfter {
            status: 404,
            requests: 1,
        },
    );
    site.script(2, status(403, None, ALWAYS));
    let ran = site.run(&["--connections", "1"]);
    site.assert_failed(&ran, 3, &["/d/2.warc"]);
    assert!(site.server.log().len() < 12, "{:?}", site.server.log());
}

/// A redirect is an answer, but not one of the server that refuses.
#[test]
fn a_server_that_refuses_the_first_request_after_a_redirect_ends_the_run() {
    let (site, other) = (Site::small(12), Site::small(12));
    for (i, url) in other.urls().into_iter().enumerate() {
        site.script(
            i,
            Fault::Redirect {
                to: url,
                status: 302,
            },
        );
    }
    other.server.script(None, status(403, None, ALWAYS));
    let ran = site.run(&["--missing", "skip", "--connections", "2"]);
    site.assert_failed(&ran, 3, &["403", "denied"]);
    assert!(other.server.log().len() <= 4);
}

#[test]
fn a_server_that_is_not_there_fails_the_input() {
    let site = Site::small(1);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    drop(listener);
    let url = format!("http://{host}/d/x.warc");
    let ran = site.scan(&[url], &["--patience", "4s"]);
    site.assert_failed(&ran, 3, &["error: ", &host]);
}
