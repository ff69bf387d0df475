//! Writes the files of `data-samples/warc/` and `data-samples/guide/`, and those of `data-samples/robots/` whose bytes an
//! editor would not preserve.
//!
//! Usage: `cargo xtask samples [FOLDER]`; the default is `data-samples`. Ids and dates are fixed, so
//! the same version of the compressors gives the same bytes. The samples in [`BY_CRATE`] are written
//! by the crate `warc`, which implements the standard independently. All others, with their framing
//! and faults, are written by the modules here.
//!
//! The tool prints the number of records of each type per file, readable or not. If you change a
//! sample, also update its entry in `index.toml`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

mod bodies;
mod crawl;
mod frame;
mod one_domain;
pub(crate) mod record;

use frame::{gzip, skippable, zstd, zstd_stream};
use record::{Archive, Record, find, http};

/// The samples that the crate `warc` writes.
const BY_CRATE: [&str; 4] = [
    "per-record-1.1.warc.gz",
    "plain.warc",
    "resource-and-revisit.warc.gz",
    "whole-file.warc.gz",
];

/// A file with an allow and a disallow rule.
const RULES: &str = "User-agent: *\nDisallow: /private/\nAllow: /private/open/\n";

/// Writes all generated samples into `warc/`, `guide/` and `robots/` below a folder.
pub(crate) fn write_all(root: &Path) -> io::Result<()> {
    let folder = root.join("warc");
    fs::create_dir_all(&folder)?;
    let mut samples = Samples { folder };
    samples.whole()?;
    samples.http()?;
    samples.odd()?;
    samples.damaged()?;
    samples.refused()?;
    samples.folder = root.join("guide");
    fs::create_dir_all(&samples.folder)?;
    samples.archive(
        "one-domain.warc.gz",
        Framing::GzipEach,
        &one_domain::crawl(),
    )?;
    let folder = root.join("robots");
    fs::create_dir_all(&folder)?;
    write_robots(&folder)
}

struct Samples {
    folder: PathBuf,
}

/// The framing of the records of an archive.
enum Framing {
    Plain,
    GzipEach,
    GzipWhole,
    ZstdEach,
    ZstdWhole,
}

impl Samples {
    fn write(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        fs::write(self.folder.join(name), bytes)
    }

    fn archive(&mut self, name: &str, framing: Framing, archive: &Archive) -> io::Result<()> {
        println!("{name}: {:?}", archive.counts());
        let mut records = Vec::new();
        for record in &archive.records {
            records.push(if BY_CRATE.contains(&name) {
                record.to_bytes_by_crate()?
            } else {
                record.to_bytes()
            });
        }
        let bytes = match framing {
            Framing::Plain => records.concat(),
            Framing::GzipEach => gzip_each(&records)?.concat(),
            Framing::GzipWhole => gzip(&records.concat())?,
            Framing::ZstdEach => zstd_each(&records, &[])?.concat(),
            Framing::ZstdWhole => zstd_stream(&records.concat())?,
        };
        self.write(name, &bytes)
    }

    /// Adds archives without faults, one per kind of framing.
    fn whole(&mut self) -> io::Result<()> {
        for (name, later) in [
            ("cc-robotstxt.warc.gz", false),
            ("cc-robotstxt-later.warc.gz", true),
        ] {
            self.archive(name, Framing::GzipEach, &crawl::crawl(later))?;
        }

        let mut archive = usual(10);
        for record in &mut archive.records {
            record.version("1.1");
        }
        self.archive("per-record-1.1.warc.gz", Framing::GzipEach, &archive)?;
        self.archive("plain.warc", Framing::Plain, &usual(11))?;
        self.archive("whole-file.warc.gz", Framing::GzipWhole, &usual(12))?;
        self.archive("frames.warc.zst", Framing::ZstdEach, &usual(13))?;
        self.archive("one-frame.warc.zst", Framing::ZstdWhole, &usual(14))?;

        // The IIPC specification for zstd: a skippable frame at the start has the dictionary of all
        // frames, plain or compressed. Other skippable frames are ignored.
        let dictionary = frame::unhex(frame::DICTIONARY);
        for (name, number, content) in [
            ("frames-with-dictionary.warc.zst", 15, dictionary.clone()),
            (
                "frames-with-compressed-dictionary.warc.zst",
                16,
                zstd(&dictionary, &[])?,
            ),
        ] {
            let archive = usual(number);
            println!("{name}: {:?}", archive.counts());
            let mut out = skippable(0x184D2A5D, &content);
            for (i, frame) in zstd_each(&to_bytes(&archive), &dictionary)?
                .iter()
                .enumerate()
            {
                out.extend_from_slice(frame);
                if i == 1 {
                    out.extend_from_slice(&skippable(0x184D2A50, b"nothing to see"));
                }
            }
            self.write(name, &out)?;
        }

        // Two members of several records each, like two concatenated wget archives.
        let archive = usual(17);
        let records = to_bytes(&archive);
        println!("two-whole-files.warc.gz: {:?}", archive.counts());
        let mut out = gzip(&records[..3].concat())?;
        out.extend_from_slice(&gzip(&records[3..].concat())?);
        self.write("two-whole-files.warc.gz", &out)?;

        // An empty member between two records, and a tail of zeros, as tapes and disks leave it.
        let archive = usual(18);
        let mut members = gzip_each(&to_bytes(&archive))?;
        println!("empty-member.warc.gz: {:?}", archive.counts());
        members.insert(2, gzip(b"")?);
        self.write("empty-member.warc.gz", &members.concat())?;
        let archive = usual(19);
        let mut out = gzip_each(&to_bytes(&archive))?.concat();
        println!("zero-padding.warc.gz: {:?}", archive.counts());
        out.resize(out.len().next_multiple_of(512), 0);
        self.write("zero-padding.warc.gz", &out)?;
        self.write("nothing.warc.gz", b"")
    }

    /// Adds archives with unusual blocks of responses.
    fn http(&mut self) -> io::Result<()> {
        self.archive("http-as-sent.warc.gz", Framing::GzipEach, &as_sent())?;
        self.archive("chunked.warc.gz", Framing::GzipEach, &chunked())?;
        self.archive(
            "content-encoding.warc.gz",
            Framing::GzipEach,
            &content_encoding()?,
        )?;

        // More header fields, a longer header field, and more codings than a server would send.
        let mut archive = Archive::new(53);
        archive.sample_info();
        let long = "x".repeat((64 << 10) + 1);
        let codings = ["gzip"; 9].join(", ");
        for (host, headers) in [
            ("fields.example", vec![("X-Field", "x"); 4097]),
            ("value.example", vec![("X-Field", long.as_str())]),
            (
                "codings.example",
                vec![("Content-Encoding", codings.as_str())],
            ),
        ] {
            let block = http("200 OK", &headers, RULES.as_ref());
            archive.response(&format!("https://{host}/robots.txt"), block);
        }
        self.archive("hostile-headers.warc.gz", Framing::GzipEach, &archive)?;

        let mut archive = Archive::new(23);
        archive.sample_info();
        let cut = b"User-agent: *\nDisallow: /private/\nDisallow: /x";
        // The last line was `Disallow: /x/y/z`. Truncated, it would disallow more than intended.
        for (reason, host) in [
            ("length", "long.example"),
            ("time", "late.example"),
            ("disconnect", "gone.example"),
        ] {
            let block = http("200 OK", &[("Content-Type", "text/plain")], cut);
            archive
                .response(&format!("https://{host}/robots.txt"), block)
                .set("WARC-Truncated", reason);
        }
        // Truncated at a line ending, so that every line is complete.
        archive
            .ok(
                "https://between.example/robots.txt",
                "User-agent: *\nDisallow: /a\n",
            )
            .set("WARC-Truncated", "length");
        self.archive("truncated-payload.warc.gz", Framing::GzipEach, &archive)
    }

    /// Adds records that are sound but unusual.
    fn odd(&mut self) -> io::Result<()> {
        self.archive(
            "resource-and-revisit.warc.gz",
            Framing::GzipEach,
            &resource_and_revisit(),
        )?;

        let mut archive = Archive::new(25);
        archive.sample_info();
        for (host, date) in [
            ("fraction", "2026-01-05T12:00:00.123456789Z"),
            ("day", "2026-01-05"),
            ("minute", "2026-01-05T12:00Z"),
            ("zone", "2026-01-05T13:00:00+01:00"),
            ("digits", "20260105120000"),
            ("future", "5088968-08-09T12:04:08Z"),
            ("thirteenth", "2026-13-45T25:61:61Z"),
            ("words", "last Monday"),
            ("blank", ""),
        ] {
            let url = format!("https://{host}.date.example/robots.txt");
            archive.ok(&url, RULES).set("WARC-Date", date);
        }
        archive
            .ok("https://absent.date.example/robots.txt", RULES)
            .remove("WARC-Date");
        archive.records[1].version("1.1");
        self.archive("odd-dates.warc.gz", Framing::GzipEach, &archive)?;

        self.archive("odd-urls.warc.gz", Framing::GzipEach, &odd_urls())?;

        // Header names and types in unusual case, a folded header, bytes above 0x7F, bare line feeds.
        let archive = usual(27);
        let mut members = Vec::new();
        for (i, record) in archive.records.iter().enumerate() {
            let bytes = record.to_bytes();
            let end = find(&bytes, b"\r\n\r\n").expect("our records have a header") + 4;
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let head = match i {
                1 => head.replace("\r\n", "\n"),
                2 => head.replace("WARC-Type: response", "warc-TYPE:   Response "),
                3 => head.replace("WARC-Target-URI: ", "WARC-Target-URI:\r\n  "),
                4 => head.replace("\r\n\r\n", "\r\nWARC-Note: caf\u{e9}\r\nno colon\r\n\r\n"),
                _ => head,
            };
            members.push(gzip(&[head.as_bytes(), &bytes[end..]].concat())?);
        }
        println!("odd-headers.warc.gz: {:?}", archive.counts());
        self.write("odd-headers.warc.gz", &members.concat())?;

        // As in CC-MAIN-2018-34: an extra empty line before the payload, which the length does not
        // include.
        let mut archive = Archive::new(28);
        archive.warcinfo(&[
            ("isPartOf", "CC-MAIN-2018-34-SAMPLE"),
            ("subset", "robotstxt"),
        ]);
        for host in ["one.example", "two.example", "three.example"] {
            let record = archive.ok(&format!("https://{host}/robots.txt"), RULES);
            let length = record.block.len();
            let end = find(&record.block, b"\r\n\r\n").expect("the HTTP header ends") + 4;
            record.block.splice(end..end, *b"\r\n");
            record.state_length(length);
        }
        self.archive("off-by-two.warc.gz", Framing::GzipEach, &archive)
    }

    /// Adds archives with faults. All other records must still be read.
    fn damaged(&mut self) -> io::Result<()> {
        const GARBAGE: &[u8] = b"-- these bytes are no part of any record --\n";

        let mut members = five(40)?;
        flip_checksum(&mut members[2]);
        self.write("damaged-checksum.warc.gz", &members.concat())?;

        let mut members = five(41)?;
        let middle = members[2].len() / 2;
        members[2][middle..middle + 8].fill(0xFF);
        self.write("damaged-inside.warc.gz", &members.concat())?;

        let mut members = five(42)?;
        let half = members[4].len() / 2;
        members[4].truncate(half);
        self.write("damaged-cut.warc.gz", &members.concat())?;

        let mut members = five(43)?;
        members.insert(2, GARBAGE.to_vec());
        self.write("damaged-garbage.warc.gz", &members.concat())?;

        let mut members = five(44)?;
        members.insert(3, gzip(b"This member holds a letter and no record.\n")?);
        self.write("damaged-not-warc.warc.gz", &members.concat())?;

        let mut members = five(45)?;
        flip_checksum(&mut members[0]);
        self.write("damaged-first.warc.gz", &members.concat())?;

        let mut members = five(51)?;
        members[0][0] ^= 1;
        self.write("damaged-head.warc.gz", &members.concat())?;

        let mut members = five(52)?;
        members[4].fill(0);
        self.write("damaged-zeros.warc.gz", &members.concat())?;

        let mut members = five(46)?;
        flip_checksum(&mut members[1]);
        flip_checksum(&mut members[2]);
        members.insert(4, GARBAGE.to_vec());
        self.write("damaged-often.warc.gz", &members.concat())?;

        // There is a sound record between every two of these.
        let mut archive = usual_of(47, 8);
        let block = archive.records[2].block.len();
        archive.records[2].state_length(block + 100);
        let block = archive.records[4].block.len();
        archive.records[4].state_length(block - 10);
        archive.records[6].state_length("many");
        archive.records[8].state_length("-1");
        self.write(
            "damaged-lengths.warc.gz",
            &gzip_each(&to_bytes(&archive))?.concat(),
        )?;

        // All records in one member: resynchronization happens within the decoded bytes.
        let mut archive = usual_of(48, 4);
        let block = archive.records[2].block.len();
        archive.records[2].state_length(block + 100);
        self.write(
            "damaged-whole-file.warc.gz",
            &gzip(&to_bytes(&archive).concat())?,
        )?;

        let mut frames = zstd_each(&to_bytes(&usual_of(49, 4)), &[])?;
        let last = frames[2].len() - 1;
        frames[2][last] ^= 0xFF;
        self.write("damaged-frame.warc.zst", &frames.concat())?;

        // The length of the second record reaches into the third, the length of the fourth is too
        // small, the fifth is followed by text, and the last is truncated.
        let mut archive = usual_of(50, 6);
        let block = archive.records[1].block.len();
        archive.records[1].state_length(block + 300);
        let block = archive.records[3].block.len();
        archive.records[3].state_length(block - 10);
        let mut records = to_bytes(&archive);
        let cut = records[6].len() - 30;
        records[6].truncate(cut);
        records.insert(5, GARBAGE.to_vec());
        self.write("damaged-plain.warc", &records.concat())
    }

    /// Adds files in formats that are refused. Their magic numbers are sufficient.
    fn refused(&mut self) -> io::Result<()> {
        self.write(
            "not-an-archive.txt",
            b"User-agent: *\nDisallow: /\n\nThis is a robots.txt and not an archive.\n",
        )?;
        self.write("lz4-refused.warc.lz4", b"\x04\x22\x4d\x18\x60\x40\x82")?;
        self.write("bzip2-refused.warc.bz2", b"BZh91AY&SY")?;
        self.write("xz-refused.warc.xz", b"\xfd7zXZ\0\0\x04")?;
        self.write("wacz-refused.wacz", b"PK\x03\x04\x0a\0\0\0\0\0")?;
        self.write(
            "arc-refused.arc",
            b"filedesc://sample.arc 0.0.0.0 20260105120000 text/plain 73\n\
              1 0 robots-scan\nURL IP-address Archive-date Content-type Archive-length\n\n",
        )
    }
}

/// Returns a request and four responses, one of which is not a robots.txt file.
fn usual(number: u32) -> Archive {
    let mut archive = Archive::new(number);
    archive.sample_info();
    archive
        .push(
            "request",
            "GET /robots.txt HTTP/1.1\r\nHost: one.example\r\n\r\n",
        )
        .set("WARC-Target-URI", "https://one.example/robots.txt")
        .set("Content-Type", "application/http; msgtype=request");
    for (i, host) in ["one", "two", "three"].into_iter().enumerate() {
        let body = format!("User-agent: *\nDisallow: /{host}/\nAllow: /{host}/open/\n");
        archive
            .ok(&format!("https://{host}.example/robots.txt"), body)
            .set("WARC-IP-Address", format!("192.0.2.{}", i + 1))
            .add_digests();
    }
    archive.ok(
        "https://three.example/index.html",
        "<p>Disallow: /no-rule/</p>\n",
    );
    archive
}

/// Returns a warcinfo record and `responses` responses to requests for a robots.txt file.
fn usual_of(number: u32, responses: u32) -> Archive {
    let mut archive = Archive::new(number);
    archive.sample_info();
    for i in 1..=responses {
        let body = format!("User-agent: *\nDisallow: /{i}/\nAllow: /{i}/open/\n");
        archive.ok(&format!("https://host-{i}.example/robots.txt"), body);
    }
    archive
}

/// Returns the members of a warcinfo record and four responses.
fn five(number: u32) -> io::Result<Vec<Vec<u8>>> {
    gzip_each(&to_bytes(&usual_of(number, 4)))
}

fn to_bytes(archive: &Archive) -> Vec<Vec<u8>> {
    archive.records.iter().map(Record::to_bytes).collect()
}

fn gzip_each(records: &[Vec<u8>]) -> io::Result<Vec<Vec<u8>>> {
    records.iter().map(|record| gzip(record)).collect()
}

fn zstd_each(records: &[Vec<u8>], dictionary: &[u8]) -> io::Result<Vec<Vec<u8>>> {
    records
        .iter()
        .map(|record| zstd(record, dictionary))
        .collect()
}

/// Damages the checksum, which precedes the four bytes of length at the end of a gzip member.
fn flip_checksum(member: &mut [u8]) {
    let at = member.len() - 8;
    member[at] ^= 0xFF;
}

/// Returns responses as servers send them, some of which violate the standard.
fn as_sent() -> Archive {
    let mut archive = Archive::new(20);
    archive.sample_info();
    let mut send = |host: &str, head: &[u8]| {
        let block = [head, RULES.as_bytes()].concat();
        archive.response(&format!("https://{host}.sent.example/robots.txt"), block);
    };
    send(
        "bare-lf",
        b"HTTP/1.1 200 OK\nServer: tiny\nContent-Type: text/plain\n\n",
    );
    send(
        "mixed-ends",
        b"HTTP/1.1 200 OK\r\nServer: tiny\nContent-Type: text/plain\r\n\n",
    );
    send("no-reason", b"HTTP/1.1 200\r\nServer: tiny\r\n\r\n");
    send("old", b"HTTP/1.0 200 OK\r\nServer: tiny\r\n\r\n");
    send("two", b"HTTP/2 200\r\nserver: tiny\r\n\r\n");
    send(
        "free-text",
        b"HTTP/1.1 200 Everything: went well, 100 %\r\nServer: tiny\r\n\r\n",
    );
    send("no-headers", b"HTTP/1.1 200 OK\r\n\r\n");
    send(
        "folded",
        b"HTTP/1.1 200 OK\r\nServer: tiny\r\nContent-Type: text/plain;\r\n\tcharset=utf-8\r\n\r\n",
    );
    send(
        "repeated",
        b"HTTP/1.1 200 OK\r\nServer: first\r\nServer: second\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n",
    );
    send(
        "high-bytes",
        b"HTTP/1.1 200 Tr\xe8s bien\r\nServer: caf\xe9\r\n\r\n",
    );
    send(
        "lower-case",
        b"HTTP/1.1 200 ok\r\nserver: tiny\r\ncontent-type: text/plain\r\n\r\n",
    );
    send(
        "no-colon",
        b"HTTP/1.1 200 OK\r\nthis line has none\r\n: no name\r\nServer : tiny\r\n\r\n",
    );
    send(
        "short-length",
        b"HTTP/1.1 200 OK\r\nServer: tiny\r\nContent-Length: 9\r\n\r\n",
    );
    send(
        "long-length",
        b"HTTP/1.1 200 OK\r\nServer: tiny\r\nContent-Length: 99999\r\n\r\n",
    );
    // Responses without a readable status.
    send("no-http", b"");
    send("status-word", b"HTTP/1.1 OK\r\nServer: tiny\r\n\r\n");
    archive.response(
        "https://endless-header.sent.example/robots.txt",
        "HTTP/1.1 200 OK\r\nServer: tiny\r\n",
    );
    archive.response("https://no-block.sent.example/robots.txt", "");
    archive
}

/// Returns chunked payloads that a crawler stored unchanged.
fn chunked() -> Archive {
    let mut archive = Archive::new(21);
    archive.sample_info();
    let mut send = |host: &str, headers: &str, payload: &[u8]| {
        let mut block = format!("HTTP/1.1 200 OK\r\nServer: tiny\r\n{headers}\r\n").into_bytes();
        block.extend_from_slice(payload);
        archive.response(&format!("https://{host}.chunked.example/robots.txt"), block);
    };
    const CHUNKED: &str = "Transfer-Encoding: chunked\r\n";
    let (one, two) = RULES.split_at(20);
    let (one_len, two_len) = (one.len(), two.len());
    send(
        "simple",
        CHUNKED,
        format!("{one_len:x}\r\n{one}\r\n{two_len:x}\r\n{two}\r\n0\r\n\r\n").as_bytes(),
    );
    send(
        "extensions",
        CHUNKED,
        format!(
            "{one_len:X};name=value\r\n{one}\r\n000{two_len:X} ; quoted=\"a;b\"\r\n{two}\r\n0;last\r\n\r\n"
        )
        .as_bytes(),
    );
    send(
        "trailers",
        CHUNKED,
        format!(
            "{:x}\r\n{RULES}\r\n0\r\nX-Checksum: 1\r\nDisallow: /trailer/\r\n\r\n",
            RULES.len()
        )
        .as_bytes(),
    );
    send(
        "upper-case",
        "TRANSFER-ENCODING: Chunked\r\n",
        format!("{:X}\r\n{RULES}\r\n0\r\n\r\n", RULES.len()).as_bytes(),
    );
    send(
        "bare-lf",
        CHUNKED,
        format!("{:x}\n{RULES}\n0\n\n", RULES.len()).as_bytes(),
    );
    // The last chunk is missing; the others end at a line ending.
    send(
        "no-end",
        CHUNKED,
        format!("{:x}\r\n{RULES}\r\n", RULES.len()).as_bytes(),
    );
    // The header states chunked coding, but the payload is not chunked.
    send("lie", CHUNKED, RULES.as_bytes());
    // The crawler decoded the payload and says so.
    send(
        "renamed",
        "X-Crawler-Transfer-Encoding: chunked\r\n",
        RULES.as_bytes(),
    );
    let empty = b"0\r\n\r\n";
    send("empty", CHUNKED, empty);
    archive
}

/// Returns compressed payloads that a crawler stored unchanged.
fn content_encoding() -> io::Result<Archive> {
    let rules = RULES.as_bytes();
    let mut archive = Archive::new(22);
    archive.sample_info();
    let mut send = |host: &str, headers: &[(&str, &str)], payload: &[u8]| {
        let block = http("200 OK", headers, payload);
        archive.response(&format!("https://{host}.encoded.example/robots.txt"), block);
    };
    const NAME: &str = "Content-Encoding";
    send("gzip", &[(NAME, "gzip")], &gzip(rules)?);
    send("x-gzip", &[(NAME, "X-GZIP")], &gzip(rules)?);
    send("deflate-zlib", &[(NAME, "deflate")], &frame::zlib(rules)?);
    send("deflate-raw", &[(NAME, "deflate")], &frame::deflate(rules)?);
    send("br", &[(NAME, "br")], &frame::unhex(frame::BROTLI));
    send("zstd", &[(NAME, "zstd")], &zstd(rules, &[])?);
    send("identity", &[(NAME, "identity")], rules);
    send("twice", &[(NAME, "gzip, gzip")], &gzip(&gzip(rules)?)?);
    send(
        "two-headers",
        &[(NAME, "deflate"), (NAME, "gzip")],
        &gzip(&frame::zlib(rules)?)?,
    );
    send(
        "two-members",
        &[(NAME, "gzip")],
        &[gzip(&rules[..14])?, gzip(&rules[14..])?].concat(),
    );
    let compressed = gzip(rules)?;
    let mut chunked = format!("{:x}\r\n", compressed.len()).into_bytes();
    chunked.extend_from_slice(&compressed);
    chunked.extend_from_slice(b"\r\n0\r\n\r\n");
    send(
        "chunked",
        &[(NAME, "gzip"), ("Transfer-Encoding", "chunked")],
        &chunked,
    );
    // The header states compression, but the payload is not compressed.
    send("gzip-lie", &[(NAME, "gzip")], rules);
    send("br-lie", &[(NAME, "br")], rules);
    send("zstd-lie", &[(NAME, "zstd")], rules);
    send("unknown", &[(NAME, "rot13")], rules);
    // The crawler decoded the payload and says so.
    send("renamed", &[("X-Crawler-Content-Encoding", "gzip")], rules);
    // The payload is compressed without a header that states it.
    send("bare", &[("Content-Type", "text/plain")], &gzip(rules)?);
    Ok(archive)
}

/// Returns records of every type, among them two revisits, with and without an HTTP header.
fn resource_and_revisit() -> Archive {
    const PROFILE: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
    let url = "https://one.example/robots.txt";
    let mut archive = Archive::new(24);
    archive.sample_info();
    let first = archive.ok(url, RULES).add_digests();
    let digest = first
        .headers
        .iter()
        .find(|(name, _)| name == "WARC-Payload-Digest")
        .expect("digests were added")
        .1
        .clone();
    archive
        .push("resource", RULES)
        .set("WARC-Target-URI", "https://resource.example/robots.txt")
        .set("Content-Type", "text/plain");
    archive
        .push("resource", "one.example. 300 IN A 192.0.2.1\n")
        .set("WARC-Target-URI", "dns:one.example")
        .set("Content-Type", "text/dns");
    archive
        .push(
            "revisit",
            "HTTP/1.1 200 OK\r\nServer: tiny\r\nContent-Type: text/plain\r\n\r\n",
        )
        .set("WARC-Target-URI", url)
        .set("Content-Type", "application/http; msgtype=response")
        .set("WARC-Profile", PROFILE)
        .set("WARC-Payload-Digest", &digest);
    archive
        .push("revisit", "")
        .set("WARC-Target-URI", "https://www.one.example/robots.txt")
        .set("WARC-Profile", PROFILE)
        .set("WARC-Refers-To-Target-URI", url)
        .set("WARC-Refers-To-Date", "2026-01-05T12:00:14Z")
        .set("WARC-Payload-Digest", &digest);
    archive
        .push(
            "revisit",
            "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n",
        )
        .set("WARC-Target-URI", "https://one.example/index.html")
        .set("Content-Type", "application/http; msgtype=response")
        .set(
            "WARC-Profile",
            "http://netpreserve.org/warc/1.1/revisit/server-not-modified",
        );
    archive
        .push("metadata", "fetchTimeMs: 12\r\n")
        .set("WARC-Target-URI", url)
        .set("Content-Type", "application/warc-fields");
    archive
        .push("conversion", RULES)
        .set("WARC-Target-URI", url)
        .set("Content-Type", "text/plain");
    archive
        .push("continuation", "Disallow: /more/\n")
        .set("WARC-Target-URI", url)
        .set("WARC-Segment-Number", "2");
    archive
        .push("letter", "A kind that no standard knows.\n")
        .set("WARC-Target-URI", url);
    archive
}

/// Returns responses for URLs with and without the path of a robots.txt file.
fn odd_urls() -> Archive {
    let mut archive = Archive::new(26);
    archive.sample_info();
    for url in [
        // Paths of robots.txt files.
        "<https://angle.url.example/robots.txt>",
        "https://default-port.url.example:443/robots.txt",
        "http://default-port.url.example:80/robots.txt",
        "https://port.url.example:8443/robots.txt",
        "HTTPS://UPPER.URL.Example/robots.txt",
        "https://b\u{fc}cher.example/robots.txt",
        "https://xn--bcher-kva.example/robots.txt",
        "https://user:secret@userinfo.url.example/robots.txt",
        "https://dot.url.example./robots.txt",
        "http://192.0.2.7/robots.txt",
        "http://[2001:db8::7]/robots.txt",
        "https://under_score.url.example/robots.txt",
        "https://fragment.url.example/robots.txt#top",
        // Other paths.
        "https://query.url.example/robots.txt?lang=en",
        "https://case.url.example/Robots.TXT",
        "https://slashes.url.example//robots.txt",
        "https://folder.url.example/en/robots.txt",
        "https://longer.url.example/robots.txt.bak",
        "https://root.url.example/",
        "dns:url.example",
        "not a URL at all",
        // An invalid URL, and the rest of one.
        "/robots.txt",
        // Other paths: `robots.txt` is the host of the first URL.
        "https:///robots.txt",
        "",
    ] {
        archive.ok(url, RULES);
    }
    archive
        .ok("https://absent.url.example/robots.txt", RULES)
        .remove("WARC-Target-URI");
    archive
}

/// Writes the files of `robots/` that an editor or a version control system might alter.
fn write_robots(folder: &Path) -> io::Result<()> {
    // 16,663 bytes of a line are read, so the path is `/xb` in the first file and `/x` in the second.
    let long = format!("User-agent: *\nDisallow:{}/xb\n", " ".repeat(16_651));
    let too_long = format!("User-agent: *\nDisallow:{}/xb\n", " ".repeat(16_652));
    let utf16 = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        "\u{feff}User-agent: *\nDisallow: /\n"
            .encode_utf16()
            .flat_map(order)
            .collect()
    };
    let files: [(&str, Vec<u8>); 18] = [
        (
            "bom.txt",
            b"\xef\xbb\xbfUser-agent: *\nDisallow: /tr/\n".to_vec(),
        ),
        (
            "bom-partial.txt",
            b"\xef\xbbUser-agent: *\nDisallow: /tr/\n".to_vec(),
        ),
        (
            "bom-on-line-2.txt",
            b"User-agent: *\n\xef\xbb\xbfDisallow: /a\nDisallow: /b\n".to_vec(),
        ),
        ("cr-only.txt", b"User-agent: *\rDisallow: /css/\r".to_vec()),
        ("crlf.txt", b"User-agent: *\r\nDisallow: /css/\r\n".to_vec()),
        (
            "mixed-line-ends.txt",
            b"User-agent: *\r\nDisallow: /a\r\r\nDisallow: /b\n\rDisallow: /c".to_vec(),
        ),
        (
            "nul-in-rule.txt",
            b"User-agent: *\nDisallow: /a\0b\nAllow: /ab\n".to_vec(),
        ),
        (
            "nul-at-start.txt",
            b"User-agent: *\n\0Disallow: /a\nDisallow: /b\n".to_vec(),
        ),
        ("utf16le.txt", utf16(u16::to_le_bytes)),
        ("utf16be.txt", utf16(u16::to_be_bytes)),
        (
            "latin1.txt",
            b"User-agent: *\nDisallow: /caf\xe9\n".to_vec(),
        ),
        ("line-16663.txt", long.into_bytes()),
        ("line-16664.txt", too_long.into_bytes()),
        ("empty.txt", Vec::new()),
        (
            "no-final-line-end.txt",
            b"User-agent: *\nDisallow: /a".to_vec(),
        ),
        (
            "blanks-around.txt",
            b"  User-agent :\t*  \n\t\x0bDisallow\x0c: \t/a \x0b\nDisallow\xc2\xa0: /b\n".to_vec(),
        ),
        (
            "unicode-line-separators.txt",
            "User-agent: *\u{2028}Disallow: /a\u{85}Disallow: /b\u{b}Disallow: /c\n".into(),
        ),
        (
            "tabs-for-colon.txt",
            b"User-agent\t*\nDisallow\t \t/a\nDisallow\x0b/b\n".to_vec(),
        ),
    ];
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}
