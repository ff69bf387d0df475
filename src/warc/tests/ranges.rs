//! Ranges of a file give the records and faults of the whole file.

use super::*;

/// Reads an archive in two ranges with a boundary near `from`, as a caller does.
fn read_in_two_ranges(path: &Path, from: u64, limits: Limits) -> Option<Vec<ReadEvent>> {
    let mut reader = Reader::new(limits);
    reader.open_file(path).ok()?;
    let compression = reader.compression();
    let file = ArchiveFile::open(path).unwrap();
    let start = find_range_start(&file, compression, from, u64::MAX).unwrap();
    let boundary = start.unwrap_or(from);
    reader.open_range(&file, 0..boundary).unwrap();
    let mut events = read_to_end(&mut reader);
    // The guess is wrong if it differs from the position, and the range is read from there.
    let position = reader.next_offset();
    assert!(position >= boundary || start.is_none());
    reader.open_range(&file, position..u64::MAX).unwrap();
    events.extend(read_to_end(&mut reader));
    Some(events)
}

#[test]
fn two_ranges_give_the_records_and_faults_of_the_whole_file() {
    let records = five_records();
    for (name, parts) in build_framings(&records) {
        let mut bytes = parts.concat();
        let sound = bytes.clone();
        for damage in (0..=bytes.len()).step_by(19) {
            if let Some(byte) = bytes.get_mut(damage) {
                *byte ^= 0x11;
            }
            let (guard, path) = write_temp_file(&bytes);
            let (whole, _) = read_range(&bytes, ONE_CALL_LIMITS, None);
            for from in (0..=bytes.len() as u64).step_by(11) {
                for limits in [ONE_CALL_LIMITS, STEPWISE_LIMITS] {
                    if let Some(events) = read_in_two_ranges(&path, from, limits) {
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
fn a_range_gives_the_records_that_start_in_it() {
    for (name, parts) in build_framings(&five_records()) {
        if name.contains("of") {
            continue;
        }
        let bytes = parts.concat();
        let starts: Vec<_> = part_starts(&parts)
            .iter()
            .map(|&start| start as u64)
            .collect();
        let first = parts.len() - 5;
        for from in first..parts.len() {
            for to in from + 1..=parts.len() {
                let range = Some((starts[from], starts[to]));
                let (events, position) = read_range(&bytes, ONE_CALL_LIMITS, range);
                assert_eq!(events.len(), to - from, "{name}");
                assert_eq!(position, starts[to], "{name}");
            }
        }
    }
}
