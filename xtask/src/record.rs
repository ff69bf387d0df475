//! Records of generated archives, with their digests.

use sha1::{Digest, Sha1};

/// A record of WARC 1.0 as it is written to an archive.
pub(crate) struct Record {
    headers: Vec<(String, Vec<u8>)>,
    pub(crate) block: Vec<u8>,
}

impl Record {
    pub(crate) fn new(kind: &str, id: &str, date: &str, block: Vec<u8>) -> Record {
        let headers = Vec::new();
        let mut record = Record { headers, block };
        record.set("WARC-Type", kind);
        record.set("WARC-Date", date);
        record.set("WARC-Record-ID", format!("<{id}>"));
        record
    }

    /// Sets a header field, in place if it exists.
    pub(crate) fn set(&mut self, name: &str, value: impl AsRef<[u8]>) {
        let value = value.as_ref().to_vec();
        match self.headers.iter_mut().find(|(other, _)| other == name) {
            Some((_, old)) => *old = value,
            None => self.headers.push((name.to_owned(), value)),
        }
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.headers.retain(|(other, _)| other != name);
    }

    /// Adds the digests, as Common Crawl and most crawlers write them.
    pub(crate) fn add_digests(&mut self) {
        let end = self.block.windows(4).position(|four| four == b"\r\n\r\n");
        let payload = digest(&self.block[end.map_or(0, |end| end + 4)..]);
        let block = digest(&self.block);
        self.set("WARC-Payload-Digest", payload);
        self.set("WARC-Block-Digest", block);
    }

    /// Returns the bytes of the record: header, block, two line endings.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = b"WARC/1.0\r\n".to_vec();
        for (name, value) in &self.headers {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b": ");
            out.extend_from_slice(value);
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(format!("Content-Length: {}\r\n\r\n", self.block.len()).as_bytes());
        out.extend_from_slice(&self.block);
        out.extend_from_slice(b"\r\n\r\n");
        out
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

/// Returns `sha1:` and the digest in base 32.
pub(crate) fn digest(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut out = String::from("sha1:");
    for five in Sha1::digest(bytes).chunks(5) {
        let bits = five.iter().fold(0u64, |bits, &b| bits << 8 | u64::from(b));
        for i in (0..8).rev() {
            out.push(char::from(ALPHABET[(bits >> (i * 5) & 31) as usize]));
        }
    }
    out
}
