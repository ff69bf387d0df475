//! The rows.

use super::Row;
use super::Said::{All, Nothing, Whole};

/// Items that have no row yet.
pub(super) const MISSING: &[&str] = &[
    "C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9", "C10", "C11", "C12", "C13", "C14", "C20",
    "C21", "C22",
];

const ROW: Row = Row {
    item: "",
    args: "",
    stdin: "",
    code: 0,
    out: Nothing,
    err: Nothing,
};

pub(super) const ROWS: &[Row] = &[
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
        item: "C15",
        args: "agents --category archive",
        out: All(&["CCBot", "archive"]),
        ..ROW
    },
    Row {
        item: "C16",
        args: "chekc robots.txt",
        code: 2,
        err: Whole("error: unknown command 'chekc'\nhint: did you mean 'check'?\n"),
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
        args: "no-such.warc.gz -o out",
        code: 2,
        err: Whole("error: cannot read 'no-such.warc.gz': no such file or directory\n"),
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
        args: "ds -o out",
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
        item: "C16",
        args: "small.warc.gz -o out -q",
        ..ROW
    },
    Row {
        item: "C17",
        args: "small.warc.gz -o out --part-bytes 64MB --body-limit 500k --max-body-bytes 1g --quiet",
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
        args: "small.warc.gz -o out -q --json",
        out: All(&["\"exit_code\":0"]),
        ..ROW
    },
    Row {
        item: "C17",
        args: "match ds -u urls.txt -a x -o m.parquet --memory 64MiB -q",
        ..ROW
    },
    Row {
        item: "C17",
        args: "verify ds -q",
        ..ROW
    },
    Row {
        item: "C17",
        args: "small.warc.gz -o out --part-bytes 1.5x",
        code: 2,
        err: All(&[
            "error: invalid value '1.5x' for '--part-bytes <SIZE>': give whole bytes, such as",
            "hint: for more information, try '--help'\n",
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
        args: "small.warc.gz -o out --tables rulez",
        code: 2,
        err: All(&[
            "error: invalid value 'rulez' for '--tables <TABLE>'\n",
            "possible values: robots_files, groups,",
            "hint: a similar value exists: 'rules'\n",
        ]),
        ..ROW
    },
    Row {
        item: "C23",
        args: "check robots.txt --dialect goggle",
        code: 2,
        err: All(&["hint: a similar value exists: 'google'\n"]),
        ..ROW
    },
    // Text of others, shown by every command that shows any.
    Row {
        item: "D7",
        args: "hostile.warc -o out",
        out: All(&["1  a\\x1b[2jb\\x07c\\u{9b}1md\\u{202e}e\\u{2028}f\n"]),
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
        args: "check hostile.txt --agent HOSTILE --url https://h.example/HOSTILE",
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
        args: "match ds -u HOSTILE.csv -a x -o m.parquet",
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
        // The parser of arguments leaves out sequences that begin with ESC, and BEL.
        err: All(&["error: invalid value 'abc\\u{9b}1md\\u{202e}e"]),
        ..ROW
    },
];
