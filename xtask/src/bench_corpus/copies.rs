//! Records and bodies of given archives, which are copied several times if they are too few.
//!
//! A second copy must not be easier than the web: one path of every body that occurs only once in the
//! archives is changed, so that the share of repeated bodies stays the same. All lengths stay the same.

use inputs::{Floor, Random};
use memchr::memmem;
use std::collections::HashMap;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

/// Returns the decompressed members of an archive.
pub(super) fn members(path: &Path) -> Vec<Vec<u8>> {
    let bytes = fs::read(path).unwrap();
    let (mut rest, mut floor, mut members) = (bytes.as_slice(), Floor::new(), Vec::new());
    while !rest.is_empty() {
        let (taken, member) = floor.member(rest);
        members.push(member.to_vec());
        rest = &rest[taken..];
    }
    members
}

/// Bodies with status 200 of given archives, without end.
pub(super) struct RealBodies {
    bodies: Vec<Vec<u8>>,
    times: BodyCounts,
    next: usize,
    copy: u8,
}

impl RealBodies {
    /// Reads the bodies, and shuffles them.
    pub(super) fn new(archives: &[PathBuf], seed: u64) -> Self {
        let members = archives.iter().flat_map(|path| members(path));
        let mut bodies: Vec<Vec<u8>> = members
            .filter(|record| is_response(record) && has_robots_path(record) && is_success(record))
            .map(|record| body_of(&record).to_vec())
            .collect();
        assert!(
            !bodies.is_empty(),
            "the archives have no body with status 200"
        );
        let mut random = Random::new(seed);
        for last in (1..bodies.len()).rev() {
            bodies.swap(last, random.below(last as u64 + 1) as usize);
        }
        Self {
            times: BodyCounts::new(bodies.iter().map(Vec::as_slice)),
            bodies,
            next: 0,
            copy: 0,
        }
    }

    /// Returns the next body, and whether it is HTML.
    pub(super) fn next(&mut self) -> (Vec<u8>, bool) {
        let mut body = self.bodies[self.next].clone();
        if self.copy > 0 && self.times.is_unique(&body) {
            change_a_path(&mut body, self.copy);
        }
        self.next += 1;
        if self.next == self.bodies.len() {
            (self.next, self.copy) = (0, self.copy + 1);
        }
        let is_html = body.trim_ascii_start().starts_with(b"<");
        (body, is_html)
    }
}

/// The number of times that each body occurs.
pub(super) struct BodyCounts(HashMap<u64, u32>);

impl BodyCounts {
    pub(super) fn new<'b>(bodies: impl Iterator<Item = &'b [u8]>) -> Self {
        let mut times = HashMap::new();
        for body in bodies {
            *times.entry(hash(body)).or_default() += 1;
        }
        Self(times)
    }

    pub(super) fn is_unique(&self, body: &[u8]) -> bool {
        self.0.get(&hash(body)) == Some(&1)
    }
}

/// Rotates the letters of the longest path of a rule.
pub(super) fn change_a_path(body: &mut [u8], copy: u8) {
    let mut longest = 0..0;
    for line in robots::Lines::new(body, 0) {
        let start = line.bytes.as_ptr().addr() - body.as_ptr().addr();
        if let Some(slash) = memmem::find(line.bytes, b": /")
            && line.bytes.len() - slash > longest.len()
        {
            longest = start + slash + 3..start + line.bytes.len();
        }
    }
    turn_letters(&mut body[longest], copy);
}

/// Rotates the lower-case letters except those of the top-level domain, so that hosts stay valid.
pub(super) fn turn_letters(text: &mut [u8], by: u8) {
    let end = memchr::memrchr(b'.', text).unwrap_or(text.len());
    for byte in text[..end]
        .iter_mut()
        .filter(|byte| byte.is_ascii_lowercase())
    {
        *byte = b'a' + (*byte - b'a' + by) % 26;
    }
}

pub(super) fn is_warcinfo(record: &[u8]) -> bool {
    memmem::find(header_of(record), b"WARC-Type: warcinfo").is_some()
}

pub(super) fn is_response(record: &[u8]) -> bool {
    memmem::find(header_of(record), b"WARC-Type: response").is_some()
}

fn is_success(record: &[u8]) -> bool {
    let block = &record[header_of(record).len() + 4..];
    block.starts_with(b"HTTP/") && block.get(8..12) == Some(b" 200")
}

fn has_robots_path(record: &[u8]) -> bool {
    let header = header_of(record);
    let uri = memmem::find(header, b"WARC-Target-URI: ");
    let uri = uri.and_then(|start| header[start..].split(|&byte| byte == b'\r').next());
    uri.is_some_and(|uri| uri.ends_with(b"/robots.txt"))
}

fn header_of(record: &[u8]) -> &[u8] {
    let end = memmem::find(record, b"\r\n\r\n").unwrap();
    &record[..end]
}

/// Returns the bytes after the WARC header and the HTTP header.
pub(super) fn body_of(record: &[u8]) -> &[u8] {
    let block = &record[header_of(record).len() + 4..];
    let end = memmem::find(block, b"\r\n\r\n");
    let body = end.map_or(&[][..], |end| &block[end + 4..]);
    // Two line ends follow the block.
    body.strip_suffix(b"\r\n\r\n").unwrap_or(body)
}

pub(super) fn host_of(record: &[u8]) -> Option<&[u8]> {
    let header = header_of(record);
    let uri = memmem::find(header, b"WARC-Target-URI: ")?;
    let host = uri + memmem::find(&header[uri..], b"://")? + 3;
    let len = header[host..]
        .iter()
        .position(|byte| matches!(byte, b'/' | b':' | b'\r'))?;
    Some(&header[host..host + len])
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_copy_of_bodies_changes_those_that_occur_once() {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data-samples/warc");
        let mut bodies = RealBodies::new(&[samples.join("cc-robotstxt.warc.gz")], 1);
        let count = bodies.bodies.len();
        let mut draw = || -> Vec<Vec<u8>> { (0..count).map(|_| bodies.next().0).collect() };
        let (first, second) = (draw(), draw());
        let times = BodyCounts::new(first.iter().map(Vec::as_slice));
        let mut changed = 0;
        for (one, other) in first.iter().zip(&second) {
            assert_eq!(one.len(), other.len());
            assert!(one == other || times.is_unique(one));
            changed += usize::from(one != other);
        }
        assert!(changed > count / 4, "{changed} of {count}");
    }
}
