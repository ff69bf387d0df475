//! Redirects: how many are followed, and where to.

use super::script::{Fault, basic};
use super::server::Server;
use super::{Site, large, sample};

fn redirect(server: &Server, path: &str, to: &str, status: u16) {
    let to = to.to_owned();
    server.script(Some(path), Fault::Redirect { to, status });
}

/// Creates a site with an archive `/d/0.warc` and redirects from it to `/h1`, `/h2` and so on. The
/// object is at the last of them.
fn chain(redirects: usize) -> Site {
    let site = Site::small(1);
    let statuses = [301, 302, 303, 307, 308];
    let mut from = site.paths[0].clone();
    for (i, status) in (1..=redirects).zip(statuses.into_iter().cycle()) {
        // Locations with and without a host, and with a query.
        let path = format!("/h{i}");
        let to = match i % 3 {
            0 => site.server.url(&path),
            1 => path.clone(),
            _ => format!("h{i}?query={i}"),
        };
        redirect(&site.server, &from, &to, status);
        from = path;
    }
    site.server.put(&from, sample("per-record-1.1.warc.gz"));
    site
}

#[test]
fn five_redirects_are_followed() {
    let site = chain(5);
    // The name of the archive is that of its own URL.
    site.assert_as_local(&site.run(&[]));
    let log = site.server.log();
    let targets: Vec<&str> = log.iter().map(|request| request.target.as_str()).collect();
    let expected = [
        "/d/0.warc",
        "/h1",
        "/h2?query=2",
        "/h3",
        "/h4",
        "/h5?query=5",
    ];
    assert_eq!(targets, expected);
}

#[test]
fn six_redirects_are_refused() {
    let site = chain(6);
    let ran = site.run(&[]);
    site.assert_failed(&ran, 3, &["error: ", "/d/0.warc", "redirect"]);
    assert_eq!(site.server.log().len(), 6);
}

#[test]
fn a_loop_of_redirects_ends() {
    let site = Site::small(2);
    redirect(&site.server, "/d/1.warc", "/loop", 302);
    redirect(&site.server, "/loop", "/d/1.warc", 302);
    let ran = site.run(&[]);
    site.assert_failed(&ran, 3, &["error: ", "/d/1.warc", "redirect"]);
    assert!(site.server.log().len() <= 7);
}

#[test]
fn redirects_to_other_protocols_are_refused() {
    let local = Site::small(1).folder.write("x.warc", sample("plain.warc"));
    let file = format!("file://{local}");
    for to in [&file, "ftp://127.0.0.1/x.warc", "s3://bucket/x.warc"] {
        let site = Site::small(1);
        redirect(&site.server, "/d/0.warc", to, 302);
        let ran = site.run(&["--patience", "4s"]);
        site.assert_failed(&ran, 3, &["error: ", "/d/0.warc"]);
        assert_eq!(site.server.log().len(), 1, "{to}");
    }
}

#[test]
fn a_body_that_was_redirected_continues() {
    let site = Site::with_large();
    let object = "/store/object";
    redirect(&site.server, Site::LARGE, object, 302);
    site.server.put(object, large());
    let (after_bytes, times) = (100_000, 1);
    site.server
        .script(Some(object), Fault::Short { after_bytes, times });
    site.assert_as_local(&site.run(&[]));
    let gets = site.server.gets(object);
    assert_eq!(gets.len(), 2, "{gets:?}");
    assert!(gets[1].first_byte() > 0 && gets[1].if_match.is_some());
}

#[test]
fn credentials_are_sent_to_their_own_host_only() {
    let (user, password) = ("scraper77", "s3cret");
    let credentials = Some(basic(user, password));
    for host in ["127.0.0.1", "localhost"] {
        let (site, other) = (Site::small(3), Server::start());
        site.server
            .script(None, Fault::RequireBasic { user, password });
        // The first archive is here, the second one elsewhere on this server, and the third one on
        // another server.
        redirect(&site.server, "/d/1.warc", "/moved", 302);
        site.server.put("/moved", sample("chunked.warc.gz"));
        let elsewhere = format!("http://{host}:{}/x", other.port());
        redirect(&site.server, "/d/2.warc", &elsewhere, 307);
        other.put("/x", sample("plain.warc"));
        let urls = site.paths.iter();
        let urls: Vec<String> = urls
            .map(|path| format!("http://{user}:{password}@{}{path}", site.server.host()))
            .collect();
        site.assert_as_local(&site.scan(&urls, &[]));
        for request in site.server.log() {
            assert_eq!(request.authorization, credentials, "{request:?}");
        }
        let log = other.log();
        assert_eq!(log.len(), 1, "{log:?}");
        assert_eq!(log[0].authorization, None);
    }
}
