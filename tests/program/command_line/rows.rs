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

/// A row: the defect, the arguments and the exit code, and what differs from [`ROW`].
macro_rules! rows {
    ($($item:ident $args:literal $code:literal { $($field:ident: $value:expr),* $(,)? })*) => {
        &[$(Row {
            item: stringify!($item),
            args: $args,
            code: $code,
            $($field: $value,)*
            ..ROW
        }),*]
    };
}

pub(super) const ROWS: &[Row] = rows! {
    C1 "check robots.txt --any-name -a x" 0 {
        // The URL is not read.
        stdin: "https://example.com/b\n",
        out: Whole(PARTIAL),
    }
    C1 "check robots.txt --any-name -a x --urls -" 1 {
        stdin: "https://example.com/b\n\nhttps://example.com/a\n",
        out: All(&["allowed     https://example.com/b\n",
            "disallowed  https://example.com/a\n"]),
    }
    C1 "check robots.txt --urls upper.csv -u /d" 1 {
        out: All(&["allowed     /d\n", "disallowed  https://example.com/a\n"]),
    }
    C1 "check - -u /a" 1 { stdin: "User-agent: *\nDisallow: /a\n", out: All(&["disallowed  /a\n"]) }
    C1 "check - --urls -" 2 { err: All(&["error: ", "cannot be both"]) }
    C1 "check robots.txt --urls -" 2 {
        stdin: "/a\nfoo\n",
        err: All(&["'foo' is neither an absolute URL nor a path"]),
    }
    C5 "empty -o out -q" 1 { err: All(&["warning: 'empty' at 0: "]) }
    C5 "none.warc -o out -q" 0 {
        err: Whole("warning: no robots.txt file in 1 record (1 metadata): is this the robotstxt subset?\n"),
    }
    C6 "--paths list.paths -o out" 2 {
        err: Whole("error: 1 of 2 inputs does not exist: 'missing.warc.gz'\n\
             hint: correct the list or --base, or continue without them: --missing skip\n"),
    }
    C6 "--paths list.paths -o out --missing skip -q" 1 { err: All(&["warning: 'missing.warc.gz' at 0: "]) }
    C8 "small.warc.gz -o out --with-bodies --tables rules" 2 {
        err: Whole("error: --with-bodies adds a column to robots_files, which --tables leaves out\n\
             hint: add robots_files to --tables, or leave out --with-bodies\n"),
    }
    C8 "small.warc.gz -o out -q --rate 5 --ca none.pem --patience 2h" 0 {
        err: Whole("warning: no input is a URL; without effect: --rate, --patience, --ca\n"),
    }
    C2 "small.warc.gz -o rules.parquet --overwrite" 2 {
        err: All(&["error: 'rules.parquet' is a file with the table 'rules', but the output must be a folder",
            "\nhint: '--tables rules --overwrite' replaces it"]),
    }
    C3 "small.warc.gz -o -" 2 {
        err: Whole("error: tables cannot be written to standard output\n\
             hint: name a folder or a file, such as -o out.parquet\n"),
    }
    C3 "small.warc.gz -o s3://bucket/out" 2 {
        err: All(&["error: 's3://bucket/out' is a URL, and", "\nhint: "]),
    }
    C4 "small.warc.gz --tables rules -o rulesdir" 0 {
        out: All(&["\nnext:\n  duckdb -init rulesdir/views.sql  query\n"]),
    }
    C4 "small.warc.gz --tables rules -o new.parquet" 0 {
        out: All(&["\nnext:\n  duckdb -c \"FROM 'new.parquet'\"  print its rows\n"]),
    }
    C7 "crawl.warc.gz -o ds --resume" 0 { out: All(&["nothing to do: 1 part, "]) }
    C9 "- --name mine.warc.gz -o out --dry-run" 0 { out: All(&["  mine.warc.gz  a stream"]) }
    C10 "check many.txt" 0 {
        out: All(&["anomalies: 1,200 of 1 kind\n  missing_colon: ",
            "      lines 2, 3, 4, 5, 6 and 1,195 more"]),
    }
    C11 "check robots.txt --url ''" 2 {
        err: All(&["error: invalid value '' for '--url <URL>': give an absolute URL, such as"]),
    }
    C11 "check robots.txt --url foo" 2 {
        err: All(&["error: invalid value 'foo' for '--url <URL>': give an absolute URL, such as"]),
    }
    C11 "check robots.txt --agent ''" 2 {
        err: All(&["error: invalid value '' for '--agent <NAME>': give the name of a crawler"]),
    }
    C12 "check ds --host www.news.example --at 2000-01-01" 3 {
        err: Whole("error: 'ds' has no capture of a robots.txt of 'www.news.example' at that time; \
             first capture: 2026-01-05T12:00:21Z\n\
             hint: give a later --at, or none for the newest capture\n"),
    }
    C12 "check ds --host news.example" 0 {
        out: All(&["found as    www.news.example: the tables have both names as one host\n\
             capture     https://www.news.example/robots.txt\n"]),
    }
    C12 "check ds --host wwww.news.example" 3 {
        err: Whole("error: 'ds' has no capture of a robots.txt of 'wwww.news.example'\n\
             hint: there are captures of 'www.news.example'\n"),
    }
    C13 "check example.com" 2 {
        err: All(&["error: cannot read 'example.com': no such file or directory\nhint: ",
            "curl -s 'https://example.com/robots.txt' | robots-scan check -\n"]),
    }
    C13 "check https://example.com/robots.txt" 2 {
        err: All(&["error: 'https://example.com/robots.txt' is a URL",
            "hint: curl -s 'https://example.com/robots.txt' | robots-scan check -\n"]),
    }
    C14 "match ds --any-name -a x -u upper.csv -o m.csv -q" 0 {}
    C14 "match ds --any-name -a x -u page.csv --columns url=PAGE -o m.parquet -q" 0 {}
    C14 "match ds --any-name -a x -u empty -o m.parquet -q" 0 {
        err: Whole("warning: 'empty' contains no URL\n"),
    }
    C15 "agents --category nope" 2 {
        err: All(&["error: no crawler has the category 'nope'\n",
            "hint: the categories are advertising, ai_agent, ai_assistant,"]),
    }
    C16 "show ds --host news.example" 2 {
        err: Whole("error: 'show' is a part of 'check'\n\
             hint: robots-scan check ds --host news.example\n"),
    }
    C16 "chekc robots.txt -o out" 2 {
        err: Whole("error: unknown command 'chekc'\nhint: did you mean 'check'?\n"),
    }
    C16 "verfy ds" 2 { err: Whole("error: unknown command 'verfy'\nhint: did you mean 'verify'?\n") }
    C16 "ds" 2 {
        err: Whole("error: 'ds' is a dataset, not an archive\nhint: use check, match, verify or duckdb\n"),
    }
    C16 "ds/agents/agents.parquet -o out" 2 {
        err: Whole("error: 'ds/agents/agents.parquet' is a Parquet file, not an archive\n\
             hint: use verify or duckdb\n"),
    }
    C17 "small.warc.gz -o out --part-inputs 9 --body-limit 500k --max-body-bytes 1g --quiet" 0 {}
    C17 "damaged.warc.gz -o out -q" 1 { err: All(&["warning: 'damaged.warc.gz' at "]) }
    C17 "match ds -u urls.txt --any-name -a x -o m.parquet --memory 64MiB -q" 0 {}
    C17 "verify ds -q" 0 {}
    C17 "small.warc.gz -o out --body-limit 1.5x" 2 {
        err: All(&["error: invalid value '1.5x' for '--body-limit <SIZE>': give whole bytes, such as",
            "hint: for more information, try '--help'\n"]),
    }
    C20 "views nowhere" 2 { err: Whole("error: cannot read 'nowhere': no such file or directory\n") }
    C20 "verify nowhere" 2 { err: Whole("error: cannot read 'nowhere': no such file or directory\n") }
    C20 "match nowhere -u urls.txt -a GPTBot -o m.parquet" 2 {
        err: Whole("error: cannot read 'nowhere': no such file or directory\n"),
    }
    C21 "check ds --host nowhere.example" 3 {
        err: Whole("error: 'ds' has no capture of a robots.txt of 'nowhere.example'\n"),
    }
    C21 "check ds --host www.news.example --nope" 2 {
        err: All(&["error: unexpected argument '--nope' found\n"]),
    }
    // The reader of lists has a test of its own, since no row can be that large.
    C22 "agents --agents uneven.csv" 2 {
        err: All(&["error: 'uneven.csv' is not a registry of crawlers: CSV error: record 1 ",
            "found record with 3 fields, but the previous record has 1 fields\n"]),
    }
    C23 "completions zsh" 0 { out: All(&["(default google rfc9309 koster1996)"]) }
    C23 "check robots.txt --dialect goggle" 2 { err: All(&["hint: a similar value exists: 'google'\n"]) }
    // Untrusted text, in each command that prints any.
    D7 "hostile.warc -o out" 0 {
        out: All(&["1  100.0 %  a\\x1b[2jb\\x07c\\u{9b}1md\\u{202e}e\\u{2028}f\n"]),
    }
    D7 "HOSTILE.warc -o HOSTILE" 1 {
        out: All(&["\na\\x1b[2Jb\\x07c",
            "duckdb -init $'a\\x1b[2Jb\\x07c\\xc2\\x9b1m"]),
        err: All(&["warning: 'a\\x1b[2Jb\\x07c\\u{9b}1md\\u{202e}e\\u{2028}f.warc' at "]),
    }
    D7 "HOSTILE.warc -o HOSTILE --dry-run" 0 { out: All(&["  a\\x1b[2Jb\\x07c", "into a\\x1b[2Jb"]) }
    D7 "check hostile.txt --any-name --agent HOSTILE --url https://h.example/HOSTILE" 1 {
        out: All(&["disallowed  https://h.example/a\\x1b[2Jb",
            "\na\\x1b[2Jb\\x07c"]),
    }
    D7 "check no-HOSTILE" 2 {
        err: All(&["error: cannot read 'no-a\\x1b[2Jb\\x07c\\u{9b}1md\\u{202e}e\\u{2028}f': "]),
    }
    D7 "match ds -u HOSTILE.csv --any-name -a x -o m.parquet" 2 { err: All(&["error: 'a\\x1b[2Jb"]) }
    D7 "verify HOSTILE.csv" 2 { err: All(&["error: 'a\\x1b[2Jb"]) }
    D7 "agents --category HOSTILE" 2 { err: All(&["error: no crawler has the category 'a\\x1b[2Jb"]) }
    D7 "small.warc.gz -o out --shard HOSTILE" 2 {
        // The argument parser removes BEL and sequences that begin with ESC.
        err: All(&["error: invalid value 'abc\\u{9b}1md\\u{202e}e"]),
    }
};
