//! Hostile bodies, headers and archives: they are read in bounded memory, and
//! everything that is not read is reported.

use super::packing::{gzip, zstd};
use super::{Series, Tried};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use support::{self, Ran, Random};

/// The limit on the address space of a run, in bytes: twice the memory that it may use, because
/// an allocator reserves more than it uses.
const ADDRESS_KIB: u64 = 3 << 20;

/// Returns the header of a record whose block has `block_bytes` bytes.
fn header(block_bytes: u64) -> String {
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n\
         WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: https://hostile.example/robots.txt\r\n\
         Content-Type: application/http\r\nContent-Length: {block_bytes}\r\n\r\n"
    )
}

fn record(block: &[u8]) -> Vec<u8> {
    [header(block.len() as u64).as_bytes(), block, b"\r\n\r\n"].concat()
}

fn response(headers: &[u8], body: &[u8]) -> Vec<u8> {
    record(&[b"HTTP/1.1 200 OK\r\n", headers, b"\r\n", body].concat())
}

/// A sound record. If it is read, reading continued after the hostile one.
fn sound() -> Vec<u8> {
    response(b"Server: sound\r\n", b"User-agent: *\nDisallow: /\n")
}

/// Scans an archive with little memory. Returns its captures by server, and the sorted codes of
/// its anomalies and faults.
fn scan(folder: &Path, archive: &Path) -> (Vec<Value>, Vec<String>) {
    let out = folder.join("out");
    let _ = fs::remove_dir_all(&out);
    let program = support::command();
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -v \"$1\" && shift && exec \"$@\"", "sh"])
        .arg(ADDRESS_KIB.to_string())
        .arg(program.get_program())
        .arg(archive)
        .arg("-o")
        .arg(&out)
        .args(["--threads", "1", "--crawl", "X", "--subset", "robotstxt"]);
    let ran: Ran = command.output().unwrap().into();
    let name = archive.file_name().unwrap();
    assert!(
        matches!(ran.code, Some(0 | 1)),
        "{name:?}: {:?} {}",
        ran.code,
        ran.err
    );
    let codes = |table: &str| {
        let rows = support::rows(&out, table).into_iter();
        rows.map(|row| row["code"].as_str().unwrap().to_owned())
    };
    let mut odd: Vec<String> = codes("faults").collect();
    // A few lines are enough of a body with a million anomalies.
    let files = support::files_below(&out.join("anomalies"));
    for batch in files.iter().flat_map(|path| support::columns(path)) {
        let column = batch.column_by_name("code").unwrap();
        let column = arrow_array::cast::AsArray::as_string::<i32>(column);
        odd.extend(column.iter().flatten().map(str::to_owned));
        odd.sort();
        odd.dedup();
    }
    odd.sort();
    odd.dedup();
    let files = support::rows(&out, "robots_files");
    let last = files.last().expect("the sound record is read");
    assert_eq!(last["http_server"], "sound", "{name:?}: {odd:?}");
    assert_eq!(
        (&last["n_allow"], &last["n_disallow"]),
        (&0.into(), &1.into())
    );
    (files, odd)
}

/// Concatenates `make(0)`, `make(1)`, … until there are `bytes` bytes.
fn fill(bytes: usize, make: impl Fn(usize) -> String) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes + 100);
    let mut nth = 0;
    while out.len() < bytes {
        out.extend_from_slice(make(nth).as_bytes());
        nth += 1;
    }
    out
}

/// A named body or header, with the anomalies and faults that it must cause.
struct Case {
    name: &'static str,
    record: Vec<u8>,
    says: &'static [&'static str],
}

fn cases(bytes: usize) -> Vec<Case> {
    let plain = |body: Vec<u8>| response(b"Content-Type: text/plain\r\n", &body);
    let begin = |rest: Vec<u8>| plain([b"User-agent: *\n", rest.as_slice()].concat());
    let utf16: Vec<u8> = std::iter::once(0xfeff)
        .chain(
            "User-agent: *\nDisallow: /\n"
                .repeat(bytes / 52)
                .encode_utf16(),
        )
        .flat_map(u16::to_le_bytes)
        .collect();
    let mut nested = vec![b'a'; bytes];
    for _ in 0..4 {
        nested = gzip(&nested);
    }
    // Deflate data that is sound until its last bytes, so that every attempt costs the whole length.
    let mut fails = {
        let mut writer =
            flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
        writer.write_all(&vec![b'a'; 4 * bytes]).unwrap();
        writer.flush().unwrap();
        writer.get_ref().clone()
    };
    fails.extend_from_slice(&[0xff; 8]);
    let case = |name, record, says| Case { name, record, says };
    vec![
        case(
            "groups",
            plain(fill(bytes, |n| {
                format!("User-agent: a{n}\nDisallow: /{n}\n")
            })),
            &["over_500kib"],
        ),
        case(
            "agents of one group",
            plain(fill(bytes, |n| format!("User-agent: a{n}\n"))),
            &["over_500kib"],
        ),
        case(
            "groups of one agent",
            plain(fill(bytes, |n| format!("User-agent: a\nDisallow: /{n}\n"))),
            &["over_500kib"],
        ),
        case(
            "lines of three octets",
            plain(b"a:\n".repeat(bytes / 3)),
            &["over_500kib"],
        ),
        case(
            "lines of one colon",
            plain(b":\n".repeat(bytes / 2)),
            &["over_500kib"],
        ),
        case("blank lines", plain(b"\n".repeat(bytes)), &["over_500kib"]),
        case(
            "carriage returns",
            plain(b"\r".repeat(bytes)),
            &["over_500kib"],
        ),
        case(
            "a million stars",
            begin([b"Disallow: /", "*".repeat(1 << 20).as_bytes(), b"\n"].concat()),
            &["overlong_line"],
        ),
        case(
            "stars and letters",
            begin(format!("Disallow: /{}\n", "*a".repeat(8000)).into_bytes()),
            &[],
        ),
        case(
            "rules with stars",
            begin(fill(bytes, |n| format!("Disallow: /*a{n}*b*c$\n"))),
            &["over_500kib"],
        ),
        case(
            "rules",
            begin(fill(bytes, |n| format!("Disallow: /a{n}\n"))),
            &["over_500kib"],
        ),
        case(
            "one line",
            begin([b"Disallow: /".to_vec(), vec![b'a'; bytes]].concat()),
            &["overlong_line"],
        ),
        case("NUL", plain(vec![0; bytes]), &["over_500kib"]),
        case("UTF-16", plain(utf16), &["utf16"]),
        case(
            "lone surrogates",
            plain(b"Disallow: /\xed\xa0\x80\n".repeat(bytes / 15)),
            &["invalid_utf8"],
        ),
        case(
            "mixed line ends",
            plain(b"User-agent: a\rDisallow: /\r\nAllow: /b\n\r".repeat(bytes / 38)),
            &["mixed_line_ends"],
        ),
        case(
            "sitemaps",
            plain(fill(bytes, |n| {
                format!("Sitemap: http://h{n}.example/s.xml\n")
            })),
            &["sitemap_other_domain"],
        ),
        case(
            "statements",
            begin(b"Content-Signal: search=yes, ai-train=no\n".repeat(bytes / 41)),
            &["over_500kib"],
        ),
        case(
            "one long statement",
            begin([b"Content-Usage: ".to_vec(), b"a=y,".repeat(bytes / 4)].concat()),
            &["overlong_line"],
        ),
        case(
            "tags",
            plain([b"<html>".to_vec(), b"<a:b>\n".repeat(bytes / 6)].concat()),
            &["html_body"],
        ),
        case(
            "header of 100 MB",
            response(
                &[b"X: ".to_vec(), vec![b'a'; bytes * 6], b"\r\n".to_vec()].concat(),
                b"User-agent: *\n",
            ),
            &["headers_cut"],
        ),
        case(
            "header fields",
            response(&b"a:\n".repeat(bytes / 3), b"User-agent: *\n"),
            &["headers_cut"],
        ),
        case(
            "folded header",
            response(
                &[b"X: a\r\n".to_vec(), b" a\n".repeat(bytes / 3)].concat(),
                b"User-agent: *\n",
            ),
            &["headers_cut"],
        ),
        case(
            "codings",
            response(
                &[
                    b"Content-Encoding: ".to_vec(),
                    b"br,deflate,".repeat(5000),
                    b"\r\n".to_vec(),
                ]
                .concat(),
                b"User-agent: *\n",
            ),
            &["misdeclared_coding"],
        ),
        case(
            "codings that fail late",
            response(
                &[
                    b"Content-Encoding: ".to_vec(),
                    b"deflate,".repeat(8000),
                    b"\r\n".to_vec(),
                ]
                .concat(),
                &fails,
            ),
            &["misdeclared_coding"],
        ),
        case(
            "coding that fails late",
            response(b"Content-Encoding: deflate,deflate,deflate\r\n", &fails),
            &["misdeclared_coding"],
        ),
        case(
            "gzip in gzip",
            response(b"Content-Encoding: gzip, gzip, gzip, gzip\r\n", &nested),
            &[],
        ),
        case(
            "gzip bomb",
            response(b"Content-Encoding: gzip\r\n", &gzip(&vec![b'a'; 40 << 20])),
            &["coding_cut"],
        ),
        case(
            "zstd bomb",
            response(
                b"Content-Encoding: zstd\r\n",
                &zstd(&vec![b'a'; 40 << 20], b""),
            ),
            &["coding_cut"],
        ),
    ]
}

pub(crate) fn bodies(_: &mut Random, series: Series) -> Tried {
    let folder = tempfile::tempdir().unwrap();
    // Slightly less than the limit on the bytes of a body.
    let cases = cases(if series.is_whole() {
        (16 << 20) - 1000
    } else {
        1 << 20
    });
    let count = cases.len();
    for Case { name, record, says } in cases {
        let path = folder.path().join("hostile.warc");
        fs::write(&path, [record, sound()].concat()).unwrap();
        let (files, odd) = scan(folder.path(), &path);
        assert_eq!(files.len(), 2, "{name}: {odd:?}");
        for code in says {
            assert!(
                odd.iter().any(|found| found == code),
                "{name}: {odd:?}, not {code}"
            );
        }
    }
    Tried {
        count,
        lost: "nothing; what exceeds a limit is reported".to_owned(),
    }
}

/// Writes an archive of two members: `begin` followed by `zeros` zero bytes, then a sound one.
fn bomb(path: &Path, is_zstd: bool, begin: &[u8], zeros: u64) {
    const CHUNK: usize = 1 << 20;
    let mut file = BufWriter::new(File::create(path).unwrap());
    // The first member determines the type of the archive.
    file.write_all(&if is_zstd {
        zstd(&sound(), b"")
    } else {
        gzip(&sound())
    })
    .unwrap();
    let chunk = vec![0; CHUNK];
    let fill = |out: &mut dyn Write| {
        out.write_all(begin).unwrap();
        for _ in 0..zeros / CHUNK as u64 {
            out.write_all(&chunk).unwrap();
        }
        out.write_all(b"\r\n\r\n").unwrap();
    };
    if is_zstd {
        let mut out = zstd::stream::write::Encoder::new(&mut file, 3).unwrap();
        fill(&mut out);
        out.finish().unwrap();
        file.write_all(&zstd(&sound(), b"")).unwrap();
    } else {
        let mut out = flate2::write::GzEncoder::new(&mut file, flate2::Compression::fast());
        fill(&mut out);
        out.finish().unwrap();
        file.write_all(&gzip(&sound())).unwrap();
    }
    file.flush().unwrap();
}

pub(crate) fn bombs(_: &mut Random, series: Series) -> Tried {
    let folder = tempfile::tempdir().unwrap();
    let zeros: u64 = if series.is_whole() {
        2 << 30
    } else {
        600 << 20
    };
    let mut count = 0;
    let mut expect = |name: &str, make: &dyn Fn(&Path), captures: usize, says: &[&str]| {
        let path = folder.path().join(name);
        make(&path);
        let (files, odd) = scan(folder.path(), &path);
        assert_eq!(files.len(), captures, "{name}: {odd:?}");
        assert_eq!(odd, says, "{name}");
        fs::remove_file(path).unwrap();
        count += 1;
    };
    let body = header(zeros);
    // The block is read up to its limit, and the rest is skipped.
    expect(
        "block.warc.gz",
        &|path| bomb(path, false, body.as_bytes(), zeros),
        3,
        &["bad_status", "record_cut"],
    );
    expect(
        "words.warc.gz",
        &|path| bomb(path, false, b"no record", zeros),
        2,
        &["not_warc"],
    );
    // A compression ratio that no real archive has.
    expect(
        "block.warc.zst",
        &|path| bomb(path, true, body.as_bytes(), zeros),
        2,
        &["bomb"],
    );
    expect(
        "words.warc.zst",
        &|path| bomb(path, true, b"no record", zeros),
        2,
        &["bomb"],
    );
    let fields = |field: &[u8], count: usize| {
        let text = [
            b"WARC/1.0\r\n",
            &field.repeat(count)[..],
            b"Content-Length: 0\r\n\r\n\r\n\r\n",
        ]
        .concat();
        move |path: &Path| {
            fs::write(path, [gzip(&sound()), gzip(&text), gzip(&sound())].concat()).unwrap()
        }
    };
    expect(
        "fields.warc.gz",
        &fields(b"a: b\r\n", 1_000_000),
        2,
        &["header_too_long"],
    );
    expect("many-fields.warc.gz", &fields(b"a:\n", 340_000), 2, &[]);
    // The header of a plain record states a length, but the block is missing.
    let claim = [header(1 << 62).into_bytes(), sound()].concat();
    expect(
        "claim.warc",
        &|path| fs::write(path, &claim).unwrap(),
        1,
        &["truncated"],
    );
    Tried {
        count,
        lost: "the members that are decompression bombs, as faults".to_owned(),
    }
}
