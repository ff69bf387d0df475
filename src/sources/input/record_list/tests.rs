//! Reads made lists of records.

use super::*;
use std::io::Write;

/// Returns the inputs of a list, as crawl, name and offsets, with a limit of records.
fn find(text: &str, limit: usize) -> Result<Vec<(String, String, Vec<u64>)>, Error> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let options = options_of_a_server();
    let place = ListContext {
        path: Path::new("list"),
        base: options.base.as_deref(),
        columns: &ColumnNames::default(),
        is_remote: false,
    };
    let mut records = Records::default();
    read_list(file, place, limit, &mut records)?;
    let inputs = make_inputs(records, &options, place.path)?;
    let inputs = inputs.into_iter().map(|input| {
        let offsets = input
            .source
            .addresses()
            .iter()
            .map(|address| address.offset)
            .collect();
        (input.crawl, input.name, offsets)
    });
    Ok(inputs.collect())
}

fn options_of_a_server() -> InputOptions {
    InputOptions {
        base: Some("https://localhost/".to_owned()),
        ..InputOptions::default()
    }
}

const ARCHIVE: &str = "crawl-data/CC-MAIN-2024-10/segments/1/robotstxt/a.warc.gz";

#[test]
fn inputs_are_in_the_order_of_crawl_archive_and_offset() {
    let text = format!(
        "url,filename,offset,length,crawl,subset\n\
         x,{ARCHIVE},900,10,,\n\
         x,other/b.warc.gz,5,1,CC-MAIN-2023-50,robotstxt\n\
         x,{ARCHIVE},100,800,,\n\
         x,other/a.warc.gz,5,1,CC-MAIN-2023-50,robotstxt\n"
    );
    let expected = [
        ("CC-MAIN-2023-50", "other/a.warc.gz", vec![5]),
        ("CC-MAIN-2023-50", "other/b.warc.gz", vec![5]),
        ("CC-MAIN-2024-10", ARCHIVE, vec![100, 900]),
    ];
    let expected =
        expected.map(|(crawl, name, offsets)| (crawl.to_owned(), name.to_owned(), offsets));
    assert_eq!(find(&text, 4).unwrap(), expected);
    let error = find(&text, 3).unwrap_err();
    let limit = SourceErrorKind::TooManyRecords { limit: 3 };
    assert_eq!(error.kind(), Some(&limit));
}

#[test]
fn an_address_that_no_record_can_have_is_an_error_of_its_row() {
    for (address, reason) in [
        ("-1,5", "the offset is -1"),
        ("9223372036854775807,5", "the offset is 9223372036854775807"),
        ("5,0", "the length is 0"),
        ("5,1152921504606846976", "the length is 1152921504606846976"),
        ("5,-5", "the length is -5"),
        ("x,5", "the offset is 'x', which is not a number"),
        ("5,", "it has no length"),
    ] {
        let text = format!("filename,offset,length\n{ARCHIVE},1,1\n{ARCHIVE},{address}\n");
        let error = find(&text, 9).unwrap_err().to_string();
        assert!(error.contains("row 1 (counted from 0)"), "{error}");
        assert!(error.contains(reason), "{error}");
    }
    let long = "x".repeat(MAX_ARCHIVE_NAME_BYTES + 1);
    for name in [
        &long,
        "",
        "../a.warc.gz",
        "/etc/passwd",
        "https://other/a.warc.gz",
    ] {
        assert!(
            find(&format!("filename,offset,length\n{name},1,1\n"), 9).is_err(),
            "{name}"
        );
    }
}

#[test]
fn a_list_from_a_pipe_has_a_limit() {
    let mut pipe = &b"filename,offset,length"[..];
    assert!(spool(&mut pipe, Path::new("-"), 22).is_ok());
    let mut pipe = &b"filename,offset,length\n"[..];
    let error = spool(&mut pipe, Path::new("-"), 22).unwrap_err();
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("more than 22 bytes"), "{cause}");
}

#[test]
fn a_record_is_listed_once() {
    for (second, reason) in [("5,5", "twice"), ("9,5", "overlap")] {
        for name in [ARCHIVE, &format!("./{ARCHIVE}"), &format!("././{ARCHIVE}")] {
            let text = format!("filename,offset,length\n{ARCHIVE},5,5\n{name},{second}\n");
            let error = find(&text, 9).unwrap_err().to_string();
            assert!(error.contains(reason), "{name}: {error}");
        }
    }
}

#[test]
fn a_query_is_not_part_of_the_name_of_an_archive() {
    let header = "filename,offset,length,crawl,subset\n";
    let found = find(&format!("{header}a.warc?sig=secret,5,5,C,warc\n"), 9).unwrap();
    assert_eq!(found, [("C".to_owned(), "a.warc".to_owned(), vec![5])]);
    for other in ["a.warc", "a.warc?sig=other"] {
        let rows = format!("a.warc?sig=secret,5,5,C,warc\n{other},50,5,D,warc\n");
        let error = find(&format!("{header}{rows}"), 9).unwrap_err();
        assert_eq!(error.kind(), Some(&SourceErrorKind::SameInput));
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    let rows = "a.warc?b,5,5,C,warc\na.warc?b,50,5,D,warc\n";
    assert_eq!(find(&format!("{header}{rows}"), 9).unwrap().len(), 2);
}

#[test]
fn a_list_at_a_url_names_no_file_of_this_machine() {
    let check = |name: &str, base, is_remote| {
        let mut file = tempfile::tempfile().unwrap();
        write!(file, "filename,offset,length\n{name},5,5\n").unwrap();
        let path = Path::new("https://h/list.csv");
        let place = ListContext {
            path,
            base,
            columns: &ColumnNames::default(),
            is_remote,
        };
        read_list(file, place, 9, &mut Records::default())
    };
    for name in ["private.warc.gz", "./private.warc.gz", "crawl-data"] {
        let error = check(name, None, true).unwrap_err();
        let Some(SourceErrorKind::UnsafeLine { reason, .. }) = error.kind() else {
            panic!("{error}");
        };
        assert_eq!(*reason, UnsafeLineReason::LocalFile);
        assert!(check(name, None, false).is_ok());
        assert!(check(name, Some("folder"), true).is_ok());
    }
    assert!(check(ARCHIVE, None, true).is_ok());
}

#[test]
fn the_names_of_archives_have_a_limit() {
    let name = |i: usize| format!("{}{i}", "x".repeat(MAX_ARCHIVE_NAME_BYTES - 9));
    let count = 2 * FREE_NAMES_BYTES as usize / MAX_ARCHIVE_NAME_BYTES;
    let rows =
        |count: usize| -> String { (0..count).map(|i| format!("{},5,5\n", name(i))).collect() };
    let read = |bytes: &[u8]| {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let place = ListContext {
            path: Path::new("list"),
            base: None,
            columns: &ColumnNames::default(),
            is_remote: false,
        };
        let mut records = Records::default();
        read_list(file, place, usize::MAX, &mut records).map(|()| records.archives.bytes)
    };
    let text = format!("filename,offset,length\n{}", rows(count));
    // The bytes of a plain list pay for its names.
    assert!(read(text.as_bytes()).unwrap() > FREE_NAMES_BYTES);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(text.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let error = read(&packed).unwrap_err();
    let Some(SourceErrorKind::LongNames {
        row: Some(row),
        bytes_max,
    }) = error.kind()
    else {
        panic!("{error}");
    };
    let paid = FREE_NAMES_BYTES + MAX_NAMES_RATIO * packed.len() as u64;
    assert_eq!(*bytes_max, paid);
    assert!(*row > 4000, "{row}");
}

#[test]
fn an_archive_with_a_long_name_has_a_limited_number_of_inputs() {
    let address = |i: u64| RecordAddress {
        offset: i * MAX_INPUT_BYTES,
        length: MAX_INPUT_BYTES,
    };
    let archive = |records: u64| ArchiveRecords {
        archive: 0,
        crawl: None,
        subset: None,
        addresses: (0..records).map(address).collect(),
    };
    let check = |name: &str, records| {
        let name = name.to_owned();
        let input = find_archive(name, &options_of_a_server(), Path::new("list")).unwrap();
        check_input_limits(&[(0, input)], &[archive(records)], Path::new("list"))
    };
    let long = "x".repeat(MAX_ARCHIVE_NAME_BYTES);
    let most = MAX_NAMES_BYTES / long.len() as u64;
    assert!(check("a", most + 1).is_ok());
    assert!(check(&long, most).is_ok());
    let error = check(&long, most + 1).unwrap_err();
    let kind = SourceErrorKind::LongNames {
        row: None,
        bytes_max: MAX_NAMES_BYTES,
    };
    assert_eq!(error.kind(), Some(&kind));
    let error = check("a", MAX_INPUTS + 1).unwrap_err().to_string();
    assert!(error.contains("2097153 inputs"), "{error}");
}

#[test]
fn the_records_of_an_archive_are_divided_into_inputs() {
    let addresses = |count: usize, length: u64| -> Vec<RecordAddress> {
        let address = |i: u64| RecordAddress {
            offset: i * length,
            length,
        };
        (0..count as u64).map(address).collect()
    };
    let sizes = |addresses: &[RecordAddress], is_remote| -> Vec<usize> {
        let inputs = divide_addresses(addresses, is_remote);
        inputs.iter().map(|input| input.len()).collect()
    };
    let many = addresses(MAX_INPUT_RECORDS + 1, 1);
    assert_eq!(sizes(&many, false), [MAX_INPUT_RECORDS, 1]);
    let large = addresses(3, MAX_INPUT_BYTES / 2 + 1);
    assert_eq!(sizes(&large, true), [1, 1, 1]);
    assert_eq!(sizes(&large, false), [3]);
    let fitting = addresses(4, MAX_INPUT_BYTES / 2);
    assert_eq!(sizes(&fitting, true), [2, 2]);
}
