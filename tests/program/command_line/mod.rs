//! The command line as a table of arguments, exit codes and outputs. Rows are named for
//! the defects that they cover.

mod agent_names;
mod rows;
mod standard_output;
#[cfg(unix)]
mod terminal;
mod virtual_environment;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use support::{Ran, archive, command, files_below};
use tempfile::TempDir;

/// The expected content of an output stream.
#[derive(Clone, Copy, Debug)]
enum Expected {
    /// No output.
    Nothing,
    /// All of these texts, among others.
    All(&'static [&'static str]),
    /// Exactly this text.
    Whole(&'static str),
}

/// A command with its expected result. It runs in a folder of its own that contains the
/// files of [`prepare`].
#[derive(Clone, Copy, Debug)]
struct Row {
    /// The code of the defect.
    item: &'static str,
    /// The arguments, separated by blanks. `''` is an empty argument.
    args: &'static str,
    /// Standard input, which is never a terminal.
    stdin: &'static str,
    code: i32,
    out: Expected,
    err: Expected,
}

/// Characters that end a line, move the cursor or reverse the direction of writing.
const HOSTILE: &str = "a\x1b[2Jb\x07c\u{9b}1md\u{202e}e\u{2028}f";

/// Creates the files that rows use: archives, a dataset, lists.
fn prepare(folder: &Path) {
    let copy = |from: &str, to: &str| fs::copy(archive(from), folder.join(to)).unwrap();
    copy("cc-robotstxt.warc.gz", "crawl.warc.gz");
    copy("per-record-1.1.warc.gz", "small.warc.gz");
    copy("damaged-cut.warc.gz", "damaged.warc.gz");
    fs::write(folder.join("empty"), "").unwrap();
    fs::write(folder.join("robots.txt"), "User-agent: *\nDisallow: /a\n").unwrap();
    fs::write(folder.join("urls.txt"), "https://example.com/a\n").unwrap();
    let body = format!("User-agent: {HOSTILE}\nDisallow: /\n");
    fs::write(folder.join("hostile.txt"), &body).unwrap();
    fs::write(folder.join("upper.csv"), "URL,n\nhttps://example.com/a,1\n").unwrap();
    fs::write(folder.join("page.csv"), "n,page\n1,https://example.com/a\n").unwrap();
    fs::write(folder.join("uneven.csv"), "token\na,b,c\n").unwrap();
    let record = "WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 2\r\n\r\n{}\r\n\r\n";
    fs::write(folder.join("none.warc"), record).unwrap();
    fs::write(
        folder.join("list.paths"),
        "small.warc.gz\nmissing.warc.gz\n",
    )
    .unwrap();
    for name in ["x", "y"] {
        fs::create_dir(folder.join(name)).unwrap();
        copy("per-record-1.1.warc.gz", &format!("{name}/a.warc.gz"));
    }
    let many = "User-agent: *\n".to_owned() + &"Disallow /a\n".repeat(1200);
    fs::write(folder.join("many.txt"), many).unwrap();
    let block = format!("HTTP/1.1 200 OK\r\n\r\n{body}");
    let record = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://h.example/robots.txt\r\n\
         WARC-Date: 2026-01-05T00:00:00Z\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    );
    fs::write(folder.join("hostile.warc"), &record).unwrap();
    fs::write(
        folder.join(format!("{HOSTILE}.warc")),
        record + "WARC/1.0\r\nx",
    )
    .unwrap();
    fs::write(
        folder.join(format!("{HOSTILE}.csv")),
        format!("x{HOSTILE}\n1\n"),
    )
    .unwrap();
    let args = ["crawl.warc.gz", "--tables", "rules", "-o", "rules.parquet"];
    assert_eq!(start(folder, &args, "").code, Some(0));
    let ran = start(folder, &["crawl.warc.gz", "-o", "ds"], "");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

fn start(folder: &Path, args: &[&str], stdin: &str) -> Ran {
    let mut command = command();
    command.current_dir(folder).args(args);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that does not read standard input may have ended already.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    child.wait_with_output().unwrap().into()
}

impl Expected {
    fn check(self, text: &str, row: &Row) {
        match self {
            Self::Nothing => assert_eq!(text, "", "{row:?}"),
            Self::Whole(whole) => assert_eq!(text, whole, "{row:?}"),
            Self::All(texts) => {
                for part in texts {
                    assert!(
                        text.contains(part),
                        "'{part}' is missing in: {text}\n{row:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn each_command_has_the_expected_exit_code_and_output() {
    let made = TempDir::new().unwrap();
    prepare(made.path());
    for row in rows::ROWS {
        let folder = TempDir::new().unwrap();
        for file in files_below(made.path()) {
            let to = folder.path().join(file.strip_prefix(made.path()).unwrap());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(&file, to).unwrap();
        }
        // The copy is at another place.
        let ran = start(folder.path(), &["views", "ds", "-q"], "");
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let hostile = row.args.replace("HOSTILE", HOSTILE);
        let args: Vec<&str> = hostile
            .split(' ')
            .map(|arg| if arg == "''" { "" } else { arg })
            .collect();
        let ran = start(folder.path(), &args, row.stdin);
        assert_eq!(ran.code, Some(row.code), "{row:?}\n{}{}", ran.out, ran.err);
        row.out.check(&ran.out, row);
        row.err.check(&ran.err, row);
        for text in [&ran.out, &ran.err] {
            let control = text.chars().find(|char| is_control_character(*char));
            assert_eq!(control, None, "{row:?}: {text:?}");
        }
        // All messages have one format (C19): an error or a warning comes first.
        if row.code != 0 && !ran.err.is_empty() {
            let is_message = ["error: ", "warning: "]
                .iter()
                .any(|prefix| ran.err.starts_with(prefix));
            assert!(is_message, "{row:?}: {}", ran.err);
        }
    }
}

/// Returns true if a character has an effect on a terminal.
fn is_control_character(char: char) -> bool {
    let code = u32::from(char);
    let is_control = code < 0x20 && char != '\n' || (0x7f..0xa0).contains(&code);
    is_control || "\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}".contains(char)
}

/// C1 to C23 each have a row or a test below. C18 and D7 have both, and C24 is tested
/// with the Makefile.
#[test]
fn each_defect_has_a_row_or_a_test() {
    let missing: Vec<String> = (1..=23)
        .map(|number| format!("C{number}"))
        .filter(|item| !["C18", "C19"].contains(&item.as_str()))
        .filter(|item| !rows::ROWS.iter().any(|row| row.item == item))
        .collect();
    assert_eq!(missing, rows::MISSING);
}

/// Writes an archive that is large enough for progress to be drawn.
#[cfg(unix)]
fn large_archive(folder: &Path) {
    let bytes = fs::read(archive("cc-robotstxt.warc.gz")).unwrap();
    fs::write(folder.join("large.warc.gz"), bytes.repeat(60)).unwrap();
}

#[cfg(unix)]
#[test]
fn progress_fits_the_width_of_a_terminal() {
    use terminal::{Screen, Streams};
    let folder = TempDir::new().unwrap();
    large_archive(folder.path());
    for columns in [20, 80, 200] {
        let out = format!("out-{columns}");
        let mut scan = command();
        scan.current_dir(folder.path())
            .args(["large.warc.gz", "-o", &out]);
        let (code, bytes) = terminal::run(columns, &mut scan, Streams::Err);
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert_eq!(code, 0, "{text}");
        assert!(text.contains("MiB"), "no progress was drawn: {text}");
        let screen = Screen::draw(columns, &bytes);
        assert_eq!(screen.wraps, 0, "{columns}: {text:?}");
        assert_eq!(screen.lines(), Vec::<String>::new(), "{columns}");
        let mut scan = command();
        scan.current_dir(folder.path())
            .args(["large.warc.gz", "-o", &out, "-q", "--overwrite"]);
        let (code, bytes) = terminal::run(columns, &mut scan, Streams::OutAndErr);
        assert_eq!((code, bytes), (0, Vec::new()), "{columns}: it is quiet");
        let mut verify = command();
        verify.current_dir(folder.path()).args(["verify", &out]);
        let (code, bytes) = terminal::run(columns, &mut verify, Streams::Err);
        assert_eq!(code, 0);
        assert_eq!(Screen::draw(columns, &bytes).wraps, 0, "{columns}");
    }
}

#[cfg(unix)]
#[test]
fn the_summary_loses_no_line_in_a_narrow_terminal() {
    use terminal::{Screen, Streams};
    let folder = TempDir::new().unwrap();
    large_archive(folder.path());
    fs::copy(
        archive("damaged-cut.warc.gz"),
        folder.path().join("damaged.warc.gz"),
    )
    .unwrap();
    let args = [
        "damaged.warc.gz",
        "large.warc.gz",
        "-o",
        "out",
        "--overwrite",
    ];
    let without_time = |line: &str| {
        line.rsplit_once(", ")
            .map_or(line, |(before, _)| before)
            .to_owned()
    };
    let piped = start(folder.path(), &args, "");
    assert_eq!(piped.code, Some(1));
    let wanted: Vec<String> = piped
        .err
        .lines()
        .chain(piped.out.lines())
        .map(without_time)
        .collect();
    assert!(wanted.len() > 10, "{wanted:?}");
    for columns in [40, 80] {
        let mut scan = command();
        scan.current_dir(folder.path()).args(args);
        let (code, bytes) = terminal::run(columns, &mut scan, Streams::OutAndErr);
        assert_eq!(code, 1);
        let lines = Screen::draw(columns, &bytes).lines();
        let lines: Vec<String> = lines.iter().map(|line| without_time(line)).collect();
        assert_eq!(lines, wanted, "{columns}");
    }
}

#[cfg(unix)]
#[test]
fn lines_of_a_shown_text_fit_the_width_of_a_terminal() {
    use terminal::{Screen, Streams};
    let folder = TempDir::new().unwrap();
    let block = format!(
        "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /{}\n# {}\n",
        "a".repeat(300),
        "日".repeat(100)
    );
    let record = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://h.example/robots.txt\r\n\
         Content-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    );
    fs::write(folder.path().join("a.warc"), record).unwrap();
    let ran = start(folder.path(), &["a.warc", "-q", "-o", "out"], "");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let args = ["check", "out", "--host", "h.example"];
    let whole = start(folder.path(), &args, "").out;
    assert!(whole.contains(&"a".repeat(300)) && whole.contains(&"日".repeat(100)));
    for columns in [40, 80] {
        let mut check = command();
        check.current_dir(folder.path()).args(args);
        let (code, bytes) = terminal::run(columns, &mut check, Streams::OutAndErr);
        assert_eq!(code, 0);
        let text = String::from_utf8(bytes.clone()).unwrap();
        let from = text.find(">    1  User-agent").unwrap();
        let end = text.find("anomalies: ").unwrap_or(text.len());
        let screen = Screen::draw(columns, &bytes[from..end]);
        assert_eq!(screen.wraps, 0, "{columns}: {text}");
        assert!(text.contains("aaa…") && text.contains("日…"), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn prefixes_are_colored_on_a_terminal_only_and_not_with_no_color() {
    use terminal::{Streams, run};
    let args = ["check", "no-such-file"];
    let (code, bytes) = run(80, command().args(args), Streams::Err);
    assert_eq!(code, 2);
    assert!(
        bytes.starts_with(b"\x1b[1m\x1b[31merror:\x1b[0m cannot read"),
        "{bytes:?}"
    );
    // The terminal of the tests removes NO_COLOR, so a shell sets it again.
    let program = command().get_program().to_owned();
    let mut shell = std::process::Command::new("sh");
    shell
        .args(["-c", "NO_COLOR=1 \"$0\" check no-such-file"])
        .arg(program);
    let (code, bytes) = run(80, &mut shell, Streams::Err);
    assert_eq!(code, 2);
    assert!(bytes.starts_with(b"error: cannot read"), "{bytes:?}");
}

#[test]
fn a_file_named_like_a_misspelt_command_is_an_input() {
    let folder = TempDir::new().unwrap();
    fs::copy(
        archive("per-record-1.1.warc.gz"),
        folder.path().join("chekc"),
    )
    .unwrap();
    let ran = start(folder.path(), &["chekc", "-o", "out"], "");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn sizes_with_units_are_converted_to_bytes() {
    let folder = TempDir::new().unwrap();
    fs::copy(
        archive("per-record-1.1.warc.gz"),
        folder.path().join("a.warc.gz"),
    )
    .unwrap();
    let args = "a.warc.gz -o out --body-limit 500k --max-body-bytes 64mib";
    let ran = start(folder.path(), &args.split(' ').collect::<Vec<_>>(), "");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let manifest = fs::read_to_string(folder.path().join("out/_manifest.jsonl")).unwrap();
    for bytes in ["500000", "67108864"] {
        assert!(manifest.contains(&format!(":{bytes}")), "{manifest}");
    }
}

/// Reads the completions of `bash` for an option.
#[test]
fn completions_offer_values_instead_of_files() {
    let script = start(Path::new("."), &["completions", "bash"], "").out;
    let offers = |option: &str| -> Vec<&str> {
        let case = format!("{option})");
        let offsets: Vec<usize> = script
            .match_indices(&case)
            .map(|(offset, _)| offset)
            .collect();
        assert!(!offsets.is_empty(), "{option} is not in the script");
        let line = |offset: usize| script[offset..].lines().nth(1).unwrap().trim();
        offsets.into_iter().map(line).collect()
    };
    for (option, values) in [
        ("--dialect", "default google rfc9309 koster1996"),
        ("--tables", "robots_files groups rules"),
    ] {
        for line in offers(option) {
            assert!(line.contains(&format!("-W \"{values}")), "{option}: {line}");
        }
    }
    for option in [
        "--crawl",
        "--subset",
        "--agent",
        "--host",
        "--at",
        "--shard",
        "--threads",
        "--memory",
        "--body-limit",
        "--part-inputs",
        "--category",
    ] {
        for line in offers(option) {
            assert!(!line.contains("compgen -f"), "{option}: {line}");
        }
    }
    let tables = "robots_files groups rules";
    assert!(script.contains(tables), "the argument of schema");
}

#[test]
fn json_escapes_control_characters_without_changing_values() {
    let folder = TempDir::new().unwrap();
    prepare(folder.path());
    let args = [
        "check",
        "robots.txt",
        "--json",
        "--any-name",
        "--agent",
        HOSTILE,
        "--url",
        "https://h/a",
    ];
    let ran = start(folder.path(), &args, "");
    assert!(!ran.out.chars().any(is_control_character), "{:?}", ran.out);
    let value: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(value["agents"][0]["agent"], HOSTILE);
}

/// Names of files may be any bytes on Linux; macOS refuses those that are not UTF-8.
#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf_8_are_refused_with_advice() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = TempDir::new().unwrap();
    let name = |bytes: &'static [u8]| OsStr::from_bytes(bytes);
    for bytes in [&b"a\xfe.warc.gz"[..], b"a\xff.warc.gz"] {
        let sample = archive("per-record-1.1.warc.gz");
        fs::copy(sample, folder.path().join(name(bytes))).unwrap();
    }
    let ran = start(folder.path(), &[".", "-o", "out"], "");
    assert_eq!(ran.code, Some(2));
    let hint = "hint: rename one: captures have the names of archives as text, which must be UTF-8";
    assert!(ran.err.ends_with(&format!("{hint}\n")), "{}", ran.err);
    fs::remove_file(folder.path().join(name(b"a\xfe.warc.gz"))).unwrap();
    let mut scan = command();
    scan.current_dir(folder.path()).args([".", "-o"]);
    let ran: Ran = scan.arg(name(b"out\xff")).output().unwrap().into();
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("is not UTF-8"), "{}", ran.err);
    assert!(ran.err.contains("hint: choose another -o"), "{}", ran.err);
    assert!(!folder.path().join(name(b"out\xff")).exists());
    // The archive itself may have such a name.
    let ran = start(folder.path(), &[".", "-o", "out", "-q"], "");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // A dataset that was moved to such a name is not opened by any query.
    fs::rename(
        folder.path().join("out"),
        folder.path().join(name(b"out\xff")),
    )
    .unwrap();
    let mut views = command();
    views.current_dir(folder.path()).arg("views");
    let ran: Ran = views.arg(name(b"out\xff")).output().unwrap().into();
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("is not UTF-8"), "{}", ran.err);
}
