//! The footer of a Parquet file, with limits that are checked before the crate `parquet` parses it.
//!
//! The crate builds the schema by recursion, reserves memory for as many children as a group states, and copies names
//! to each column below them. So the footer is walked first, without recursion over the schema and without keeping
//! anything. The crate reads a known field by its id, whatever type is stated, so here a known field must have the type
//! of parquet.thrift: both then read the same bytes as the same field.

use super::limited_file::SharedFile;
use super::thrift::{ThriftReader, field_type, malformed_error};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::errors::ParquetError;
use parquet::file::FOOTER_SIZE;
use parquet::file::metadata::{
    FooterTail, PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader,
};
use parquet::file::reader::ChunkReader;
use std::fs::File;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The limit of the size of a footer.
const MAX_FOOTER_BYTES: usize = 256 << 20;

/// The limit of the levels of a schema, without its root.
const MAX_SCHEMA_LEVELS: usize = 64;

/// The limit of the name of a column or a group. Query engines name columns by expressions.
const MAX_NAME_BYTES: u64 = 64 << 10;

/// The limit of the paths of all columns together. Each name counts in all columns below it, with [`NAME_OVERHEAD_BYTES`].
const MAX_PATH_BYTES: u64 = 64 << 20;

/// The memory of a name in a path, in addition to its bytes.
const NAME_OVERHEAD_BYTES: u64 = 24;

/// The limit of row groups.
const MAX_ROW_GROUPS: u64 = 1 << 18;

/// The limit of the column chunks of all row groups. Each takes about 500 bytes of memory.
const MAX_COLUMN_CHUNKS: u64 = 1 << 20;

/// The limit of the columns and groups of a schema, and of any other list, such as the key-value pairs.
const MAX_LIST_ITEMS: u64 = 1 << 17;

/// The type of a value in parquet.thrift.
enum Kind {
    Bool,
    Byte,
    I16,
    I32,
    I64,
    Double,
    Binary,
    List(&'static Kind),
    Struct(Fields),
    SchemaElement,
    ColumnChunk,
    RowGroup,
}

/// The fields of a structure by their ids.
type Fields = &'static [(i16, Kind)];

const FILE_METADATA: Fields = &[
    (1, Kind::I32),
    (SCHEMA_ID, Kind::List(&Kind::SchemaElement)),
    (3, Kind::I64),
    (4, Kind::List(&Kind::RowGroup)),
    (5, Kind::List(&KEY_VALUE)),
    (6, Kind::Binary),
    (7, Kind::List(&Kind::Struct(COLUMN_ORDER))),
];
const SCHEMA_ELEMENT: Fields = &[
    (1, Kind::I32),
    (2, Kind::I32),
    (3, Kind::I32),
    (NAME_ID, Kind::Binary),
    (CHILD_COUNT_ID, Kind::I32),
    (6, Kind::I32),
    (7, Kind::I32),
    (8, Kind::I32),
    (9, Kind::I32),
    (10, Kind::Struct(LOGICAL_TYPE)),
];
const SCHEMA_ID: i16 = 2;
const NAME_ID: i16 = 4;
const CHILD_COUNT_ID: i16 = 5;
const EMPTY: Kind = Kind::Struct(&[]);
const LOGICAL_TYPE: Fields = &[
    (1, EMPTY),
    (2, EMPTY),
    (3, EMPTY),
    (4, EMPTY),
    (5, Kind::Struct(&[(1, Kind::I32), (2, Kind::I32)])),
    (6, EMPTY),
    (7, TIME),
    (8, TIME),
    (10, Kind::Struct(&[(1, Kind::Byte), (2, Kind::Bool)])),
    (11, EMPTY),
    (12, EMPTY),
    (13, EMPTY),
    (14, EMPTY),
    (15, EMPTY),
    (16, Kind::Struct(&[(1, Kind::Byte)])),
    (17, Kind::Struct(&[(1, Kind::Binary)])),
    (18, Kind::Struct(&[(1, Kind::Binary), (2, Kind::I32)])),
];
const TIME: Kind = Kind::Struct(&[
    (1, Kind::Bool),
    (2, Kind::Struct(&[(1, EMPTY), (2, EMPTY), (3, EMPTY)])),
]);
static KEY_VALUE: Kind = Kind::Struct(&[(1, Kind::Binary), (2, Kind::Binary)]);
const COLUMN_ORDER: Fields = &[(1, EMPTY), (2, EMPTY), (3, EMPTY)];
const ROW_GROUP: Fields = &[
    (1, Kind::List(&Kind::ColumnChunk)),
    (2, Kind::I64),
    (3, Kind::I64),
    (
        4,
        Kind::List(&Kind::Struct(&[
            (1, Kind::I32),
            (2, Kind::Bool),
            (3, Kind::Bool),
        ])),
    ),
    (5, Kind::I64),
    (6, Kind::I64),
    (7, Kind::I16),
];
const COLUMN_CHUNK: Fields = &[
    (1, Kind::Binary),
    (2, Kind::I64),
    (3, Kind::Struct(COLUMN_METADATA)),
    (4, Kind::I64),
    (5, Kind::I32),
    (6, Kind::I64),
    (7, Kind::I32),
];
const COLUMN_METADATA: Fields = &[
    (1, Kind::I32),
    (2, Kind::List(&Kind::I32)),
    (3, Kind::List(&Kind::Binary)),
    (4, Kind::I32),
    (5, Kind::I64),
    (6, Kind::I64),
    (7, Kind::I64),
    (8, Kind::List(&KEY_VALUE)),
    (9, Kind::I64),
    (10, Kind::I64),
    (11, Kind::I64),
    (12, Kind::Struct(STATISTICS)),
    (
        13,
        Kind::List(&Kind::Struct(&[
            (1, Kind::I32),
            (2, Kind::I32),
            (3, Kind::I32),
        ])),
    ),
    (14, Kind::I64),
    (15, Kind::I32),
    (
        16,
        Kind::Struct(&[
            (1, Kind::I64),
            (2, Kind::List(&Kind::I64)),
            (3, Kind::List(&Kind::I64)),
        ]),
    ),
    (
        17,
        Kind::Struct(&[(1, Kind::Struct(BOUNDING_BOX)), (2, Kind::List(&Kind::I32))]),
    ),
];
const STATISTICS: Fields = &[
    (1, Kind::Binary),
    (2, Kind::Binary),
    (3, Kind::I64),
    (4, Kind::I64),
    (5, Kind::Binary),
    (6, Kind::Binary),
    (7, Kind::Bool),
    (8, Kind::Bool),
    (9, Kind::I64),
];
const BOUNDING_BOX: Fields = &[
    (1, Kind::Double),
    (2, Kind::Double),
    (3, Kind::Double),
    (4, Kind::Double),
    (5, Kind::Double),
    (6, Kind::Double),
    (7, Kind::Double),
    (8, Kind::Double),
];

/// Returns options of the Arrow reader. Without the page index, pages are read one after the other, with their
/// headers, so that the size of each is checked. Types are those of the Parquet schema: an Arrow schema in the footer
/// can state a long name any number of times in few bytes.
fn reader_options() -> ArrowReaderOptions {
    ArrowReaderOptions::new()
        .with_page_index_policy(PageIndexPolicy::Skip)
        .with_skip_arrow_metadata(true)
}

/// Reads the footer of a Parquet file, which may hold any bytes. Every file that is read is opened by this function or
/// by [`read_arrow_footer`]. Several threads may read one file: its position is neither used nor changed.
///
/// # Errors
///
/// Errors of reading, and of a footer that is invalid or exceeds a limit.
pub fn read_footer(file: &File) -> Result<ParquetMetaData, ParquetError> {
    footer_of(&SharedFile(file))
}

fn footer_of(file: &impl ChunkReader) -> Result<ParquetMetaData, ParquetError> {
    catch_panic(|| {
        let tail_start = file.len().checked_sub(FOOTER_SIZE as u64);
        let tail_start = tail_start.ok_or_else(|| error("the file is too short for a footer"))?;
        let tail = FooterTail::try_from(&*file.get_bytes(tail_start, FOOTER_SIZE)?)?;
        if tail.is_encrypted_footer() {
            return Err(error("its footer is encrypted"));
        }
        let length = tail.metadata_length();
        let start = tail_start.checked_sub(length as u64);
        let start = start.ok_or_else(|| {
            error(format!(
                "its footer has {length} bytes, more than the file has"
            ))
        })?;
        if length > MAX_FOOTER_BYTES {
            return Err(error(format!(
                "its footer has {length} bytes, more than {MAX_FOOTER_BYTES}"
            )));
        }
        let bytes = file.get_bytes(start, length)?;
        check_footer(&bytes)?;
        ParquetMetaDataReader::decode_metadata(&bytes)
    })
}

/// Reads the footer of a Parquet file as [`read_footer`] does, for the Arrow reader.
///
/// # Errors
///
/// Those of [`read_footer`], and of a schema that Arrow does not have.
pub fn read_arrow_footer(file: &File) -> Result<ArrowReaderMetadata, ParquetError> {
    arrow_footer_of(&SharedFile(file))
}

fn arrow_footer_of(file: &impl ChunkReader) -> Result<ArrowReaderMetadata, ParquetError> {
    let metadata = Arc::new(footer_of(file)?);
    catch_panic(|| ArrowReaderMetadata::try_new(metadata, reader_options()))
}

fn catch_panic<T>(read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    // Nothing is used again after a panic.
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(error("the Parquet reader panicked: the footer is damaged")))
}

/// Checks the limits of a footer.
fn check_footer(bytes: &[u8]) -> Result<(), ParquetError> {
    let mut walk = Walk {
        reader: ThriftReader::new(bytes),
        schema: None,
        row_groups: 0,
        column_chunks: 0,
    };
    walk.walk_struct(FILE_METADATA)?;
    match walk.schema {
        Some(schema) => schema.finish(),
        None => Err(error("its footer has no schema")),
    }
}

/// The state of a walk through a footer.
struct Walk<'b> {
    reader: ThriftReader<&'b [u8]>,
    schema: Option<SchemaWalk>,
    row_groups: u64,
    column_chunks: u64,
}

impl Walk<'_> {
    fn walk_struct(&mut self, fields: Fields) -> Result<(), ParquetError> {
        let mut id = 0;
        while let Some(value_type) = self.reader.next_field(&mut id).map_err(invalid)? {
            self.walk_field(fields, id, value_type)?;
        }
        Ok(())
    }

    fn walk_field(&mut self, fields: Fields, id: i16, value_type: u8) -> Result<(), ParquetError> {
        let Some((_, kind)) = fields.iter().find(|(known, _)| *known == id) else {
            return self.reader.skip_value(value_type, 0).map_err(invalid);
        };
        if kind.has_type(value_type) {
            self.walk(kind)
        } else {
            Err(invalid(malformed_error()))
        }
    }

    fn walk(&mut self, kind: &Kind) -> Result<(), ParquetError> {
        match kind {
            Kind::List(item) => self.walk_list(item),
            Kind::Struct(fields) => self.walk_struct(fields),
            Kind::RowGroup => self.walk_struct(ROW_GROUP),
            Kind::ColumnChunk => self.walk_struct(COLUMN_CHUNK),
            Kind::SchemaElement => self.walk_schema_element(),
            // `read_i32` also refuses numbers of which the crate would use the last bits.
            Kind::I32 => self.reader.read_i32().map(drop).map_err(invalid),
            _ => {
                let skipped = self.reader.skip_value(kind.field_type(), 0);
                skipped.map_err(invalid)
            }
        }
    }

    fn walk_list(&mut self, item: &Kind) -> Result<(), ParquetError> {
        let (item_type, count) = self.reader.read_list_header().map_err(invalid)?;
        // Some writers state no type for an empty list.
        if count > 0 && !item.has_type(item_type) {
            return Err(invalid(malformed_error()));
        }
        let (before, max, what) = match item {
            Kind::RowGroup => (self.row_groups, MAX_ROW_GROUPS, "row groups"),
            Kind::ColumnChunk => (self.column_chunks, MAX_COLUMN_CHUNKS, "column chunks"),
            Kind::SchemaElement => (0, MAX_LIST_ITEMS, "columns and groups"),
            _ => (0, MAX_LIST_ITEMS, "items in a list"),
        };
        let total = count.saturating_add(before);
        if total > max {
            return Err(error(format!(
                "its footer has {total} {what}, more than {max}"
            )));
        }
        match item {
            Kind::RowGroup => self.row_groups = total,
            Kind::ColumnChunk => self.column_chunks = total,
            Kind::SchemaElement if self.schema.is_some() => {
                return Err(error("its footer has two schemas"));
            }
            Kind::SchemaElement => self.schema = Some(SchemaWalk::new(count)),
            _ => {}
        }
        (0..count).try_for_each(|_| self.walk(item))
    }

    fn walk_schema_element(&mut self) -> Result<(), ParquetError> {
        let (mut name_bytes, mut children) = (0, 0);
        let mut id = 0;
        while let Some(value_type) = self.reader.next_field(&mut id).map_err(invalid)? {
            match (id, value_type) {
                (NAME_ID, field_type::BINARY) => {
                    name_bytes = self.reader.skip_binary().map_err(invalid)?;
                }
                (CHILD_COUNT_ID, field_type::I32) => {
                    children = self.reader.read_size().map_err(invalid)?;
                }
                _ => self.walk_field(SCHEMA_ELEMENT, id, value_type)?,
            }
        }
        match &mut self.schema {
            Some(schema) => schema.add(name_bytes, children.into()),
            None => Ok(()),
        }
    }
}

/// The position in the schema, whose groups and columns are a list in depth-first order.
struct SchemaWalk {
    /// The elements that follow in the list.
    rest: u64,
    /// The children that open groups still need.
    needed: u64,
    has_root: bool,
    /// The groups around the next element, from the root.
    groups: Vec<OpenGroup>,
    /// The bytes of the paths of all columns so far.
    path_bytes: u64,
}

struct OpenGroup {
    children: u64,
    /// The bytes of the path of the group.
    path_bytes: u64,
}

impl SchemaWalk {
    fn new(elements: u64) -> Self {
        Self {
            rest: elements,
            needed: 0,
            has_root: false,
            groups: Vec::new(),
            path_bytes: 0,
        }
    }

    /// Adds the next element of the list.
    fn add(&mut self, name_bytes: u64, children: u64) -> Result<(), ParquetError> {
        self.rest -= 1;
        if name_bytes > MAX_NAME_BYTES {
            return Err(error(format!(
                "a name in its schema has {name_bytes} bytes, more than {MAX_NAME_BYTES}"
            )));
        }
        let mut path_bytes = 0;
        if self.has_root {
            let Some(group) = self.groups.last_mut() else {
                return Err(error("its schema has more than one root"));
            };
            group.children -= 1;
            path_bytes = group.path_bytes + name_bytes + NAME_OVERHEAD_BYTES;
            self.needed -= 1;
        }
        self.has_root = true;
        if children > self.rest.saturating_sub(self.needed) {
            return Err(error(format!(
                "a group of its schema has {children} children, more than the schema has"
            )));
        }
        self.needed += children;
        if children == 0 {
            self.path_bytes += path_bytes;
            if self.path_bytes > MAX_PATH_BYTES {
                return Err(error(format!(
                    "the paths of its columns have more than {MAX_PATH_BYTES} bytes"
                )));
            }
        } else if self.groups.len() == MAX_SCHEMA_LEVELS {
            return Err(error(format!(
                "its schema has more than {MAX_SCHEMA_LEVELS} levels"
            )));
        } else {
            self.groups.push(OpenGroup {
                children,
                path_bytes,
            });
        }
        while self.groups.pop_if(|group| group.children == 0).is_some() {}
        Ok(())
    }

    /// Checks that the schema is complete.
    fn finish(&self) -> Result<(), ParquetError> {
        if self.has_root && self.needed == 0 {
            Ok(())
        } else {
            Err(error("its schema is not complete"))
        }
    }
}

impl Kind {
    /// Returns the type of a field of this kind. That of a truth value is one of two.
    fn field_type(&self) -> u8 {
        match self {
            Self::Bool => field_type::TRUE,
            Self::Byte => field_type::BYTE,
            Self::I16 => field_type::I16,
            Self::I32 => field_type::I32,
            Self::I64 => field_type::I64,
            Self::Double => field_type::DOUBLE,
            Self::Binary => field_type::BINARY,
            Self::List(_) => field_type::LIST,
            Self::Struct(_) | Self::SchemaElement | Self::ColumnChunk | Self::RowGroup => {
                field_type::STRUCT
            }
        }
    }

    fn has_type(&self, value_type: u8) -> bool {
        match self {
            Self::Bool => matches!(value_type, field_type::TRUE | field_type::FALSE),
            kind => kind.field_type() == value_type,
        }
    }
}

fn error(message: impl Into<String>) -> ParquetError {
    ParquetError::General(message.into())
}

fn invalid(_: io::Error) -> ParquetError {
    error("its footer is damaged")
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray, StructArray};
    use bytes::Bytes;
    use parquet::arrow::ArrowWriter;
    use parquet::file::properties::WriterProperties;
    use std::io::{Seek, SeekFrom, Write};

    /// The bytes of a structure in the compact protocol.
    #[derive(Clone, Default)]
    struct Encoded {
        bytes: Vec<u8>,
        last_id: i16,
    }

    impl Encoded {
        fn field(mut self, id: i16, field_type: u8, value: &[u8]) -> Self {
            let step = u8::try_from(id - self.last_id).unwrap();
            self.bytes.push(step << 4 | field_type);
            self.bytes.extend(value);
            self.last_id = id;
            self
        }

        fn number(self, id: i16, field_type: u8, value: u64) -> Self {
            self.field(id, field_type, &varint(value << 1))
        }

        fn text(self, id: i16, text: &[u8]) -> Self {
            self.field(
                id,
                field_type::BINARY,
                &[varint(text.len() as u64), text.to_vec()].concat(),
            )
        }

        fn list(self, id: i16, item_type: u8, count: u64, items: &[u8]) -> Self {
            let header = [vec![0xf0 | item_type], varint(count), items.to_vec()];
            self.field(id, field_type::LIST, &header.concat())
        }

        fn end(mut self) -> Vec<u8> {
            self.bytes.push(0);
            self.bytes
        }
    }

    fn varint(mut value: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while value > 0x7f {
            bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
        bytes
    }

    fn group(name: &[u8], children: u64) -> Vec<u8> {
        let element = Encoded::default().number(3, field_type::I32, 0);
        let element = element.text(NAME_ID, name);
        let element = element.number(CHILD_COUNT_ID, field_type::I32, children);
        element.end()
    }

    fn column(name: &[u8]) -> Vec<u8> {
        let element = Encoded::default().number(1, field_type::I32, 6);
        let element = element.number(3, field_type::I32, 1);
        element.text(NAME_ID, name).end()
    }

    /// A file without rows: its footer has a schema of `count` elements, and whatever `more` adds.
    fn file(count: u64, elements: &[u8], more: impl Fn(Encoded) -> Encoded) -> Bytes {
        let footer = Encoded::default().number(1, field_type::I32, 1);
        let footer = footer.list(SCHEMA_ID, field_type::STRUCT, count, elements);
        let footer = footer.number(3, field_type::I64, 0);
        file_with(&more(footer).end())
    }

    fn file_with(footer: &[u8]) -> Bytes {
        let length = (footer.len() as u32).to_le_bytes();
        [b"PAR1", footer, &length, b"PAR1"].concat().into()
    }

    fn without_rows(footer: Encoded) -> Encoded {
        footer.list(4, field_type::STRUCT, 0, b"")
    }

    /// A file whose schema nests as many groups, with a column in the last one.
    fn nested(groups: u64) -> Bytes {
        let mut elements = group(b"schema", 1);
        for _ in 0..groups {
            elements.extend(group(b"a", 1));
        }
        elements.extend(column(b"a"));
        file(groups + 2, &elements, without_rows)
    }

    fn message(file: &Bytes) -> String {
        let message = footer_of(file).unwrap_err().to_string();
        message.trim_start_matches("Parquet error: ").to_owned()
    }

    fn written(batch: &RecordBatch, row_group_rows: usize) -> Bytes {
        let properties = WriterProperties::builder();
        let properties = properties.set_max_row_group_row_count(Some(row_group_rows));
        let mut bytes = Vec::new();
        let mut writer =
            ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build())).unwrap();
        writer.write(batch).unwrap();
        writer.close().unwrap();
        bytes.into()
    }

    fn numbers(rows: usize) -> ArrayRef {
        Arc::new(Int32Array::from_iter_values(0..rows as i32))
    }

    #[test]
    fn a_footer_of_a_wide_deep_or_long_table_is_read() {
        let columns = (0..2000).map(|i| (format!("column_{i}"), numbers(3)));
        let wide = RecordBatch::try_from_iter(columns).unwrap();
        let footer = arrow_footer_of(&written(&wide, 1)).unwrap();
        assert_eq!(footer.metadata().num_row_groups(), 3);
        assert_eq!(footer.schema().fields().len(), 2000);

        let mut column = numbers(3);
        for level in 0..8 {
            let batch = RecordBatch::try_from_iter([(format!("level_{level}"), column)]).unwrap();
            column = Arc::new(StructArray::from(batch));
        }
        let deep = RecordBatch::try_from_iter([("a", column)]).unwrap();
        arrow_footer_of(&written(&deep, 3)).unwrap();

        let texts: ArrayRef = Arc::new(StringArray::from(vec!["https://example.com/"; 50_000]));
        let long = [("url", texts)];
        let long = RecordBatch::try_from_iter(long).unwrap();
        let footer = footer_of(&written(&long, 1)).unwrap();
        assert_eq!(footer.num_row_groups(), 50_000);
    }

    #[test]
    fn the_position_of_a_file_is_neither_used_nor_changed() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&nested(1)).unwrap();
        file.seek(SeekFrom::Start(7)).unwrap();
        assert_eq!(read_footer(&file).unwrap().num_row_groups(), 0);
        assert_eq!(file.stream_position().unwrap(), 7);
    }

    #[test]
    fn a_schema_has_a_limit_of_levels() {
        for groups in [0, 8, MAX_SCHEMA_LEVELS as u64 - 1] {
            arrow_footer_of(&nested(groups)).unwrap();
        }
        for groups in [MAX_SCHEMA_LEVELS as u64, 1500, 100_000] {
            let message = message(&nested(groups));
            assert_eq!(message, "its schema has more than 64 levels");
        }
    }

    #[test]
    fn a_group_has_the_children_that_follow_it() {
        for children in [2, 1 << 20, i32::MAX as u64] {
            let elements = [group(b"schema", children), column(b"a")].concat();
            let message = message(&file(2, &elements, without_rows));
            assert!(message.contains("more than the schema has"), "{message}");
        }
        // A child of the last group is missing in the group before it.
        let elements = [
            group(b"schema", 2),
            group(b"a", 2),
            column(b"b"),
            column(b"c"),
        ];
        let message_of =
            |elements: &[Vec<u8>], count| message(&file(count, &elements.concat(), without_rows));
        assert!(message_of(&elements, 4).contains("more than the schema has"));
        let elements = [group(b"schema", 1), column(b"a"), column(b"b")];
        assert_eq!(
            message_of(&elements, 3),
            "its schema has more than one root"
        );
        assert_eq!(message_of(&[], 0), "its schema is not complete");
        // The children are fewer than none, or of another type.
        let negative = Encoded::default().text(NAME_ID, b"schema");
        let negative = negative.field(CHILD_COUNT_ID, field_type::I32, &[1]).end();
        assert_eq!(message_of(&[negative], 1), "its footer is damaged");
        let long = Encoded::default().text(NAME_ID, b"schema");
        let long = long.number(CHILD_COUNT_ID, field_type::I64, 1).end();
        assert_eq!(message_of(&[long], 1), "its footer is damaged");
    }

    #[test]
    fn lists_and_names_of_a_footer_have_limits() {
        let one = [group(b"schema", 1), column(b"a")].concat();
        // More than the bytes that are there.
        for (id, count) in [(4, 100), (5, 100), (7, 100)] {
            let more = |footer: Encoded| footer.list(id, field_type::STRUCT, count, b"");
            assert_eq!(message(&file(2, &one, more)), "its footer is damaged");
        }
        for (id, what) in [
            (4, "row groups, more than 262144"),
            (5, "items in a list, more than 131072"),
            (7, "items in a list, more than 131072"),
        ] {
            let more =
                |footer: Encoded| footer.list(id, field_type::STRUCT, 300_000, &vec![0; 300_000]);
            assert!(message(&file(2, &one, more)).contains(what), "{what}");
        }
        let chunks = Encoded::default().list(1, field_type::STRUCT, 1 << 19, &vec![0; 1 << 19]);
        let groups = chunks.end().repeat(3);
        let more = |footer: Encoded| footer.list(4, field_type::STRUCT, 3, &groups);
        let message_of = message(&file(2, &one, more));
        assert!(
            message_of.contains("column chunks, more than 1048576"),
            "{message_of}"
        );

        let elements = [group(b"schema", 1), column(&vec![b'a'; 100_000])].concat();
        let message_of = message(&file(2, &elements, without_rows));
        assert!(
            message_of.contains("a name in its schema has 100000 bytes"),
            "{message_of}"
        );
        // A long name of a group is part of the paths of many columns.
        let columns = column(b"a").repeat(2000);
        let elements = [
            group(b"schema", 1),
            group(&vec![b'a'; 50_000], 2000),
            columns,
        ]
        .concat();
        let message_of = message(&file(2002, &elements, without_rows));
        assert!(
            message_of.contains("the paths of its columns"),
            "{message_of}"
        );

        let two = |footer: Encoded| {
            let bytes = without_rows(footer);
            let second = Encoded {
                last_id: 0,
                ..bytes
            };
            // A long form of the id, which goes back to the schema.
            let mut second = second;
            second.bytes.extend([field_type::LIST, 4, 0x2c]);
            second.bytes.extend(&one);
            second
        };
        assert_eq!(message(&file(2, &one, two)), "its footer has two schemas");
    }

    #[test]
    fn the_end_of_a_file_states_the_length_of_its_footer() {
        let whole = nested(1);
        footer_of(&whole).unwrap();
        for end in [0, 3, 7] {
            let message = message(&whole.slice(..end));
            assert_eq!(message, "the file is too short for a footer");
        }
        let mut long = whole.to_vec();
        let place = long.len() - 5;
        long[place] = 0x7f;
        let message = message(&long.into());
        assert!(message.ends_with("more than the file has"), "{message}");
    }

    #[test]
    fn a_changed_footer_is_read_or_refused() {
        let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, Some("b")]));
        let inner = RecordBatch::try_from_iter([("text", texts), ("n", numbers(3))]).unwrap();
        let inner: ArrayRef = Arc::new(StructArray::from(inner));
        let batch = RecordBatch::try_from_iter([("a", inner), ("n", numbers(3))]).unwrap();
        let whole = written(&batch, 2);
        let length = whole.len();
        let footer_bytes = u32::from_le_bytes(whole[length - 8..length - 4].try_into().unwrap());
        let start = length - 8 - footer_bytes as usize;
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as usize % below
        };
        let (mut read, mut refused) = (0, 0);
        for _ in 0..20_000 {
            let mut bytes = whole.to_vec();
            for _ in 0..=random(3) {
                let place = start + random(length - start);
                match random(3) {
                    0 => bytes[place] ^= 1 << random(8),
                    1 => bytes[place] = random(256) as u8,
                    _ => {
                        // The bytes from another place.
                        let count = random(length - place.max(length - 16)).max(1);
                        let from = start + random(place - start + 1);
                        bytes.copy_within(from..from + count, place);
                    }
                }
            }
            // The crate itself may panic, which is caught; the walk does not.
            let _ = check_footer(&bytes[start..length - 8]);
            match arrow_footer_of(&Bytes::from(bytes)) {
                Ok(_) => read += 1,
                Err(_) => refused += 1,
            }
        }
        assert!(read > 500 && refused > 5000, "{read}, {refused}");
    }
}
