//! The rate of requests and the number of connections, according to the log of the server.

use super::Site;
use super::script::Fault;
use std::time::Duration;

/// The pace itself is tested with invented times (`src/remote/pace.rs`).
#[test]
fn redirects_count_for_the_rate() {
    let site = Site::small(12);
    for path in &site.paths {
        let (to, status) = (format!("/to{path}"), 302);
        site.server.put(&to, site.local_bytes(path));
        site.server
            .script(Some(path), Fault::Redirect { to, status });
    }
    site.assert_as_local(&site.run(&["--rate", "20"]));
    let log = site.server.log();
    assert_eq!(log.len(), 24);
    // The rate begins with 10 a second, and requests may arrive later than they were sent.
    let took = log[23].at - log[0].at;
    assert!(took > Duration::from_secs(1), "{took:?}");
}

#[test]
fn no_more_requests_are_under_way_than_connections() {
    for connections in [1, 2, 3] {
        let site = Site::small(8);
        let time = Duration::from_millis(60);
        site.server.script(None, Fault::Delay(time));
        site.assert_as_local(&site.run(&["--connections", &connections.to_string()]));
        let log = site.server.log();
        let most = log.iter().map(|request| request.waiting).max();
        assert_eq!(most, Some(connections));
    }
}
