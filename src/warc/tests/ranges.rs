//! Ranges of a file give what the whole gives.

use super::*;

/// Reads an archive in two ranges, cut near `from`, as a caller does.
fn read_split(path: &Path, from: u64, limits: Limits) -> Option<Vec<Event>> {
    let mut reader = Reader::new(limits);
    reader.open_file(path).ok()?;
    let compression = reader.compression();
    let start = find_member(path, compression, from, u64::MAX).unwrap();
    let seam = start.unwrap_or(from);
    reader.open_range(path, 0..seam).unwrap();
    let mut events = drain(&mut reader);
    // A range that does not begin where this one ended is read again from there.
    let position = reader.next_offset();
    assert!(position >= seam || start.is_none());
    reader.open_range(path, position..u64::MAX).unwrap();
    events.extend(drain(&mut reader));
    Some(events)
}

#[test]
fn two_ranges_give_what_the_whole_gives() {
    let records = five();
    for (name, parts) in packings(&records) {
        let mut bytes = parts.concat();
        let sound = bytes.clone();
        for damage in (0..=bytes.len()).step_by(7) {
            if let Some(byte) = bytes.get_mut(damage) {
                *byte ^= 0x11;
            }
            let (guard, path) = write(&bytes);
            let (whole, _) = read_range(&bytes, USUAL, None);
            for from in (0..=bytes.len() as u64).step_by(11) {
                for limits in [USUAL, STREAMED] {
                    if let Some(events) = read_split(&path, from, limits) {
                        assert_eq!(events, whole, "{name}, damage {damage}, from {from}");
                    }
                }
            }
            drop(guard);
            bytes.clone_from(&sound);
        }
    }
}

#[test]
fn a_range_gives_the_records_that_begin_in_it() {
    for (name, parts) in packings(&five()) {
        if name.contains("of") {
            continue;
        }
        let bytes = parts.concat();
        let starts: Vec<_> = starts(&parts).iter().map(|&start| start as u64).collect();
        let first = parts.len() - 5;
        for from in first..parts.len() {
            for to in from + 1..=parts.len() {
                let range = Some((starts[from], starts[to]));
                let (events, position) = read_range(&bytes, USUAL, range);
                assert_eq!(events.len(), to - from, "{name}");
                assert_eq!(position, starts[to], "{name}");
            }
        }
    }
}
