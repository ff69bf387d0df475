//! Names from archives and command lines: none becomes a path without being
//! checked, and none breaks `views.sql`.

use super::packing::gzip;
use super::{Series, Tried};
use serde_json::Value;
use std::fs;
use std::path::Path;
use support::{self, Random};

/// Names as an archive may contain them, in bytes.
const HOSTILE: &[&[u8]] = &[
    b"../../../../tmp/escaped",
    b"..",
    b".",
    b"/etc/passwd",
    b"a/b",
    b"crawl=a/subset=b",
    b"a'; DROP TABLE robots_files; --",
    b"a\"b",
    b"a\\b",
    b"a\0b",
    b"a\xff\xfeb",
    b"a\xed\xa0\x80b",
    b"a\x1b[2Jb",
    b"a%2fb",
    b"NUL:",
    b"${HOME}",
    b"$(touch escaped)",
    b" ",
    b"",
    b"_SUCCESS",
    b"_manifest.jsonl",
    b"*",
    "ａ/\u{202e}b".as_bytes(),
];

/// Returns an archive in which every name is `name`.
fn archive(name: &[u8]) -> Vec<u8> {
    let record = |kind: &[u8], head: &[u8], block: &[u8]| {
        let length = block.len().to_string();
        let parts: [&[u8]; 12] = [
            b"WARC/1.0\r\nWARC-Type: ",
            kind,
            b"\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Filename: ",
            name,
            b"\r\nWARC-Record-ID: <",
            name,
            b">\r\n",
            head,
            b"\r\nContent-Length: ",
            length.as_bytes(),
            b"\r\n\r\n",
            block,
        ];
        gzip(&[parts.concat(), b"\r\n\r\n".to_vec()].concat())
    };
    let info = [b"isPartOf: ", name, b"\r\nsubset: ", name, b"\r\n"].concat();
    let block = [
        b"HTTP/1.1 200 ",
        name,
        b"\r\nServer: ",
        name,
        b"\r\nContent-Type: ",
        name,
        b"\r\n\r\nUser-agent: ",
        name,
        b"\nDisallow: /",
        name,
        b"\nSitemap: ",
        name,
        b"\n",
    ];
    let url = [b"WARC-Target-URI: http://a.example/robots.txt?", name].concat();
    let odd = [b"WARC-Target-URI: ", name, b"/robots.txt"].concat();
    let block = block.concat();
    [
        record(b"warcinfo", b"X: y", &info),
        record(
            b"response",
            b"WARC-Target-URI: http://b.example/robots.txt",
            &block,
        ),
        record(b"response", &url, &block),
        record(b"response", &odd, &block),
        record(name, &odd, &block),
    ]
    .concat()
}

/// Returns the partition folders of a dataset, which are derived from names.
fn partitions(dataset: &Path) -> Vec<String> {
    let mut all: Vec<String> = support::files_below(dataset)
        .iter()
        .map(|path| support::relative(path, dataset))
        .filter(|path| path.contains("crawl="))
        // The resolved tables have a folder per crawl only.
        .filter(|path| path.contains("/subset="))
        .map(|path| {
            path.split('/')
                .skip(1)
                .take(2)
                .collect::<Vec<_>>()
                .join("/")
        })
        .collect();
    all.sort();
    all.dedup();
    all
}

/// Splits SQL into its quoted strings and the rest, which includes comments.
fn quoted(sql: &str) -> (Vec<String>, String) {
    let (mut texts, mut rest) = (Vec::new(), String::new());
    let mut chars = sql.chars().peekable();
    while let Some(first) = chars.next() {
        if first == '-' && chars.peek() == Some(&'-') {
            rest.push(first);
            rest.extend(chars.by_ref().take_while(|next| *next != '\n'));
            continue;
        }
        if first != '\'' {
            rest.push(first);
            continue;
        }
        let mut text = String::new();
        loop {
            match chars.next().expect("a text ends") {
                '\'' if chars.peek() == Some(&'\'') => {
                    chars.next();
                    text.push('\'');
                }
                '\'' => break,
                other => text.push(other),
            }
        }
        texts.push(text);
    }
    (texts, rest)
}

pub(crate) fn names(_: &mut Random, _: Series) -> Tried {
    let folder = tempfile::tempdir().unwrap();
    let inputs = folder.path().join("in");
    fs::create_dir(&inputs).unwrap();
    let mut count = 0;
    let usual = folder.path().join("usual");
    let path = inputs.join("usual.warc.gz");
    fs::write(&path, archive(b"name")).unwrap();
    support::run([path.to_str().unwrap(), "-o", usual.to_str().unwrap()]);
    let views = |out: &Path| fs::read_to_string(out.join("views.sql")).unwrap();
    let (_, usual_views) = quoted(&views(&usual));

    // Names in archives.
    for (nth, name) in HOSTILE.iter().enumerate() {
        let out = folder.path().join(format!("out-{nth}"));
        let path = inputs.join(format!("{nth}.warc.gz"));
        fs::write(&path, archive(name)).unwrap();
        let ran = support::run([path.to_str().unwrap(), "-o", out.to_str().unwrap()]);
        assert!(matches!(ran.code, Some(0 | 1)), "{name:?}: {}", ran.err);
        assert!(!ran.err.contains('\x1b'), "{name:?}: {:?}", ran.err);
        let shown: Vec<String> = partitions(&out);
        let told = std::str::from_utf8(name).unwrap_or("").trim();
        let is_name = told.starts_with(|first: char| first.is_ascii_alphabetic())
            && told
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        let expected = if is_name {
            format!("crawl={told}/subset={told}")
        } else {
            "crawl=unknown/subset=warc".to_owned()
        };
        assert_eq!(shown, [expected], "{name:?}");
        assert_eq!(quoted(&views(&out)).1, usual_views);
        // The plain record is read regardless of the names of the others.
        let rows = support::rows(&out, "robots_files");
        let is_there = rows
            .iter()
            .any(|row| row["url"] == "http://b.example/robots.txt");
        assert!(is_there, "{name:?}");
        count += 1;
    }

    // Names of inputs and outputs: any bytes that a file system allows.
    for name in [
        "it's",
        "a\"b",
        "a\nb",
        "a;b",
        "a b",
        "--",
        "ü\u{202e}x",
        "a\\b",
        "{}",
        "%s",
        "[a]",
    ] {
        let path = inputs.join(format!("{name}.warc.gz"));
        fs::write(&path, archive(b"name")).unwrap();
        let out = folder.path().join(format!("out {name}"));
        let args = [path.as_os_str(), "-o".as_ref(), out.as_os_str()];
        let ran = support::run(args);
        assert_eq!(ran.code, Some(0), "{name:?}: {}", ran.err);
        let (texts, rest) = quoted(&views(&out));
        // DuckDB cannot search a path with a backslash, and the views report that.
        assert_eq!(
            rest.replace("error()", ""),
            usual_views.replace("error()", ""),
            "{name:?}"
        );
        let shown = out.to_str().unwrap();
        let is_shown = |text: &String| {
            if name.contains('\\') {
                text.starts_with(&format!("DuckDB cannot search {shown}, "))
            } else {
                *text == shown.replace('[', "[[]")
            }
        };
        let errors = |views: &str| views.matches("error()").count();
        assert_eq!(errors(&rest) > errors(&usual_views), name.contains('\\'));
        assert!(texts.iter().any(is_shown), "{name:?}: {texts:?}");
        let rows = support::rows(&out, "robots_files");
        let expected = path.file_name().unwrap().to_str().unwrap();
        assert!(
            rows.iter().all(|row| row["warc_filename"] == expected),
            "{name:?}"
        );
        let manifest = fs::read_to_string(out.join("_manifest.jsonl")).unwrap();
        for line in manifest.lines() {
            serde_json::from_str::<Value>(line).unwrap();
        }
        count += 1;
    }

    // Names that are given as options.
    let path = inputs.join("usual.warc.gz");
    for name in HOSTILE
        .iter()
        .filter_map(|name| std::str::from_utf8(name).ok())
    {
        if name.contains('\0') || matches!(name, "_SUCCESS" | "_manifest.jsonl") {
            continue;
        }
        for option in ["--crawl", "--subset"] {
            let out = folder.path().join("told");
            let ran = support::run([
                path.to_str().unwrap(),
                "-o",
                out.to_str().unwrap(),
                &format!("{option}={name}"),
            ]);
            assert_eq!(ran.code, Some(2), "{name:?}: {}", ran.err);
            assert!(ran.err.contains(option), "{}", ran.err);
            assert!(!out.exists());
            count += 1;
        }
    }
    // Every created file lies in its own folder.
    let mut made: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with("out"))
        .collect();
    made.sort();
    assert_eq!(made, ["in", "usual"]);
    Tried {
        count,
        lost: "nothing: they are never used as paths".to_owned(),
    }
}
