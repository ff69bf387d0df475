//! The rows of the table.

use super::Expected::{All, Nothing, Whole};
use super::Row;

/// Defects without a row.
pub(super) const MISSING: &[&str] = &[];

const ROW: Row = Row {
    item: "",
    args: "",
    stdin: "",
    code: 0,
    out: Nothing,
    err: Nothing,
};

/// The report on the file `robots.txt` that [`super::prepare`] creates.
const PARTIAL: &str = "\
marks       > lines that apply to x, ! the line that proves its verdict

x: partial (by the rules for *, line 2)
  google      partial
  rfc9309     partial
  koster1996  partial

>    1  User-agent: *
!    2  Disallow: /a
";

pub(super) const ROWS: &[Row] = &[
    Row {
        item: "C1",
        args: "check robots.txt --any-name -a x",
        stdin: "https://example.com/b\n",
        // The URL is not read.
        out: Whole(PARTIAL),
        ..ROW
    },
    Row {
        item: "C1",
        args: "check robots.txt --any-name -a x --urls -",
        stdin: "https://example.com/b\n\nhttps://example.com/a\n",
        code: 1,
        out: All(&[
            "allowed     https://example.com/b\n",
            "disallowed  https://example.com/a\n",
        ]),
        ..ROW
    },
    Row {
        item: "C1",
        args: "check robots.txt --urls upper.csv -u /d",
        code: 1,
        out: All(&["allowed     /d\n", "disallowed  https://example.com/a\n"]),
        ..ROW
    },
    Row {
        item: "C1",
        args: "check - -u /a",
        stdin: "User-agent: *\nDisallow: /a\n",
        code: 1,
        out: All(&["disallowed  /a\n"]),
        ..ROW
    },
    Row {
        item: "C1",
        args: "check - --urls -",
        code: 2,
        err: All(&["error: ", "cannot be both"]),
        ..ROW
    },
    Row {
        item: "C1",
        args: "check robots.txt --urls -",
        stdin: "/a\nfoo\n",
        code: 2,
        err: All(&["'foo' is neither an absolute URL nor a path"]),
        ..ROW
    },
    Row {
        item: "C5",
        args: "empty -o out -q",
        code: 1,
        err: All(&["warning: 'empty' at 0: "]),
        ..ROW
    },
    Row {
        item: "C5",
        args: "none.warc -o out -q",
        err: Whole(
            "warning: no robots.txt file in 1 record (1 metadata): is this the robotstxt subset?\n",
        ),
        ..ROW
    },
    Row {
        item: "C6",
        args: "--paths list.paths -o out",
        code: 2,
        err: Whole(
            "error: 1 of 2 inputs does not exist: 'missing.warc.gz'\n\
             hint: correct the list or --base, or continue without them: --missing skip\n",
        ),
        ..ROW
    },
    Row {
        item: "C6",
        args: "--paths list.paths -o out --missing skip -q",
        code: 1,
        err: All(&["warning: 'missing.warc.gz' at 0: "]),
        ..ROW
    },
    Row {
        item: "C8",
        args: "small.warc.gz -o out --with-bodies --tables rules",
        code: 2,
        err: Whole(
            "error: --with-bodies adds a column to robots_files, which --tables leaves out\n\
             hint: add robots_files to --tables, or leave out --with-bodies\n",
        ),
        ..ROW
    },
    Row {
        item: "C8",
        args: "small.warc.gz -o out -q --rate 5 --ca none.pem --patience 2h",
        err: Whole("warning: no input is a URL; without effect: --rate, --patience, --ca\n"),
        ..ROW
    },
    Row {
        item: "C2",
        args: "small.warc.gz -o rules.parquet --overwrite",
        code: 2,
        err: All(&[
            "error: 'rules.parquet' is a file with the table 'rules', but the output must be a folder",
            "\nhint: '--tables rules --overwrite' replaces it",
        ]),
        ..ROW
    },
    Row {
        item: "C3",
        args: "small.warc.gz -o -",
        code: 2,
        err: Whole(
            "error: tables cannot be written to standard output\n\
             hint: name a folder or a file, such as -o out.parquet\n",
        ),
        ..ROW
    },
    Row {
        item: "C3",
        args: "small.warc.gz -o s3://bucket/out",
        code: 2,
        err: All(&["error: 's3://bucket/out' is a URL, and", "\nhint: "]),
        ..ROW
    },
    Row {
        item: "C4",
        args: "small.warc.gz --tables rules -o rulesdir",
        out: All(&["\nnext:\n  duckdb -init rulesdir/views.sql  query\n"]),
        ..ROW
    },
    Row {
        item: "C4",
        args: "small.warc.gz --tables rules -o new.parquet",
        out: All(&["\nnext:\n  duckdb -c \"FROM 'new.parquet'\"  print its rows\n"]),
        ..ROW
    },
    Row {
        item: "C7",
        args: "crawl.warc.gz -o ds --resume",
        out: All(&["nothing to do: 1 part, "]),
        ..ROW
    },
    Row {
        item: "C9",
        args: "- --name mine.warc.gz -o out --dry-run",
        out: All(&["  mine.warc.gz  a stream"]),
        ..ROW
    },
    Row {
        item: "C10",
        args: "check many.txt",
        out: All(&[
            "anomalies: 1,200 of 1 kind\n  missing_colon: ",
            "      lines 2, 3, 4, 5, 6 and 1,195 more",
        ]),
        ..ROW
    },
    Row {
        item: "C11",
        args: "check robots.txt --url ''",
        code: 2,
        err: All(&["error: invalid value '' for '--url <URL>': give an absolute URL, such as"]),
        ..ROW
    },
    Row {
        item: "C11",
        args: "check robots.txt --url foo",
        code: 2,
        err: All(&["error: invalid value 'foo' for '--url <URL>': give an absolute URL, such as"]),
        ..ROW
    },
    Row {
        item: "C11",
        args: "check robots.txt --agent ''",
        code: 2,
        err: All(&["error: invalid value '' for '--agent <NAME>': give the name of a crawler"]),
        ..ROW
    },
    Row {
        item: "C12",
        args: "check ds --host www.news.example --at 2000-01-01",
        code: 3,
        err: Whole(
            "error: 'ds' has no capture of a robots.txt of 'www.news.example' at that time; \
             first capture: 2026-01-05T12:00:21Z\n\
             hint: give a later --at, or none for the newest capture\n",
        ),
        ..ROW
    },
    Row {
        item: "C12",
        args: "check ds --host news.example",
        out: All(&[
            "found as    www.news.example: the tables have both names as one host\n\
             capture     https://www.news.example/robots.txt\n",
        ]),
        ..ROW
    },
    Row {
        item: "C12",
        args: "check ds --host wwww.news.example",
        code: 3,
        err: Whole(
            "error: 'ds' has no capture of a robots.txt of 'wwww.news.example'\n\
             hint: there are captures of 'www.news.example'\n",
        ),
        ..ROW
    },
    Row {
        item: "C13",
        args: "check example.com",
        code: 2,
        err: All(&[
            "error: cannot read 'example.com': no such file or directory\nhint: ",
            "curl -s 'https://example.com/robots.txt' | robots-scan check -\n",
        ]),
        ..ROW
    },
    Row {
        item: "C13",
        args: "check https://example.com/robots.txt",
        code: 2,
        err: All(&[
            "error: 'https://example.com/robots.txt' is a URL",
            "hint: curl -s 'https://example.com/robots.txt' | robots-scan check -\n",
        ]),
        ..ROW
    },
    Row {
        item: "C14",
        args: "match ds --any-name -a x -u upper.csv -o m.csv -q",
        ..ROW
    },
    Row {
        item: "C14",
        args: "match ds --any-name -a x -u page.csv --columns url=PAGE -o m.parquet -q",
        ..ROW
    },
    Row {
        item: "C14",
        args: "match ds --any-name -a x -u empty -o m.parquet -q",
        err: Whole("warning: 'empty' contains no URL\n"),
        ..ROW
    },
    Row {
        item: "C15",
        args: "agents --category nope",
        code: 2,
        err: All(&[
            "error: no crawler has the category 'nope'\n",
            "hint: the categories are advertising, ai_agent, ai_assistant,",
        ]),
        ..ROW
    },
    Row {
        item: "C16",
        args: "show ds --host news.example",
        code: 2,
        err: Whole(
            "error: 'show' is a part of 'check'\n\
             hint: robots-scan check ds --host news.example\n",
        ),
        ..ROW
    },
    Row {
        item: "C16",
        args: "chekc robots.txt -o out",
        code: 2,
        err: Whole("error: unknown command 'chekc'\nhint: did you mean 'check'?\n"),
        ..ROW
    },
    Row {
        item: "C16",
        args: "verfy ds",
        code: 2,
        err: Whole("error: unknown command 'verfy'\nhint: did you mean 'verify'?\n"),
        ..ROW
    },
    Row {
        item: "C16",
        args: "ds",
        code: 2,
        err: Whole(
            "error: 'ds' is a dataset, not an archive\nhint: use check, match, verify or duckdb\n",
        ),
        ..ROW
    },
    Row {
        item: "C16",
        args: "ds/agents/agents.parquet -o out",
        code: 2,
        err: Whole(
            "error: 'ds/agents/agents.parquet' is a Parquet file, not an archive\n\
             hint: use verify or duckdb\n",
        ),
        ..ROW
    },
    Row {
        item: "C17",
        args: "small.warc.gz -o out --part-inputs 9 --body-limit 500k --max-body-bytes 1g --quiet",
        ..ROW
    },
    Row {
        item: "C17",
        args: "damaged.warc.gz -o out -q",
        code: 1,
        err: All(&["warning: 'damaged.warc.gz' at "]),
        ..ROW
    },
    Row {
        item: "C17",
        args: "match ds -u urls.txt --any-name -a x -o m.parquet --memory 64MiB -q",
        ..ROW
    },
    Row {
        item: "C17",
        args: "verify ds -q",
        ..ROW
    },
    Row {
        item: "C17",
        args: "small.warc.gz -o out --body-limit 1.5x",
        code: 2,
        err: All(&[
            "error: invalid value '1.5x' for '--body-limit <SIZE>': give whole bytes, such as",
            "hint: for more information, try '--help'\n",
        ]),
        ..ROW
    },
    Row {
        item: "C20",
        args: "views nowhere",
        code: 2,
        err: Whole("error: cannot read 'nowhere': no such file or directory\n"),
        ..ROW
    },
    Row {
        item: "C20",
        args: "verify nowhere",
        code: 2,
        err: Whole("error: cannot read 'nowhere': no such file or directory\n"),
        ..ROW
    },
    Row {
        item: "C20",
        args: "match nowhere -u urls.txt -a GPTBot -o m.parquet",
        code: 2,
        err: Whole("error: cannot read 'nowhere': no such file or directory\n"),
        ..ROW
    },
    Row {
        item: "C21",
        args: "check ds --host nowhere.example",
        code: 3,
        err: Whole("error: 'ds' has no capture of a robots.txt of 'nowhere.example'\n"),
        ..ROW
    },
    Row {
        item: "C21",
        args: "check ds --host www.news.example --nope",
        code: 2,
        err: All(&["error: unexpected argument '--nope' found\n"]),
        ..ROW
    },
    // The reader of lists has a test of its own, since no row can be that large.
    Row {
        item: "C22",
        args: "agents --agents uneven.csv",
        code: 2,
        err: All(&[
            "error: 'uneven.csv' is not a registry of crawlers: CSV error: record 1 ",
            "found record with 3 fields, but the previous record has 1 fields\n",
        ]),
        ..ROW
    },
    Row {
        item: "C23",
        args: "completions zsh",
        out: All(&["(default google rfc9309 koster1996)"]),
        ..ROW
    },
    Row {
        item: "C23",
        args: "check robots.txt --dialect goggle",
        code: 2,
        err: All(&["hint: a similar value exists: 'google'\n"]),
        ..ROW
    },
    // Untrusted text, in each command that prints any.
    Row {
        item: "D7",
        args: "hostile.warc -o out",
        out: All(&["1  100.0 %  a\\x1b[2jb\\x07c\\u{9b}1md\\u{202e}e\\u{2028}f\n"]),
        ..ROW
    },
    Row {
        item: "D7",
        args: "HOSTILE.warc -o HOSTILE",
        code: 1,
        out: All(&[
            "\na\\x1b[2Jb\\x07c",
            "duckdb -init $'a\\x1b[2Jb\\x07c\\xc2\\x9b1m",
        ]),
        err: All(&["warning: 'a\\x1b[2Jb\\x07c\\u{9b}1md\\u{202e}e\\u{2028}f.warc' at "]),
        ..ROW
    },
    Row {
        item: "D7",
        args: "HOSTILE.warc -o HOSTILE --dry-run",
        out: All(&["  a\\x1b[2Jb\\x07c", "into a\\x1b[2Jb"]),
        ..ROW
    },
    Row {
        item: "D7",
        args: "check hostile.txt --any-name --agent HOSTILE --url https://h.example/HOSTILE",
        code: 1,
        out: All(&[
            "disallowed  https://h.example/a\\x1b[2Jb",
            "\na\\x1b[2Jb\\x07c",
        ]),
        ..ROW
    },
    Row {
        item: "D7",
        args: "check no-HOSTILE",
        code: 2,
        err: All(&["error: cannot read 'no-a\\x1b[2Jb\\x07c\\u{9b}1md\\u{202e}e\\u{2028}f': "]),
        ..ROW
    },
    Row {
        item: "D7",
        args: "match ds -u HOSTILE.csv --any-name -a x -o m.parquet",
        code: 2,
        err: All(&["error: 'a\\x1b[2Jb"]),
        ..ROW
    },
    Row {
        item: "D7",
        args: "verify HOSTILE.csv",
        code: 2,
        err: All(&["error: 'a\\x1b[2Jb"]),
        ..ROW
    },
    Row {
        item: "D7",
        args: "agents --category HOSTILE",
        code: 2,
        err: All(&["error: no crawler has the category 'a\\x1b[2Jb"]),
        ..ROW
    },
    Row {
        item: "D7",
        args: "small.warc.gz -o out --shard HOSTILE",
        code: 2,
        // The argument parser removes BEL and sequences that begin with ESC.
        err: All(&["error: invalid value 'abc\\u{9b}1md\\u{202e}e"]),
        ..ROW
    },
];
