//! The output of `match` as CSV.

use super::{list, matched, open_dataset, run_match};
use std::fs;
use support::test_capture::{TestCapture, dataset};
use tempfile::TempDir;

#[test]
fn csv_output_has_the_same_rows_as_parquet() {
    let folder = TempDir::new().unwrap();
    let closed = "User-agent: *\nDisallow: /\n";
    let out = dataset(
        &folder,
        &[
            TestCapture::ok("https://a.example/robots.txt", 0, closed),
            TestCapture::status("https://b.example/robots.txt", 0, 404),
        ],
    );
    let text = "https://a.example/x,\"y\"\nhttps://b.example/\nnone, \"q\n\\ é\n";
    let mut bytes = text.as_bytes().to_vec();
    bytes.extend(b"https://a.example/\xff\n");
    let urls = list(&folder, "urls.txt", bytes);
    let (rows, _) = matched(&out, &urls, &["-a", "x,y z"]);
    let csv = folder.path().join("matches.CSV");
    let run = |more: &[&str]| run_match(&out, &urls, &csv, &[&["-a", "x,y z"], more].concat());
    let ran = run(&[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("matches.CSV: 10 rows"), "{}", ran.out);

    let written = fs::read_to_string(&csv).unwrap();
    let lines: Vec<&str> = written.split_inclusive('\n').collect();
    assert_eq!(
        lines[0],
        "url,agent,robots_id,access,line_no,basis,crawl,preference,preference_line\n"
    );
    assert!(
        lines[1].starts_with("\"https://a.example/x,\"\"y\"\"\",x,"),
        "{written}"
    );
    assert_eq!(lines[5], "\"none, \"\"q\",x,,unknown,,bad_url,,,\n");
    assert_eq!(lines.len(), 11);
    let mut reader = csv::Reader::from_path(&csv).unwrap();
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(records.len(), rows.len());
    for (record, row) in records.iter().zip(&rows) {
        let (crawl, id) = match &row.capture {
            Some((crawl, id)) => (crawl.as_str(), id.to_string()),
            None => ("", String::new()),
        };
        let line_no = row
            .line_no
            .map_or(String::new(), |line_no| line_no.to_string());
        let expected = [
            row.url.as_str(),
            &row.agent,
            &id,
            &row.access,
            &line_no,
            &row.basis,
            crawl,
            // No category was chosen.
            "",
            "",
        ];
        assert_eq!(record.iter().collect::<Vec<_>>(), expected);
    }

    // The file is replaced only with --overwrite, and only if `match` wrote it.
    let ran = run(&[]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("--overwrite"), "{}", ran.err);
    let ran = run(&["--overwrite"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(fs::read_to_string(&csv).unwrap(), written);
    fs::write(&csv, "url,agent\nmine,\n").unwrap();
    let ran = run(&["--overwrite"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert_eq!(fs::read_to_string(&csv).unwrap(), "url,agent\nmine,\n");
}

#[test]
fn a_list_without_urls_gives_a_warning_and_no_rows() {
    let folder = TempDir::new().unwrap();
    let out = open_dataset(&folder);
    for (name, bytes) in [
        ("empty.txt", ""),
        ("blank.txt", "\n \n"),
        ("h.csv", "url\n"),
    ] {
        let urls = list(&folder, name, bytes);
        let csv = folder.path().join(format!("{name}.out.csv"));
        let ran = run_match(&out, &urls, &csv, &["-a", "x"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(
            ran.err.contains("warning:") && ran.err.contains(&format!("{name}' contains no URL")),
            "{}",
            ran.err
        );
        assert_eq!(fs::read_to_string(&csv).unwrap().lines().count(), 1);
    }
}
