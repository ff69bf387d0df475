//! The corpus `stress`: mostly successful captures, many of them large.
//!
//! Records are copied from given archives, or generated from a fixed seed. If the given archives are
//! too small, they are copied several times. A second copy must not be easier than the web: hosts are
//! changed everywhere, and so is one path of every body that occurs only once in the archives, so that
//! the share of repeated bodies stays the same. All lengths stay the same.

use super::{ARCHIVE_BYTES, Corpus};
use inputs::{Floor, Framing};
use memchr::memmem;
use std::collections::HashMap;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

/// The number of captures in a generated archive of about 1.9 MB.
const GENERATED_CAPTURES: u64 = 1250;

/// Writes generated archives until there are `bytes` bytes.
pub(super) fn generate(corpus: &mut Corpus<'_>, bytes: usize) {
    while corpus.bytes < bytes {
        corpus.archive =
            inputs::crawl_of_seed(GENERATED_CAPTURES, Framing::Gzip, corpus.made).bytes;
        corpus.finish_archive();
    }
}

/// Writes copies of the records of archives until there are `bytes` bytes.
pub(super) fn copies_of(archives: &[PathBuf], corpus: &mut Corpus<'_>, bytes: usize) {
    let records: Vec<Vec<u8>> = archives.iter().flat_map(|path| members(path)).collect();
    let mut times: HashMap<u64, u32> = HashMap::new();
    for record in &records {
        *times.entry(hash(body_of(record))).or_default() += 1;
    }
    let info = records.first().cloned().expect("a record");
    for copy in 0.. {
        for record in records.iter().filter(|record| !is_warcinfo(record)) {
            if corpus.archive.is_empty() {
                if corpus.bytes >= bytes {
                    return;
                }
                corpus.push(&info);
            }
            let is_unique = times[&hash(body_of(record))] == 1;
            corpus.push(&changed(record, copy, is_unique));
            // An archive ends after a response, so that requests and responses stay together.
            if corpus.archive.len() >= ARCHIVE_BYTES && is_response(record) {
                corpus.finish_archive();
            }
        }
    }
}

/// Returns the decompressed members of an archive.
fn members(path: &Path) -> Vec<Vec<u8>> {
    let bytes = fs::read(path).unwrap();
    let (mut rest, mut floor, mut members) = (bytes.as_slice(), Floor::new(), Vec::new());
    while !rest.is_empty() {
        let (taken, member) = floor.member(rest);
        members.push(member.to_vec());
        rest = &rest[taken..];
    }
    members
}

/// Returns a record as changed for a copy.
fn changed(record: &[u8], copy: u8, is_unique: bool) -> Vec<u8> {
    let mut changed = record.to_vec();
    if copy == 0 {
        return changed;
    }
    if is_response(record) && is_unique {
        let body_start = record.len() - body_of(record).len();
        change_a_path(&mut changed[body_start..], copy);
    }
    if let Some(host) = host_of(record) {
        for start in memmem::find_iter(record, host) {
            turn_letters(&mut changed[start..start + host.len()], copy);
        }
    }
    changed
}

/// Rotates the letters of the longest path of a rule.
fn change_a_path(body: &mut [u8], copy: u8) {
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
fn turn_letters(text: &mut [u8], by: u8) {
    let end = memchr::memrchr(b'.', text).unwrap_or(text.len());
    for byte in text[..end]
        .iter_mut()
        .filter(|byte| byte.is_ascii_lowercase())
    {
        *byte = b'a' + (*byte - b'a' + by) % 26;
    }
}

fn is_warcinfo(record: &[u8]) -> bool {
    memmem::find(header_of(record), b"WARC-Type: warcinfo").is_some()
}

fn is_response(record: &[u8]) -> bool {
    memmem::find(header_of(record), b"WARC-Type: response").is_some()
}

fn header_of(record: &[u8]) -> &[u8] {
    let end = memmem::find(record, b"\r\n\r\n").unwrap();
    &record[..end]
}

/// Returns the bytes after the WARC header and the HTTP header.
fn body_of(record: &[u8]) -> &[u8] {
    let block = &record[header_of(record).len() + 4..];
    memmem::find(block, b"\r\n\r\n").map_or(&[], |end| &block[end + 4..])
}

fn host_of(record: &[u8]) -> Option<&[u8]> {
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
