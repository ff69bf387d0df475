//! Lists in Parquet: every codec, folders in the layout of Common Crawl's index,
//! and pages that are too large.

use super::{OPEN, Row, decisions, list, matched, open_dataset, run_match};
use arrow_array::{
    ArrayRef, Int32Array, RecordBatch, StringArray, TimestampMillisecondArray, new_null_array,
};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use parquet::arrow::ArrowWriter;
use parquet::basic::{BrotliLevel, Compression, Encoding, GzipLevel, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int96, Int96Type};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use support::Ran;
use support::test_capture::{TestCapture, dataset, date};
use tempfile::TempDir;

const CLOSED: &str = "User-agent: *\nDisallow: /\n";

/// Returns every codec of the format except LZO, which current writers do not
/// offer.
fn codecs() -> [Compression; 7] {
    [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
        Compression::ZSTD(ZstdLevel::default()),
    ]
}

/// Writes a file with these properties.
fn write(batch: &RecordBatch, properties: WriterProperties) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn with_codec(codec: Compression) -> WriterProperties {
    WriterProperties::builder().set_compression(codec).build()
}

fn url_column(urls: impl IntoIterator<Item = String>) -> RecordBatch {
    let urls: ArrayRef = Arc::new(StringArray::from_iter_values(urls));
    RecordBatch::try_from_iter([("url", urls)]).unwrap()
}

#[test]
fn every_codec_gives_the_same_rows() {
    let folder = TempDir::new().unwrap();
    let out = dataset(
        &folder,
        &[
            TestCapture::ok("https://a.example/robots.txt", 0, CLOSED),
            TestCapture::ok("https://b.example/robots.txt", 0, OPEN),
        ],
    );
    let url = |n: usize| format!("https://{}.example/{n}", ["a", "b", "c"][n % 3]);
    let urls: Vec<String> = (0..5000).map(url).collect();
    let text = list(&folder, "urls.txt", urls.join("\n"));
    let (expected, _) = matched(&out, &text, &["-a", "x"]);
    let allowed = expected.iter().filter(|row| row.access == "allowed");
    assert_eq!((expected.len(), allowed.count()), (5000, 1667));
    let batch = url_column(urls);
    for codec in codecs() {
        let bytes = write(&batch, with_codec(codec));
        let (rows, _) = matched(&out, &list(&folder, "x.parquet", bytes), &["-a", "x"]);
        assert_eq!(rows, expected, "{codec:?}");
    }
}

/// Returns the columns of Common Crawl's index, as documented at
/// <https://commoncrawl.org/columnar-index>. Partition columns are in the names
/// of folders.
fn index_fields() -> Vec<Field> {
    let text = [
        "url_surtkey",
        "url",
        "url_host_name",
        "url_host_tld",
        "url_host_2nd_last_part",
        "url_host_3rd_last_part",
        "url_host_4th_last_part",
        "url_host_5th_last_part",
        "url_host_registry_suffix",
        "url_host_registered_domain",
        "url_host_private_suffix",
        "url_host_private_domain",
        "url_host_name_reversed",
        "url_protocol",
    ];
    let more = [
        ("url_port", DataType::Int32),
        ("url_path", DataType::Utf8),
        ("url_query", DataType::Utf8),
        (
            "fetch_time",
            DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
        ),
        ("fetch_status", DataType::Int16),
        ("fetch_redirect", DataType::Utf8),
        ("content_digest", DataType::Utf8),
        ("content_mime_type", DataType::Utf8),
        ("content_mime_detected", DataType::Utf8),
        ("content_charset", DataType::Utf8),
        ("content_languages", DataType::Utf8),
        ("content_truncated", DataType::Utf8),
        ("warc_filename", DataType::Utf8),
        ("warc_record_offset", DataType::Int32),
        ("warc_record_length", DataType::Int32),
        ("warc_segment", DataType::Utf8),
    ];
    text.map(|name| (name, DataType::Utf8))
        .into_iter()
        .chain(more)
        .map(|(name, kind)| Field::new(name, kind, true))
        .collect()
}

/// Returns a file of the index with these URLs and seconds, compressed with gzip
/// as those of Common Crawl.
fn index_part(rows: &[(&str, i64)]) -> Vec<u8> {
    let urls: ArrayRef = Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row.0)));
    let times = rows.iter().map(|(_, second)| {
        // 2026-01-05, the day of the captures.
        1_767_571_200_000 + second * 1000
    });
    let times: ArrayRef =
        Arc::new(TimestampMillisecondArray::from_iter_values(times).with_timezone("UTC"));
    let fields = index_fields();
    let columns = fields.iter().map(|field| match field.name().as_str() {
        "url" => Arc::clone(&urls),
        "fetch_time" => Arc::clone(&times),
        "url_path" => Arc::new(StringArray::from(vec!["/"; rows.len()])),
        "warc_record_offset" => Arc::new(Int32Array::from(vec![7; rows.len()])),
        _ => new_null_array(field.data_type(), rows.len()),
    });
    let columns = columns.collect();
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap();
    write(&batch, with_codec(Compression::GZIP(GzipLevel::default())))
}

#[test]
fn a_folder_of_the_common_crawl_index_is_read_as_a_list() {
    let folder = TempDir::new().unwrap();
    let url = "https://h.example/robots.txt";
    let out = dataset(
        &folder,
        &[
            TestCapture::ok(url, 10, CLOSED),
            TestCapture::ok(url, 20, OPEN),
        ],
    );
    let index = folder.path().join("cc-index");
    let part = |name: &str, rows: &[(&str, i64)]| {
        let file = index.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, index_part(rows)).unwrap();
    };
    part(
        "crawl=CC-MAIN-2026-02/subset=warc/part-00001-x.c000.gz.parquet",
        &[("https://h.example/3", 19)],
    );
    part(
        "crawl=CC-MAIN-2026-02/subset=warc/part-00000-x.c000.gz.parquet",
        &[("https://h.example/1", 20), ("https://h.example/2", 9)],
    );
    part(
        "crawl=CC-MAIN-2026-01/subset=robotstxt/part-00000-x.c000.gz.parquet",
        &[("https://h.example/0", 21)],
    );
    fs::write(index.join("_SUCCESS"), "").unwrap();
    let (rows, summary) = matched(&out, &index, &["-a", "x"]);
    assert_eq!(summary["urls"], 4);
    let urls: Vec<&str> = rows.iter().map(|row| &row.url[18..]).collect();
    assert_eq!(urls, ["0", "1", "2", "3"]);
    let expected = [
        ("allowed", "wildcard"),
        ("allowed", "wildcard"),
        ("unknown", "no_capture"),
        ("disallowed", "wildcard"),
    ];
    assert_eq!(decisions(&rows), expected);
    // One partition, and one file.
    let partition = index.join("crawl=CC-MAIN-2026-02/subset=warc");
    let (of_partition, _) = matched(&out, &partition, &["-a", "x"]);
    assert_eq!(of_partition, rows[1..]);
    let one = partition.join("part-00001-x.c000.gz.parquet");
    let (of_one, _) = matched(&out, &one, &["-a", "x"]);
    assert_eq!(of_one, rows[3..]);
}

#[test]
fn int96_timestamps_of_spark_are_read() {
    let folder = TempDir::new().unwrap();
    let url = "https://h.example/robots.txt";
    let out = dataset(
        &folder,
        &[
            TestCapture::ok(url, 10, CLOSED),
            TestCapture::ok(url, 20, OPEN),
        ],
    );
    let schema = "message spark { optional binary url (UTF8); optional int96 fetch_time; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(
        &mut bytes,
        schema,
        Arc::new(with_codec(Compression::SNAPPY)),
    )
    .unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let urls = ["https://h.example/1", "https://h.example/2"].map(ByteArray::from);
    let typed = column.typed::<ByteArrayType>();
    typed.write_batch(&urls, Some(&[1, 1]), None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    // Nanoseconds of the day, then the Julian day of 2026-01-05.
    let time = |second: u64| {
        let nanos = second * 1_000_000_000;
        let mut value = Int96::new();
        value.set_data(nanos as u32, (nanos >> 32) as u32, 2_461_046);
        value
    };
    let typed = column.typed::<Int96Type>();
    let times = [time(15), time(25)];
    typed.write_batch(&times, Some(&[1, 1]), None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    let (rows, _) = matched(&out, &list(&folder, "spark.parquet", bytes), &["-a", "x"]);
    let expected = [("disallowed", "wildcard"), ("allowed", "wildcard")];
    assert_eq!(decisions(&rows), expected);
}

#[test]
fn column_names_are_matched_regardless_of_case() {
    let folder = TempDir::new().unwrap();
    let url = "https://h.example/robots.txt";
    let out = dataset(
        &folder,
        &[
            TestCapture::ok(url, 10, CLOSED),
            TestCapture::ok(url, 20, OPEN),
        ],
    );
    let time = date(15);
    let (rows, _) = matched(
        &out,
        &list(
            &folder,
            "a.txt",
            format!("Fetch_Time,URL\n{time},https://h.example/a\n"),
        ),
        &["-a", "x"],
    );
    assert_eq!(decisions(&rows), [("disallowed", "wildcard")]);
    let page = "Page,url\nhttps://h.example/b,https://none.example/\n";
    for name in ["b.csv", "b"] {
        for column in ["Page", "page"] {
            let columns = format!("url={column}");
            let args = ["-a", "x", "--columns", &columns];
            let (rows, _) = matched(&out, &list(&folder, name, page), &args);
            assert_eq!(decisions(&rows), [("allowed", "wildcard")], "{name}");
            assert_eq!(rows[0].url, "https://h.example/b");
        }
    }
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["https://h.example/c"]));
    let times: ArrayRef = Arc::new(StringArray::from(vec![time.as_str()]));
    let columns = [("FETCH_TIME", times), ("Page", texts)];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let bytes = write(&batch, with_codec(Compression::SNAPPY));
    let parquet = list(&folder, "c.parquet", bytes);
    let (rows, _) = matched(&out, &parquet, &["-a", "x", "--columns", "url=page"]);
    assert_eq!(decisions(&rows), [("disallowed", "wildcard")]);
    refused(&out, &parquet, &[], "it has no column 'url'");
    let both = list(&folder, "both.csv", "Url,URL\n1,2\n");
    refused(&out, &both, &[], "'Url' and 'URL' differ in case only");
    let text = list(&folder, "text", "https://h.example/a\n");
    refused(&out, &text, &["--columns", "url=page"], "no column 'page'");
}

#[test]
fn a_long_csv_header_is_recognized() {
    let folder = TempDir::new().unwrap();
    let out = open_dataset(&folder);
    let names: String = (0..3000).map(|n| format!("column_{n},")).collect();
    assert!(names.len() > 32 << 10);
    let csv = format!("{names}url\n{}https://h.example/a\n", ",".repeat(3000));
    for name in ["wide.csv", "wide"] {
        let (rows, _) = matched(&out, &list(&folder, name, &csv), &["-a", "x"]);
        assert_eq!(decisions(&rows), [("allowed", "wildcard")], "{name}");
    }
    let endless = list(&folder, "endless.csv", "x".repeat(5 << 20));
    refused(&out, &endless, &[], "its first line has more than");
}

/// Asserts that `match` refuses a list with a message.
fn refused(dataset: &Path, list: &Path, args: &[&str], word: &str) -> Ran {
    let out = list.with_extension("refused.parquet");
    let ran = run_match(dataset, list, &out, &[&["-a", "x"], args].concat());
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
    assert!(ran.err.contains(word), "`{word}` is not in {}", ran.err);
    assert!(!out.exists());
    ran
}

#[test]
fn a_page_larger_than_the_memory_limit_is_refused_with_its_row_group() {
    let folder = TempDir::new().unwrap();
    let out = open_dataset(&folder);
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(1))
        .build();
    let large = format!("https://h.example/{}", "x".repeat(5 << 20));
    let urls = ["https://h.example/a".to_owned(), large];
    let bytes = write(&url_column(urls), properties);
    assert!(bytes.len() < 1 << 20);
    let parquet = list(&folder, "large.parquet", bytes);
    let ran = refused(
        &out,
        &parquet,
        &["--memory", "16MiB"],
        "row group 1, column `url`: a page has 5242",
    );
    assert!(ran.err.contains("large.parquet"), "{}", ran.err);
    let (rows, _) = matched(&out, &parquet, &["-a", "x", "--memory", "64MiB"]);
    let expected = [("allowed", "wildcard"), ("unknown", "bad_url")];
    assert_eq!(decisions(&rows), expected);
}

#[test]
fn a_page_larger_than_its_header_states_is_refused_with_its_place() {
    let folder = TempDir::new().unwrap();
    let out = open_dataset(&folder);
    let large = format!("https://h.example/{}", "x".repeat(900 << 10));
    for codec in [
        Compression::GZIP(GzipLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
    ] {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let properties = WriterProperties::builder()
                .set_compression(codec)
                .set_writer_version(version)
                .set_dictionary_enabled(false)
                .set_encoding(Encoding::PLAIN)
                .build();
            let mut bytes = write(&url_column([large.clone()]), properties);
            let sound = list(&folder, "sound.parquet", &bytes);
            let (rows, _) = matched(&out, &sound, &["-a", "x"]);
            assert_eq!(decisions(&rows), [("allowed", "wildcard")]);
            // The page is the first of the file: its type, and its decompressed size in three bytes
            // with seven bits each, twice as large.
            let header = &mut bytes[4..];
            assert_eq!((header[0], header[2]), (0x15, 0x15));
            let stated: u32 = 2 * 10_000;
            let old = (3..)
                .take_while(|&i| header[i - 1] & 0x80 != 0 || i == 3)
                .last();
            let last = old.unwrap();
            for (i, byte) in header[3..=last].iter_mut().enumerate() {
                let more = if 3 + i < last { 0x80 } else { 0 };
                *byte = (stated >> (7 * i) & 0x7f) as u8 | more;
            }
            let lie = list(&folder, "lie.parquet", &bytes);
            let to = lie.with_extension("refused.parquet");
            let ran = run_match(&out, &lie, &to, &["-a", "x"]);
            assert_eq!((ran.code, to.exists()), (Some(3), false), "{}", ran.err);
            for word in [
                "lie.parquet",
                "row group 0, column `url`: ",
                "a page header states",
            ] {
                assert!(ran.err.contains(word), "{codec}: {}", ran.err);
            }
        }
    }
}

#[test]
fn a_large_value_that_a_dictionary_repeats_is_read_in_small_batches() {
    let folder = TempDir::new().unwrap();
    let out = open_dataset(&folder);
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_page_size_limit(8 << 20)
        .build();
    let large = format!("https://h.example/{}", "x".repeat(900 << 10));
    let urls = (0..1500).map(|n| match n % 100 {
        0 => large.clone(),
        _ => "https://h.example/a".to_owned(),
    });
    let bytes = write(&url_column(urls), properties);
    let parquet = list(&folder, "repeated.parquet", bytes);
    let (rows, _) = matched(&out, &parquet, &["-a", "x", "--memory", "16MiB"]);
    let is_large = |row: &&Row| row.url.len() == large.len();
    assert_eq!(
        (rows.len(), rows.iter().filter(is_large).count()),
        (1500, 15)
    );
    assert!(rows.iter().all(|row| row.access == "allowed"));
}

#[cfg(unix)]
#[test]
fn parquet_through_a_pipe_is_refused() {
    let folder = TempDir::new().unwrap();
    let out = open_dataset(&folder);
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::write(pipe, b"PAR1 and more")
    });
    refused(&out, &pipe, &[], "cannot come through a pipe");
    let _ = writer.join();
}
