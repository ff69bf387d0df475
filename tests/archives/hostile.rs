//! Hostile archives in the main job: any number of threads gives the same dataset, and every range
//! that is not searched is a fault.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;
use support::assert_same;

const MIB: usize = 1 << 20;

/// Returns a response of a host, as one gzip member.
fn response(host: usize, path: &str, body: &[u8]) -> Vec<u8> {
    let head = "HTTP/1.1 200 OK\r\n\r\n";
    let header = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n\
         WARC-Target-URI: https://h{host}.example{path}\r\nContent-Length: {}\r\n\r\n{head}",
        head.len() + body.len()
    );
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder
        .write_all(&[header.as_bytes(), body, b"\r\n\r\n"].concat())
        .unwrap();
    encoder.finish().unwrap()
}

/// Returns a robots.txt file.
fn capture(host: usize) -> Vec<u8> {
    response(host, "/robots.txt", b"User-agent: *\nDisallow: /x\n")
}

/// Returns overlapping members: one begins every 64 bytes, reads through all bytes after it and
/// fails at the end.
fn overlapping() -> Vec<u8> {
    let stored = |length: u16| {
        let lengths = [length.to_le_bytes(), (!length).to_le_bytes()];
        [&[0], &lengths[0][..], &lengths[1]].concat()
    };
    let mut slot = b"\x1f\x8b\x08\0\0\0\0\0\0\xff".to_vec();
    slot.extend(stored(64_000 + 33));
    slot.extend_from_slice(b"WARC/1.0\r\nA: b\r\n");
    slot.resize(48, b'-');
    slot.extend(stored(64_000 - 5));
    slot.resize(64, b'-');
    slot.repeat(MIB / 64)
}

/// Returns captures of 1500 hosts, and records of a page between them.
fn sound() -> Vec<u8> {
    let mut page = vec![0; 600];
    let mut random = support::Random::new(1);
    page.fill_with(|| random.below(256) as u8);
    let page = response(0, "/page", &page);
    (0..1500)
        .flat_map(|host| [capture(host), page.clone()].concat())
        .collect()
}

/// Returns an archive that is read in ranges and is mostly hostile.
fn archive() -> Vec<u8> {
    let magic = b"\x1f\x8b\x08".repeat(MIB / 2);
    let cut: Vec<u8> = (0..3000)
        .flat_map(|host| {
            let mut member = capture(host);
            member.truncate(member.len() * 2 / 3);
            member
        })
        .collect();
    let chain = overlapping();
    let sound = sound();
    let parts = [
        &sound[..],
        &chain,
        &chain,
        &magic,
        &sound,
        &cut,
        &chain,
        &sound,
        &cut[..99_999],
        &chain,
        &magic,
        &sound,
    ];
    parts.concat()
}

#[test]
fn hostile_bytes_give_the_same_dataset_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hostile.warc.gz");
    let bytes = archive();
    assert!(bytes.len() > 9 * MIB);
    fs::write(&path, &bytes).unwrap();
    let scan = |input: &str, threads: usize| {
        let out = folder.path().join(format!("out-{threads}-{}", input.len()));
        let mut command = support::command();
        command
            .args(["scan", input, "-o", out.to_str().unwrap()])
            .args([
                "--crawl",
                "X",
                "--subset",
                "robotstxt",
                "-t",
                &threads.to_string(),
            ])
            .stdin(Stdio::from(fs::File::open(&path).unwrap()));
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        out
    };
    let input = path.to_str().unwrap();
    let one = scan(input, 1);
    for threads in [2, 5] {
        assert_same(&one, &scan(input, threads));
    }
    let places = |dataset: &std::path::Path, table: &str, columns: &[&str]| -> Vec<_> {
        let rows = support::rows(dataset, table);
        let cells = |row: &serde_json::Value| {
            columns
                .iter()
                .map(|name| row[name].clone())
                .collect::<Vec<_>>()
        };
        rows.iter().map(cells).collect()
    };
    // A stream is read as a whole.
    let stream = scan("-", 1);
    for (table, columns) in [
        ("robots_files", &["warc_record_offset", "url"][..]),
        ("faults", &["warc_record_offset", "bytes_skipped", "code"]),
    ] {
        let expected = places(&one, table, columns);
        assert!(expected.len() > 3000, "{table}");
        assert_eq!(places(&stream, table, columns), expected, "{table}");
    }
    let faults = support::rows(&one, "faults");
    assert!(faults.iter().any(|fault| fault["code"] == "unsearched"));
}
