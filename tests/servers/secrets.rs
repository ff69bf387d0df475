//! Credentials, queries and fragments of URLs are sent to the server and appear nowhere else.

use super::Site;
use super::script::{ALWAYS, Fault, RetryAfter, basic};
use std::fs;
use support::{Ran, files_below, rows_of_file};

const USER: &str = "scraper77";
const PASSWORD: &str = "s3cret";

/// Parts of URLs that must not appear.
const SECRETS: [&str; 4] = [USER, PASSWORD, "Tok3n", "fragm3nt"];

/// Returns the URLs of all archives with secrets.
fn urls(site: &Site) -> Vec<String> {
    let host = site.server.host();
    let url = |path| format!("http://{USER}:{PASSWORD}@{host}{path}?sig=Tok3n#fragm3nt");
    site.paths.iter().map(url).collect()
}

/// Asserts that neither the output of a run nor any file in its dataset contains a secret.
#[track_caller]
fn assert_no_secret(site: &Site, ran: &Ran) {
    let encoded = basic(USER, PASSWORD).replace("Basic ", "");
    let secrets = SECRETS.into_iter().chain([encoded.as_str()]);
    let mut texts = vec![ran.out.clone(), ran.err.clone()];
    for path in files_below(&site.out()) {
        texts.push(path.to_str().unwrap().to_owned());
        texts.push(String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned());
        // Columns are compressed.
        if path.extension().is_some_and(|end| end == "parquet") {
            let rows = rows_of_file(&path).into_iter();
            texts.extend(rows.map(|row| row.to_string()));
        }
    }
    for secret in secrets {
        for text in &texts {
            assert!(!text.contains(secret), "{secret} is in: {text}");
        }
    }
}

fn site() -> Site {
    let site = Site::small(3);
    let (user, password) = (USER, PASSWORD);
    site.server
        .script(None, Fault::RequireBasic { user, password });
    site
}

#[test]
fn a_dataset_has_no_secrets_of_its_urls() {
    for more in [&[][..], &["--json"], &["--quiet"]] {
        let site = site();
        let ran = site.scan(&urls(&site), more);
        site.assert_as_local(&ran);
        assert_no_secret(&site, &ran);
        for request in site.server.log() {
            assert_eq!(request.target, format!("{}?sig=Tok3n", request.path()));
            assert_eq!(request.authorization, Some(basic(USER, PASSWORD)));
        }
    }
}

#[test]
fn messages_have_no_secrets_of_urls() {
    let status = |status, retry_after, times| Fault::Status {
        status,
        retry_after,
        times,
    };
    for (fault, code) in [
        (status(404, None, ALWAYS), 3),
        (status(403, None, ALWAYS), 3),
        (status(503, None, ALWAYS), 3),
        (status(429, Some(RetryAfter::Seconds(1)), 1), 0),
        (
            Fault::Redirect {
                to: "/d/1.warc?sig=Tok3n".to_owned(),
                status: 302,
            },
            3,
        ),
    ] {
        let site = site();
        site.script(1, fault);
        let patience = if code == 0 { "1h" } else { "500ms" };
        let ran = site.scan(&urls(&site), &["--patience", patience]);
        assert_eq!(ran.code, Some(code), "{}", ran.err);
        assert_no_secret(&site, &ran);
    }
    // Skipped.
    let site = site();
    site.script(1, status(404, None, ALWAYS));
    let ran = site.scan(&urls(&site), &["--missing", "skip"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_no_secret(&site, &ran);
    // A wrong password.
    let mut wrong = urls(&site);
    for url in &mut wrong {
        *url = url.replace("s3cret@", "s3cret2@");
    }
    let ran = site.scan(&wrong, &["--overwrite"]);
    site.assert_failed(&ran, 3, &["401"]);
    assert_no_secret(&site, &ran);
}

#[test]
fn refused_inputs_are_named_without_secrets() {
    let site = site();
    let urls = urls(&site);
    let twice = [urls[0].clone(), urls[0].clone()];
    for (inputs, more) in [
        (&urls[..], &["--dry-run"][..]),
        (&urls, &["--dry-run", "--json"]),
        (&twice, &[]),
        (&urls, &["--crawl", ""]),
    ] {
        let ran = site.scan(inputs, more);
        assert_no_secret(&site, &ran);
        assert_eq!(site.server.log().len(), 0);
    }
    // Neither crawl nor subset is known.
    let mut command = support::command();
    let command = command.arg("scan").arg(&urls[0]).arg("-o").arg(site.out());
    let ran: Ran = command.output().unwrap().into();
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert_no_secret(&site, &ran);
}
