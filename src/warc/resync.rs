//! Resynchronization: the search for the next member, frame or record after damage or at the start
//! of a range.
//!
//! Readers that continue after damage and callers that split a file into ranges use the same
//! searches, so both find the same offsets. If you change a search, ranges of a file must still
//! give the records and faults of the whole file: see `src/warc/tests/ranges.rs` and `src/warc/tests/hostile.rs`.

use std::io;

use memchr::memmem;

use crate::archive_file::ArchiveFile;
use crate::decode::Compression;
use crate::decode::buffer::DecodedBuffer;
use crate::decode::decoder::Decoder;
use crate::detect::detect_and_start;
use crate::record_start::{HEADER_CHECK_BYTES, is_plausible_header};
use crate::search_budget::SearchBudget;

/// Returns the first offset in `from..limit` at which reading an archive can start.
///
/// This is a gzip member or zstd frame that decompresses to `WARC/`, or an uncompressed record at
/// the start of a line. The result is a guess, because the content of a record can look like the
/// start of another one. It is confirmed when a reader of the bytes before it ends at exactly this
/// offset: see [`Reader::next_offset`](crate::Reader::next_offset).
///
/// Returns `None` if there is no such offset, if the file is not an archive, or if its compression
/// is not `compression`.
///
/// # Errors
///
/// Any error from reading the file.
pub fn find_range_start(
    file: &ArchiveFile,
    compression: Compression,
    from: u64,
    limit: u64,
) -> io::Result<Option<u64>> {
    let mut decoder = Decoder::new(0);
    decoder.source.open_file(file.clone());
    // A file that is not an archive is not an error here: the reader that opens the file from its start reports it.
    match detect_and_start(&mut decoder) {
        Ok(()) if decoder.compression == compression => {}
        Err(error) if error.is_io() => return Err(error.into_io_error()),
        _ => return Ok(None),
    }
    seek_range_start(&mut decoder, &mut DecodedBuffer::new(), from, limit)
}

/// Finds the offset that [`find_range_start`] returns, in an input that is already open, and moves
/// the source there, or the cursor of the buffer if the input is not compressed.
///
/// The counts of the search budget are reset, as they are for a reader that arrives at the offset
/// from before it.
pub(crate) fn seek_range_start(
    decoder: &mut Decoder,
    buffer: &mut DecodedBuffer,
    from: u64,
    limit: u64,
) -> io::Result<Option<u64>> {
    if decoder.compression != Compression::None {
        let search = find_next_member(decoder, from, limit);
        decoder.budget = SearchBudget::default();
        return Ok(search?.found);
    }
    // The byte before `from` determines whether a line starts there.
    let start = from.saturating_sub(1);
    decoder.source.seek(start)?;
    buffer.restart(start);
    let is_found = find_next_record(buffer, decoder, (from - start) as usize, limit)?;
    Ok(is_found.then(|| buffer.offset()))
}

/// The result of a search for a member or frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MemberSearch {
    /// The offset of the first member or frame, of those that the work limit allows to try, that decompresses to
    /// `WARC/`.
    pub(crate) found: Option<u64>,
    /// The first offset before `found`, or before the end of the search, that was not tried because of the work limit.
    pub(crate) unsearched: Option<u64>,
}

/// Finds the next member or frame in `from..limit` that decompresses to `WARC/`, within the work
/// limit.
///
/// Moves the source to the member or frame that was found, or to the end of the range that was searched.
pub(crate) fn find_next_member(
    decoder: &mut Decoder,
    from: u64,
    limit: u64,
) -> io::Result<MemberSearch> {
    let mut search = MemberSearch::default();
    let magic = decoder.magic();
    let finder = memmem::Finder::new(magic);
    decoder.source.seek(from)?;
    loop {
        let rest = limit.saturating_sub(decoder.source.offset());
        if rest == 0 {
            return Ok(search);
        }
        let unread_len = decoder.source.fill(magic.len())?;
        if unread_len < magic.len() {
            decoder.source.consume(unread_len);
            return Ok(search);
        }
        // Only magic numbers that start before the limit count, so that a search costs no more than its range.
        let window = usize::try_from(rest).unwrap_or(usize::MAX);
        let window = window.saturating_add(magic.len() - 1).min(unread_len);
        let Some(index) = finder.find(&decoder.source.unread()[..window]) else {
            // The last bytes may be the first bytes of the magic number.
            decoder.source.consume(window - (magic.len() - 1));
            continue;
        };
        decoder.source.consume(index);
        let offset = decoder.source.offset();
        if let Some(end) = decoder.budget.exhausted_block_end(offset) {
            search.unsearched.get_or_insert(offset);
            decoder.source.skip(end - offset)?;
            continue;
        }
        decoder.source.fill(decoder.probe_bytes())?;
        let probe = decoder.probe();
        decoder.budget.add_probe(offset, probe);
        if probe.is_record {
            if decoder.budget.admit_member(from, offset) {
                search.found = Some(offset);
                return Ok(search);
            }
            search.unsearched.get_or_insert(offset);
        }
        decoder.source.consume(1);
    }
}

/// Moves the cursor to the next plausible record at the start of a line, at least `from` bytes
/// after the cursor, and returns true.
///
/// If there is none before the offset `limit`, moves the cursor to the end of the range that was
/// searched and returns false.
pub(crate) fn find_next_record(
    buffer: &mut DecodedBuffer,
    decoder: &mut Decoder,
    mut from: usize,
    limit: u64,
) -> io::Result<bool> {
    const RECORD_PREFIX: &[u8] = b"WARC/";
    let finder = memmem::Finder::new(RECORD_PREFIX);
    loop {
        let unread = buffer.unread();
        let start = from.min(unread.len());
        if let Some(index) = finder.find(&unread[start..]) {
            let index = start + index;
            if buffer.offset() + index as u64 >= limit {
                buffer.advance(index);
                return Ok(false);
            }
            if buffer.is_line_start(index) {
                buffer.ensure_unread(decoder, index + HEADER_CHECK_BYTES)?;
                if is_plausible_header(&buffer.unread()[index..]) {
                    buffer.advance(index);
                    return Ok(true);
                }
            }
            from = index + RECORD_PREFIX.len();
            continue;
        }
        // The last bytes may be the first bytes of the prefix.
        let searched = start.max(unread.len().saturating_sub(RECORD_PREFIX.len() - 1));
        buffer.advance(searched);
        from = from.saturating_sub(searched);
        let unread_len = buffer.unread().len();
        if buffer.offset() >= limit || !buffer.ensure_unread(decoder, unread_len + 1)? {
            let unread_len = buffer.unread().len();
            buffer.advance(unread_len);
            return Ok(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{gzip, write_temp_file};

    #[test]
    fn a_member_is_found_by_its_decompressed_content() {
        let mut bytes = gzip(b"WARC/1.0\r\n");
        bytes.extend_from_slice(b"\x1f\x8b\x08\x00 no member");
        bytes.extend(gzip(b"not a record"));
        let second = bytes.len() as u64;
        bytes.extend(gzip(b"\r\nWARC/1.0\r\n"));
        let (_file, path) = write_temp_file(&bytes);
        let find = |from, limit| {
            find_range_start(
                &ArchiveFile::open(&path).unwrap(),
                Compression::Gzip,
                from,
                limit,
            )
            .unwrap()
        };
        assert_eq!(find(0, u64::MAX), Some(0));
        assert_eq!(find(1, u64::MAX), Some(second));
        assert_eq!(find(second, u64::MAX), Some(second));
        assert_eq!(find(1, second), None);
        assert_eq!(find(second + 1, u64::MAX), None);
        assert_eq!(find(1 << 40, u64::MAX), None);
    }

    #[test]
    fn a_search_examines_only_its_range() {
        let (_file, path) = write_temp_file(&[gzip(b"WARC/1.0\r\n"), vec![b'-'; 99]].concat());
        let mut decoder = Decoder::new(0);
        decoder.source.open_file(ArchiveFile::open(&path).unwrap());
        detect_and_start(&mut decoder).unwrap();
        for limit in [1, 2, 9, 50] {
            let search = find_next_member(&mut decoder, 1, limit).unwrap();
            assert_eq!((search.found, decoder.source.offset()), (None, limit));
        }
    }

    #[test]
    fn an_uncompressed_record_is_found_at_the_start_of_a_line() {
        let text = b"WARC/1.0\nContent-Length: 1\n\n.xWARC/1.0\nWARC-Type: x\n\n\nWARC/1.0\n\n\n\
            WARC/1.1\r\nA: b\r\nwarc-type: x\r\n\r\n";
        let last = memmem::find(text, b"WARC/1.1").unwrap() as u64;
        let (_file, path) = write_temp_file(text);
        let find = |from, limit| {
            find_range_start(
                &ArchiveFile::open(&path).unwrap(),
                Compression::None,
                from,
                limit,
            )
            .unwrap()
        };
        assert_eq!(find(0, u64::MAX), Some(0));
        for from in 1..=last {
            assert_eq!(find(from, u64::MAX), Some(last), "{from}");
        }
        assert_eq!(find(1, last), None);
        assert_eq!(find(1, last + 1), Some(last));
        assert_eq!(find(last + 1, u64::MAX), None);
    }

    #[test]
    fn a_word_across_two_reads_is_found() {
        for pad in (64 << 10) - 20..(64 << 10) + 5 {
            let mut bytes = b"WARC/".to_vec();
            bytes.resize(pad, b'-');
            bytes.extend_from_slice(b"\nWARC/1.0\nContent-Length: 0\n\n");
            let (_file, path) = write_temp_file(&bytes);
            let found = find_range_start(
                &ArchiveFile::open(&path).unwrap(),
                Compression::None,
                1,
                u64::MAX,
            )
            .unwrap();
            assert_eq!(found, Some(pad as u64 + 1));
        }
    }
}
