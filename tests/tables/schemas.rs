//! Compares `schemas/`, the contract with readers of the data, with the code and with the files that
//! it writes.

use parquet::basic::{LogicalType, Repetition, TimeUnit, Type};
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use support::{archive, files_below, project, relative, run};
use tables::Table;
use tables::schema_sql;

/// A column according to `schemas/` or to a Parquet file.
#[derive(Clone, Debug, PartialEq)]
struct Column {
    name: String,
    sql_type: String,
    is_nullable: bool,
    about: String,
}

/// Reads the contract of a table: its description and its columns.
fn contract(table: &str) -> (String, Vec<Column>) {
    let path = project().join("schemas").join(format!("{table}.sql"));
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let about = lines.next().and_then(|line| line.strip_prefix("-- "));
    let begin = format!("CREATE TABLE {table} (");
    assert_eq!(lines.next(), Some(begin.as_str()));
    // Columns that only views have follow a comment.
    let lines = lines.take_while(|line| *line != ");" && !line.starts_with("  --"));
    let columns = lines.map(|line| {
        let (column, about) = line.split_once(" -- ").unwrap();
        let mut words = column.trim().trim_end_matches(',').splitn(3, ' ');
        let mut word = || words.next().map(str::to_owned);
        let (name, sql_type, null) = (word().unwrap(), word().unwrap(), word());
        assert!(
            null.is_none() || null.as_deref() == Some("NOT NULL"),
            "{line}"
        );
        Column {
            name,
            sql_type,
            is_nullable: null.is_none(),
            about: about.to_owned(),
        }
    });
    (about.unwrap().to_owned(), columns.collect())
}

#[test]
fn the_schemas_folder_equals_the_generated_files() {
    let committed = project().join("schemas");
    let folder = tempfile::tempdir().unwrap();
    let ran = run(["schema", "--write", folder.path().to_str().unwrap()]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let texts = |root: &Path| -> BTreeMap<String, String> {
        let text = |path: &PathBuf| (relative(path, root), fs::read_to_string(path).unwrap());
        files_below(root).iter().map(text).collect()
    };
    let (generated, committed) = (texts(folder.path()), texts(&committed));
    let hint = "run `cargo run -- schema --write schemas`";
    let names = |texts: &BTreeMap<String, String>| texts.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&generated), names(&committed), "{hint}");
    for (name, text) in &generated {
        assert_eq!(text, &committed[name], "{name} differs: {hint}");
    }
    for table in answers::own_tables::all() {
        assert_eq!(
            schema_sql(table),
            committed[&format!("{}.sql", table.name())]
        );
    }
    assert_eq!(
        run(["schema", "--anomalies"]).out,
        committed["anomalies.md"]
    );
    assert_eq!(
        names(&committed).len(),
        answers::own_tables::all().len() + 2
    );
}

/// Returns the columns of a Parquet file, according to its Parquet types, which all readers see, and
/// to its metadata.
fn columns_of(path: &Path) -> Vec<Column> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let metadata = reader.metadata().file_metadata();
    let arrow = parquet::arrow::parquet_to_arrow_schema(
        metadata.schema_descr(),
        metadata.key_value_metadata(),
    );
    let arrow = arrow.unwrap();
    let columns = metadata.schema_descr().columns().iter();
    let described = columns.zip(arrow.fields()).map(|(column, field)| {
        assert_eq!(column.name(), field.name());
        let sql_type = match (column.physical_type(), column.logical_type_ref()) {
            (Type::BOOLEAN, None) => "BOOLEAN",
            (Type::DOUBLE, None) => "DOUBLE",
            (Type::INT64, None) => "BIGINT",
            (Type::INT32, None) => "INTEGER",
            (Type::INT32, Some(LogicalType::Integer(integer))) if integer.bit_width == 16 => {
                "SMALLINT"
            }
            (Type::BYTE_ARRAY, Some(LogicalType::String)) => "VARCHAR",
            (Type::INT64, Some(LogicalType::Timestamp(timestamp)))
                if timestamp.unit == TimeUnit::MILLIS =>
            {
                "TIMESTAMP"
            }
            other => panic!("{} of {}: {other:?}", column.name(), path.display()),
        };
        let repetition = column.self_type().get_basic_info().repetition();
        assert_eq!(field.is_nullable(), repetition == Repetition::OPTIONAL);
        Column {
            name: column.name().to_owned(),
            sql_type: sql_type.to_owned(),
            is_nullable: repetition == Repetition::OPTIONAL,
            about: field.metadata().get("comment").cloned().unwrap_or_default(),
        }
    });
    described.collect()
}

/// Returns the key-value metadata of a Parquet file.
fn notes_of(path: &Path) -> BTreeMap<String, String> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let notes = reader.metadata().file_metadata().key_value_metadata();
    let notes = notes.into_iter().flatten();
    notes
        .map(|pair| (pair.key.clone(), pair.value.clone().unwrap_or_default()))
        .collect()
}

#[test]
fn written_files_conform_to_the_schemas() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    // Two crawls, so that there are two partitions.
    let inputs = [
        archive("cc-robotstxt.warc.gz"),
        archive("damaged-often.warc.gz"),
    ];
    let ran = run([
        &inputs[0],
        &inputs[1],
        "-o",
        out.to_str().unwrap(),
        "--with-bodies",
    ]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let partitions = [
        "crawl=CC-MAIN-2026-01-SAMPLE/subset=robotstxt",
        "crawl=SAMPLES-2026/subset=warc",
    ];
    for table in Table::ALL {
        let (about, mut columns) = contract(table.name());
        let parts = files_below(&out.join(table.name()));
        let parts: Vec<String> = parts
            .iter()
            .map(|path| relative(path, &out.join(table.name())))
            .collect();
        if table == Table::AGENTS {
            assert_eq!(parts, ["agents.parquet"]);
        } else if table.is_per_crawl() {
            assert_eq!(columns.pop().unwrap().name, "crawl");
            let crawls = ["CC-MAIN-2026-01-SAMPLE", "SAMPLES-2026"];
            let expected = crawls.map(|crawl| format!("crawl={crawl}/part-00000.parquet"));
            assert_eq!(parts, expected);
        } else {
            // The last two columns are the partition folders.
            let folders = columns.split_off(columns.len() - 2);
            assert_eq!([&*folders[0].name, &*folders[1].name], ["crawl", "subset"]);
            let expected = partitions.map(|folders| format!("{folders}/part-00000.parquet"));
            assert_eq!(parts, expected);
        }
        for part in &parts {
            let path = out.join(table.name()).join(part);
            assert_eq!(columns_of(&path), columns, "{}", path.display());
            let notes = notes_of(&path);
            assert_eq!(notes["robots_scan.table"], table.name());
            assert_eq!(notes["robots_scan.about"], about);
        }
    }
}

#[test]
fn a_table_in_one_file_has_its_partition_columns_too() {
    let folder = tempfile::tempdir().unwrap();
    for table in Table::ALL.into_iter().filter(|table| table.is_per_part()) {
        let out = folder.path().join(format!("{}.parquet", table.name()));
        let input = archive("per-record-1.1.warc.gz");
        let ran = run([
            &input,
            "--tables",
            table.name(),
            "-o",
            out.to_str().unwrap(),
        ]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert_eq!(
            columns_of(&out),
            contract(table.name()).1,
            "{}",
            table.name()
        );
    }
}

#[test]
fn the_page_of_tables_has_a_section_for_each_with_columns_that_exist() {
    let page = fs::read_to_string(project().join("docs/tables.md")).unwrap();
    let sections: Vec<&str> = page.split("\n### ").skip(1).collect();
    let named = |section: &&str| section.split('\n').next().unwrap().to_owned();
    let mut described: Vec<String> = sections.iter().map(named).collect();
    let mut expected = answers::own_tables::all()
        .into_iter()
        .map(|table| table.name().to_owned())
        .collect::<Vec<_>>();
    described.sort();
    expected.sort();
    assert_eq!(described, expected);
    for section in sections {
        let section = section.split("\n## ").next().unwrap();
        let (name, section) = section.split_once('\n').unwrap();
        assert!(
            section.contains(&format!("(../schemas/{name}.sql)")),
            "{name}"
        );
        let table = answers::own_tables::all()
            .into_iter()
            .find(|table| table.name() == name);
        let all = contract(name).1.into_iter().map(|column| column.name);
        let derived = table.unwrap().derived_columns().iter();
        let all: Vec<String> = all
            .chain(derived.map(|column| column.name.to_owned()))
            .collect();
        let first = section
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split(" |").next());
        for column in
            first.flat_map(|cell| cell.split(['`', ',', ' ']).filter(|text| !text.is_empty()))
        {
            assert!(all.iter().any(|known| known == column), "{name}.{column}");
        }
    }
}

#[test]
fn the_example_in_the_readme_is_an_executed_example_of_the_docs() {
    let readme = fs::read_to_string(project().join("README.md")).unwrap();
    let docs = fs::read_to_string(project().join("src/robots/lib.rs")).unwrap();
    let (_, rest) = readme.split_once("```rust\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let in_docs: String = example
        .lines()
        .map(|line| format!("//! {line}").trim_end().to_owned() + "\n")
        .collect();
    assert!(docs.contains(&in_docs), "{in_docs}");
}

#[test]
fn the_description_of_template_lists_every_template() {
    let (_, columns) = contract("robots_files");
    let column = columns.iter().find(|column| column.name == "template");
    let about = &column.unwrap().about;
    let names: Vec<&str> = about.split('`').skip(1).step_by(2).collect();
    let expected = robots::Template::ALL.iter().map(|template| template.name());
    for name in expected {
        assert!(names.contains(&name), "{name}");
    }
}
