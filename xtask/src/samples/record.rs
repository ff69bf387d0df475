//! Records of a generated archive, with their digests.

use std::collections::BTreeMap;

use warc_peer::{RawRecordHeader, WarcHeader, WarcWriter};

/// The time of the first record of a sample, in seconds after 2026-01-05T00:00:00Z.
const NOON: u64 = 12 * 3600;

/// A record as it is written to the archive, including its faults.
#[derive(Clone)]
pub(crate) struct Record {
    pub(crate) version: &'static str,
    pub(crate) headers: Vec<(String, Vec<u8>)>,
    pub(crate) block: Vec<u8>,
    /// A wrong value for `Content-Length`.
    pub(crate) stated_length: Option<String>,
}

impl Record {
    pub(crate) fn new(kind: &str, id: &str, date: &str, block: impl Into<Vec<u8>>) -> Record {
        let mut record = Record {
            version: "1.0",
            headers: Vec::new(),
            block: block.into(),
            stated_length: None,
        };
        record.set("WARC-Type", kind);
        record.set("WARC-Date", date);
        record.set("WARC-Record-ID", format!("<{id}>"));
        record
    }

    /// Sets a header field, in place if it exists.
    pub(crate) fn set(&mut self, name: &str, value: impl AsRef<[u8]>) -> &mut Record {
        let value = value.as_ref().to_vec();
        match self.headers.iter_mut().find(|(n, _)| n == name) {
            Some((_, old)) => *old = value,
            None => self.headers.push((name.to_owned(), value)),
        }
        self
    }

    /// Adds a header field, even if one with this name exists.
    pub(crate) fn add(&mut self, name: &str, value: impl AsRef<[u8]>) -> &mut Record {
        self.headers
            .push((name.to_owned(), value.as_ref().to_vec()));
        self
    }

    pub(crate) fn remove(&mut self, name: &str) -> &mut Record {
        self.headers.retain(|(n, _)| n != name);
        self
    }

    pub(crate) fn version(&mut self, version: &'static str) -> &mut Record {
        self.version = version;
        self
    }

    pub(crate) fn state_length(&mut self, length: impl ToString) -> &mut Record {
        self.stated_length = Some(length.to_string());
        self
    }

    /// Adds the digests, as Common Crawl and most crawlers write them.
    pub(crate) fn add_digests(&mut self) -> &mut Record {
        let payload = match find(&self.block, b"\r\n\r\n") {
            Some(end) => &self.block[end + 4..],
            None => &self.block[..],
        };
        let payload = digest(payload);
        let block = digest(&self.block);
        self.set("WARC-Payload-Digest", payload);
        self.set("WARC-Block-Digest", block)
    }

    /// Returns the record as this tool writes it: header, block, two line endings.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = format!("WARC/{}\r\n", self.version).into_bytes();
        for (name, value) in &self.headers {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b": ");
            out.extend_from_slice(value);
            out.extend_from_slice(b"\r\n");
        }
        let length = match &self.stated_length {
            Some(stated) => stated.clone(),
            None => self.block.len().to_string(),
        };
        out.extend_from_slice(format!("Content-Length: {length}\r\n\r\n").as_bytes());
        out.extend_from_slice(&self.block);
        out.extend_from_slice(b"\r\n\r\n");
        out
    }

    /// Returns the record as the crate `warc` writes it, which implements the standard independently.
    ///
    /// The crate keeps header fields in a hash map and writes them in its order, which differs in
    /// every run. Therefore the lines of the header are sorted afterwards. Names are lower-case.
    pub(crate) fn to_bytes_by_crate(&self) -> std::io::Result<Vec<u8>> {
        let mut headers: Vec<(WarcHeader, Vec<u8>)> = Vec::new();
        for (name, value) in &self.headers {
            headers.push((WarcHeader::from(name), value.clone()));
        }
        let length = self.block.len().to_string().into_bytes();
        headers.push((WarcHeader::ContentLength, length));
        let head = RawRecordHeader {
            version: self.version.to_owned(),
            headers: headers.into_iter().collect(),
        };
        let mut out = Vec::new();
        WarcWriter::new(&mut out).write_raw(head, &self.block)?;

        let end = find(&out, b"\r\n\r\n").expect("the crate ends a header with an empty line");
        let mut lines: Vec<&[u8]> = Vec::new();
        let mut rest = &out[..end + 2];
        while let Some(at) = find(rest, b"\r\n") {
            let (line, after) = rest.split_at(at + 2);
            lines.push(line);
            rest = after;
        }
        lines[1..].sort_unstable();
        let mut sorted = lines.concat();
        sorted.extend_from_slice(&out[end + 2..]);
        Ok(sorted)
    }
}

/// The records of one archive, with their ids and dates.
pub(crate) struct Archive {
    number: u32,
    count: u32,
    start: u64,
    pub(crate) records: Vec<Record>,
}

impl Archive {
    /// Begins the archive with a number. Numbers are unique, so that record ids are unique.
    pub(crate) fn new(number: u32) -> Archive {
        Archive {
            number,
            count: 0,
            start: NOON,
            records: Vec::new(),
        }
    }

    /// Sets the clock to `day` days after 2026-01-05.
    pub(crate) fn start_on_day(&mut self, day: u64) {
        self.start = day * 86400 + NOON;
    }

    pub(crate) fn next_id(&mut self) -> String {
        self.count += 1;
        format!(
            "urn:uuid:{:08x}-0000-4000-8000-{:012x}",
            self.number, self.count
        )
    }

    /// Returns the date of the next record. Records are seven seconds apart.
    pub(crate) fn date(&self) -> String {
        let seconds = self.start + u64::from(self.count) * 7;
        let (day, clock) = (5 + seconds / 86400, seconds % 86400);
        let (month, day) = if day > 31 { (2, day - 31) } else { (1, day) };
        format!(
            "2026-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
            clock / 3600,
            clock / 60 % 60,
            clock % 60
        )
    }

    /// Adds a record of any type and returns it for further changes.
    pub(crate) fn push(&mut self, kind: &str, block: impl Into<Vec<u8>>) -> &mut Record {
        let id = self.next_id();
        let record = Record::new(kind, &id, &self.date(), block);
        self.records.push(record);
        self.records.last_mut().expect("a record was just pushed")
    }

    pub(crate) fn warcinfo(&mut self, fields: &[(&str, &str)]) -> &mut Record {
        let mut block = String::new();
        for (name, value) in fields {
            block.push_str(&format!("{name}: {value}\r\n"));
        }
        self.push("warcinfo", block)
            .set("Content-Type", "application/warc-fields")
    }

    /// Adds the warcinfo record of the small samples, which states a crawl and no subset.
    pub(crate) fn sample_info(&mut self) -> &mut Record {
        self.warcinfo(&[
            ("software", "robots-scan make-samples"),
            ("isPartOf", "SAMPLES-2026"),
            ("format", "WARC File Format 1.0"),
        ])
    }

    /// Adds a response with exactly these bytes as its block.
    pub(crate) fn response(&mut self, url: &str, http: impl Into<Vec<u8>>) -> &mut Record {
        self.push("response", http)
            .set("WARC-Target-URI", url)
            .set("Content-Type", "application/http; msgtype=response")
    }

    /// Adds a response `200 OK` with a body.
    pub(crate) fn ok(&mut self, url: &str, body: impl AsRef<[u8]>) -> &mut Record {
        let block = http("200 OK", &[("Content-Type", "text/plain")], body.as_ref());
        self.response(url, block)
    }

    /// Returns the number of records of each type, for `index.toml`.
    pub(crate) fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for record in &self.records {
            let kind = &record.headers[0].1;
            *counts
                .entry(String::from_utf8_lossy(kind).into_owned())
                .or_default() += 1;
        }
        counts
    }
}

/// Returns a well-formed HTTP response with `Content-Length`.
pub(crate) fn http(status: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut out = format!("HTTP/1.1 {status}\r\n");
    for (name, value) in headers {
        out.push_str(&format!("{name}: {value}\r\n"));
    }
    out.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
    let mut out = out.into_bytes();
    out.extend_from_slice(body);
    out
}

pub(crate) fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|w| w == needle)
}

/// Returns `sha1:` and the digest in base 32.
pub(crate) fn digest(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut out = String::from("sha1:");
    for five in sha1(bytes).chunks(5) {
        let bits = five.iter().fold(0u64, |bits, &b| bits << 8 | u64::from(b));
        for i in (0..8).rev() {
            out.push(char::from(ALPHABET[(bits >> (i * 5) & 31) as usize]));
        }
    }
    out
}

fn sha1(bytes: &[u8]) -> [u8; 20] {
    let mut message = bytes.to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend_from_slice(&(bytes.len() as u64 * 8).to_be_bytes());

    let mut state: [u32; 5] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
    for chunk in message.chunks_exact(64) {
        let mut words = [0u32; 80];
        for (word, four) in words.iter_mut().zip(chunk.chunks_exact(4)) {
            *word = four.iter().fold(0, |w, &b| w << 8 | u32::from(b));
        }
        for i in 16..80 {
            words[i] = (words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16]).rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (i, word) in words.iter().enumerate() {
            let (f, k) = match i / 20 {
                0 => (b & c | !b & d, 0x5a827999),
                1 => (b ^ c ^ d, 0x6ed9eba1),
                2 => (b & c | b & d | c & d, 0x8f1bbcdc),
                _ => (b ^ c ^ d, 0xca62c1d6),
            };
            let next = a
                .rotate_left(5)
                .wrapping_add(f)
                .wrapping_add(e)
                .wrapping_add(k)
                .wrapping_add(*word);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
        }
        for (s, v) in state.iter_mut().zip([a, b, c, d, e]) {
            *s = s.wrapping_add(v);
        }
    }
    let mut out = [0; 20];
    for (four, word) in out.chunks_exact_mut(4).zip(state) {
        four.copy_from_slice(&word.to_be_bytes());
    }
    out
}
