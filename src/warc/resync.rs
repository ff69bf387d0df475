//! Searches for the next place where reading can begin.
//!
//! Readers that go on after damage and callers that cut a file in ranges ask
//! the same two functions, so both come to the same offsets.

use std::fs::File;
use std::io;
use std::path::Path;

use memchr::memmem;

use crate::compression::Compression;
use crate::decode::buffer::Text;
use crate::decode::decoder::Input;
use crate::decode::gzip::{self, Inflate};
use crate::decode::source::Window;
use crate::decode::zstd::{self, Frames};
use crate::header::is_version;
use crate::search_budget::{Probe, SearchBudget};

/// How far into a header we look for a field that every record has.
const HEADER_BYTES: usize = 4 << 10;

/// Work of probes in an input whose beginning is damaged, for each kind of compression.
const CONTAINER_WORK: u64 = 4 << 20;

/// Finds the first place at or after `from`, before `limit`, where an archive can be read from.
///
/// That is a gzip member or a zstd frame which decodes to `WARC/`, or a plain
/// record at the beginning of a line. What is found is a guess until a reader
/// that came from before [ends](crate::Reader::next_offset) exactly there: the
/// bytes of a record may look like the start of another. A file that is no
/// archive, or not packed as `compression` says, has no such place.
///
/// # Errors
///
/// The failure of reading the file.
pub fn find_member(
    path: &Path,
    compression: Compression,
    from: u64,
    limit: u64,
) -> io::Result<Option<u64>> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut input = Input::new(0);
    // Whether the file is an archive at all is for its reader to say.
    match input.open_file(file, length) {
        Ok(()) if input.compression == compression => {}
        Err(error) if error.is_io() => return Err(error.into_io()),
        _ => return Ok(None),
    }
    find_start(&mut input, &mut Text::new(), from, limit)
}

/// Finds what [`find_member`] finds in an open input, where the window, or the text of a plain
/// input, then stands.
///
/// A reader that begins there begins with a new budget, as one does that comes from before.
pub(crate) fn find_start(
    input: &mut Input,
    text: &mut Text,
    from: u64,
    limit: u64,
) -> io::Result<Option<u64>> {
    if input.compression != Compression::None {
        let search = next_member(input, from, limit);
        input.budget = SearchBudget::default();
        return Ok(search?.found);
    }
    let start = from.saturating_sub(1);
    input.window.seek(start)?;
    text.restart(start);
    let found = next_record(text, input, (from - start) as usize, limit)?;
    Ok(found.then(|| text.offset()))
}

/// What a search found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Search {
    /// The first member or frame that may be begun.
    pub(crate) found: Option<u64>,
    /// The first place before it that was not tried, for it would have taken too much work.
    pub(crate) unsearched: Option<u64>,
}

/// Finds the next member or frame that decodes to `WARC/`, in `from..limit`, within the budget.
///
/// The window stands there, or at the end of what was searched.
pub(crate) fn next_member(input: &mut Input, from: u64, limit: u64) -> io::Result<Search> {
    let mut search = Search::default();
    let (magic, proof_bytes) = input.magic();
    let finder = memmem::Finder::new(magic);
    input.window.seek(from)?;
    loop {
        let held = input.window.fill(magic.len())?;
        if held < magic.len() {
            input.window.consume(held);
            return Ok(search);
        }
        match finder.find(input.window.unread()) {
            Some(at) => {
                input.window.consume(at);
                let offset = input.window.offset();
                if offset >= limit {
                    return Ok(search);
                }
                if let Some(end) = input.budget.end_of_search(offset) {
                    search.unsearched.get_or_insert(offset);
                    input.window.skip(end - offset)?;
                    continue;
                }
                input.window.fill(proof_bytes)?;
                let probe = input.probe();
                input.budget.add_probe(offset, probe);
                if probe.is_record {
                    if input.budget.may_begin(from, offset) {
                        search.found = Some(offset);
                        return Ok(search);
                    }
                    search.unsearched.get_or_insert(offset);
                }
                input.window.consume(1);
            }
            None => {
                input.window.consume(held - (magic.len() - 1));
                if input.window.offset() >= limit {
                    return Ok(search);
                }
            }
        }
    }
}

/// Moves the cursor to the next record that begins a line, from `from` after the cursor on.
///
/// Without one before the offset `limit`, the cursor is where the search ended.
pub(crate) fn next_record(
    text: &mut Text,
    input: &mut Input,
    mut from: usize,
    limit: u64,
) -> io::Result<bool> {
    let finder = memmem::Finder::new(b"WARC/");
    loop {
        let rest = text.rest();
        let start = from.min(rest.len());
        if let Some(at) = finder.find(&rest[start..]) {
            let at = start + at;
            if text.offset() + at as u64 >= limit {
                text.advance(at);
                return Ok(false);
            }
            if text.begins_line(at) {
                text.need(input, at + HEADER_BYTES)?;
                if is_plausible(&text.rest()[at..]) {
                    text.advance(at);
                    return Ok(true);
                }
            }
            from = at + 5;
            continue;
        }
        // The last octets may be the first of the word.
        let done = start.max(rest.len().saturating_sub(4));
        text.advance(done);
        from = from.saturating_sub(done);
        let held = text.rest().len();
        if text.offset() >= limit || !text.need(input, held + 1)? {
            let held = text.rest().len();
            text.advance(held);
            return Ok(false);
        }
    }
}

/// How the bytes of an archive are packed whose beginning is damaged, told by
/// what begins first in them.
pub(crate) fn find_compression(bytes: &[u8]) -> Option<Compression> {
    let mut inflate = Inflate::new();
    let mut frames = Frames::new();
    let has_frames = matches!(frames.open(&mut Window::new(0)), Ok(Ok(())));
    let found = [
        (find_record(bytes), Compression::None),
        (
            find_proven(bytes, &gzip::MAGIC, |at| inflate.probe(at)),
            Compression::Gzip,
        ),
        (
            find_proven(bytes, &zstd::MAGIC, |at| match has_frames {
                true => frames.probe(at),
                false => Probe::new(false, 0, 0),
            }),
            Compression::Zstd,
        ),
    ];
    let found = found.into_iter().filter_map(|(at, it)| Some((at?, it)));
    found.min_by_key(|&(at, _)| at).map(|(_, it)| it)
}

/// Returns the first place in `bytes` where `magic` stands and a member is proven, within a bound
/// on the work of its probes.
fn find_proven(bytes: &[u8], magic: &[u8], mut probe: impl FnMut(&[u8]) -> Probe) -> Option<usize> {
    let mut work = 0;
    for at in memmem::find_iter(bytes, magic) {
        let probe = probe(&bytes[at..]);
        work += probe.work;
        if probe.is_record {
            return Some(at);
        } else if work > CONTAINER_WORK {
            return None;
        }
    }
    None
}

/// The first place in `bytes`, after the first line end, at which a record seems to begin.
pub(crate) fn find_record(bytes: &[u8]) -> Option<usize> {
    memmem::find_iter(bytes, b"\nWARC/")
        .map(|at| at + 1)
        .find(|&at| is_plausible(&bytes[at..]))
}

/// Whether `bytes` begin with the header of a record: a version, and soon a type or a length.
fn is_plausible(bytes: &[u8]) -> bool {
    let bytes = &bytes[..bytes.len().min(HEADER_BYTES)];
    let mut lines = bytes.split(|&byte| byte == b'\n');
    if !lines.next().is_some_and(is_version) {
        return false;
    }
    for line in lines {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() || is_version(line) {
            return false;
        }
        let begins_with = |name: &[u8]| {
            line.get(..name.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(name))
        };
        if begins_with(b"warc-type:") || begins_with(b"content-length:") {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{gzip, write};

    #[test]
    fn a_member_is_found_by_what_it_decodes_to() {
        let mut bytes = gzip(b"WARC/1.0\r\n");
        bytes.extend_from_slice(b"\x1f\x8b\x08\x00 no member");
        bytes.extend(gzip(b"not a record"));
        let second = bytes.len() as u64;
        bytes.extend(gzip(b"\r\nWARC/1.0\r\n"));
        let (_file, path) = write(&bytes);
        let find = |from, limit| find_member(&path, Compression::Gzip, from, limit).unwrap();
        assert_eq!(find(0, u64::MAX), Some(0));
        assert_eq!(find(1, u64::MAX), Some(second));
        assert_eq!(find(second, u64::MAX), Some(second));
        assert_eq!(find(1, second), None);
        assert_eq!(find(second + 1, u64::MAX), None);
        assert_eq!(find(1 << 40, u64::MAX), None);
    }

    #[test]
    fn a_plain_record_is_found_where_a_line_begins() {
        let text = b"WARC/1.0\nContent-Length: 1\n\n.xWARC/1.0\nWARC-Type: x\n\n\nWARC/1.0\n\n\n\
            WARC/1.1\r\nA: b\r\nwarc-type: x\r\n\r\n";
        let last = memmem::find(text, b"WARC/1.1").unwrap() as u64;
        let (_file, path) = write(text);
        let find = |from, limit| find_member(&path, Compression::None, from, limit).unwrap();
        assert_eq!(find(0, u64::MAX), Some(0));
        for from in 1..=last {
            assert_eq!(find(from, u64::MAX), Some(last), "{from}");
        }
        assert_eq!(find(1, last), None);
        assert_eq!(find(1, last + 1), Some(last));
        assert_eq!(find(last + 1, u64::MAX), None);
    }

    #[test]
    fn a_word_across_two_readings_is_found() {
        for pad in (64 << 10) - 20..(64 << 10) + 5 {
            let mut bytes = b"WARC/".to_vec();
            bytes.resize(pad, b'-');
            bytes.extend_from_slice(b"\nWARC/1.0\nContent-Length: 0\n\n");
            let (_file, path) = write(&bytes);
            let found = find_member(&path, Compression::None, 1, u64::MAX).unwrap();
            assert_eq!(found, Some(pad as u64 + 1));
        }
    }
}
