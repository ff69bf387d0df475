//! Limits on memory, on open files and on the bytes that are read. Each limit is reached by a test
//! here or elsewhere, which `docs/limits.md` names.

#[cfg(unix)]
mod endless;
mod made;
mod page;

use made::{archive, capture, gzip_member, response, scan, sound, sound_of};
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaDataReader};
use serde_json::Value;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use support::assert_same;
use support::{self, Ran};
use tempfile::TempDir;

/// The documented bound on resident memory: MiB for the program, MiB per thread, and multiples of
/// `--max-body-bytes` per thread and once.
pub(crate) const PROGRAM_MIB: u64 = 512;
pub(crate) const THREAD_MIB: u64 = 96;
pub(crate) const BODIES_PER_THREAD: u64 = 6;
pub(crate) const BODIES: u64 = 100;

/// Runs a command and returns its exit code and its peak resident memory in MiB.
fn run_measured(command: &mut Command) -> (Option<i32>, u64) {
    let command = command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let path = format!("/proc/{}/status", child.id());
    let mut peak_kib = 0;
    loop {
        // The last sample is taken at most a few milliseconds before the end.
        let text = fs::read_to_string(&path).unwrap_or_default();
        let mut lines = text.lines();
        let line = lines.find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().next());
        peak_kib = peak_kib.max(kib.map_or(0, |kib| kib.parse().unwrap()));
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code(), peak_kib >> 10);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Runs the command with a limit on open files.
fn run_with_open_files(limit: usize, args: &[&str]) -> Ran {
    limited("-n", limit, args).output().unwrap().into()
}

/// Returns the command with a limit that `ulimit` knows by `option`.
fn limited(option: &str, limit: usize, args: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit \"$1\" \"$2\" && shift 2 && exec \"$@\"", "sh"])
        .arg(option)
        .arg(limit.to_string())
        .arg(support::command().get_program())
        .args(args)
        .stdin(Stdio::null());
    command
}

/// It takes more than ten seconds: only bodies of several MiB take more memory than the program itself.
#[test]
fn hostile_bodies_stay_within_the_stated_memory() {
    if !cfg!(target_os = "linux") {
        println!("skipped: /proc is not there");
        return;
    }
    const BODY_MIB: u64 = 4;
    let bytes = (BODY_MIB << 20) as usize;
    let folder = TempDir::new().unwrap();
    // The first body takes the most memory for its size, the others slightly less.
    let bodies = [
        b"a:\n".repeat(bytes / 3),
        b":\n".repeat(bytes / 2),
        b"ua:\n".repeat(bytes / 4),
        b"a:\n".repeat(bytes / 3),
        b"useragent:a\n".repeat(bytes / 12),
        b"a:\n".repeat(bytes / 3),
    ];
    let paths = bodies.iter().enumerate().map(|(i, body)| {
        let path = folder.path().join(format!("{i}.warc.gz"));
        let records = [gzip_member(&capture(body), b""), gzip_member(&sound(), b"")];
        fs::write(&path, records.concat()).unwrap();
        path
    });
    let paths: Vec<_> = paths.collect();
    for threads in [1, 2] {
        let out = folder.path().join(format!("out-{threads}"));
        let mut command = support::command();
        command.args(&paths).arg("-o").arg(&out);
        command.args(["--threads", &threads.to_string()]);
        command.args(["--max-body-bytes", &format!("{BODY_MIB}MiB")]);
        command.args(["--crawl", "X", "--subset", "robotstxt"]);
        let (code, peak) = run_measured(&mut command);
        assert_eq!(code, Some(0));
        let bound =
            PROGRAM_MIB + threads * (THREAD_MIB + BODIES_PER_THREAD * BODY_MIB) + BODIES * BODY_MIB;
        println!("{threads} threads: {peak} MiB of {bound} MiB");
        assert!(peak > BODY_MIB, "{peak} MiB is no measurement");
        assert!(peak <= bound, "{peak} MiB is more than {bound} MiB");
    }
    assert_same(&folder.path().join("out-1"), &folder.path().join("out-2"));
}

/// Returns the paths of `count` archives with one small capture each, of different hosts.
fn many_inputs(folder: &Path, count: usize) -> Vec<String> {
    let names = (0..count).map(|i| {
        let path = folder.join(format!("{i}.warc.gz"));
        fs::write(
            &path,
            gzip_member(&sound_of(&format!("{i}.a.example")), b""),
        )
        .unwrap();
        path.to_str().unwrap().to_owned()
    });
    names.collect()
}

#[test]
fn many_threads_need_few_open_files() {
    let folder = TempDir::new().unwrap();
    let inputs = many_inputs(folder.path(), 40);
    let scan = |out: &str, threads: &str, open_files: usize| {
        let out = folder.path().join(out);
        let mut args: Vec<&str> = inputs.iter().map(String::as_str).collect();
        args.extend([
            "--crawl",
            "X",
            "--subset",
            "robotstxt",
            "--part-inputs",
            "1",
        ]);
        args.extend(["-o", out.to_str().unwrap(), "--threads", threads]);
        let ran = run_with_open_files(open_files, &args);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        out
    };
    let plenty = scan("plenty", "2", 1024);
    let few = scan("few", "64", 64);
    assert_same(&plenty, &few);
    let few = few.to_str().unwrap();
    let ran = run_with_open_files(64, &["verify", few, "--threads", "64"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let captures = support::rows(Path::new(few), "robots_files");
    let urls = captures.iter().map(|row| row["url"].as_str().unwrap());
    let list = folder.path().join("urls.txt");
    fs::write(&list, urls.collect::<Vec<_>>().join("\n")).unwrap();
    let matched = |out: &str, threads: &str, open_files: usize| {
        let out = folder.path().join(out);
        let [list, to] = [&list, &out].map(|path| path.to_str().unwrap());
        let args = [
            "match",
            few,
            "--any-name",
            "-a",
            "x",
            "-u",
            list,
            "-o",
            to,
            "-t",
            threads,
        ];
        let ran = run_with_open_files(open_files, &args);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        fs::read(out).unwrap()
    };
    assert!(matched("1.csv", "1", 1024) == matched("64.csv", "64", 64));
}

#[test]
fn many_crawls_need_few_open_files() {
    let folder = TempDir::new().unwrap();
    for (i, input) in many_inputs(folder.path(), 40).into_iter().enumerate() {
        let crawl = folder
            .path()
            .join(format!("crawl-data/CC-MAIN-2020-{}", 10 + i));
        fs::create_dir_all(&crawl).unwrap();
        fs::rename(input, crawl.join("a.warc.gz")).unwrap();
    }
    let out = folder.path().join("out");
    let inputs = folder.path().join("crawl-data");
    let [inputs, out] = [&inputs, &out].map(|path| path.to_str().unwrap());
    let args = [inputs, "--subset", "robotstxt", "-t", "32", "-o", out];
    let ran = run_with_open_files(40, &args);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(support::rows(Path::new(out), "hosts").len(), 40);
}

#[test]
fn threads_that_do_not_start_are_an_error_of_every_command() {
    if !cfg!(target_os = "linux") {
        println!("skipped: the address space has no limit");
        return;
    }
    let folder = TempDir::new().unwrap();
    let archive = &many_inputs(folder.path(), 1)[0];
    let list = folder.path().join("urls.txt");
    fs::write(&list, "https://a.example/\n").unwrap();
    let [list, member, to] = [list, folder.path().join("member"), folder.path().join("to")]
        .map(|path| path.into_os_string().into_string().unwrap());
    let names = ["--crawl", "X", "--subset", "robotstxt"];
    let scan = |to| [&[archive, "-o", to], &names[..]].concat();
    let ran = support::run(scan(&member));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let commands = [
        scan(&to),
        [scan(&member), vec!["--overwrite"]].concat(),
        vec!["verify", &member],
        vec![
            "match",
            &member,
            "--any-name",
            "-a",
            "x",
            "-u",
            &list,
            "-o",
            &to,
        ],
        vec!["join", folder.path().to_str().unwrap()],
    ];
    for mut command in commands {
        command.extend(["-t", "16"]);
        // 16 threads with 1 GiB of stack each have no room in 8 GiB.
        let mut limited = limited("-v", 8 << 20, &command);
        let ran: Ran = limited
            .env("RUST_MIN_STACK", "1073741824")
            .output()
            .unwrap()
            .into();
        assert_eq!(ran.code, Some(2), "{command:?}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("cannot start 16 threads: "), "{}", ran.err);
        assert!(ran.err.contains("--threads"), "{}", ran.err);
        assert!(!Path::new(&to).exists(), "{command:?}");
        assert_eq!(support::rows(Path::new(&member), "robots_files").len(), 1);
    }
}

#[test]
fn first_records_are_read_with_few_open_files() {
    let folder = TempDir::new().unwrap();
    let inputs = folder.path().join("inputs");
    fs::create_dir(&inputs).unwrap();
    let block = "isPartOf: X\r\nsubset: robotstxt\r\n";
    let archive = format!(
        "WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    );
    for i in 0..2000 {
        fs::write(inputs.join(format!("{i:04}.warc")), &archive).unwrap();
    }
    let out = folder.path().join("out");
    let [inputs, out] = [&inputs, &out].map(|path| path.to_str().unwrap());
    let args = [inputs, "-o", out, "--dry-run", "--threads", "64"];
    let ran = run_with_open_files(40, &args);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // An archive that could not be opened would belong to the crawl `unknown`.
    let parts: Vec<&str> = ran
        .out
        .lines()
        .filter(|line| line.starts_with("part "))
        .collect();
    assert_eq!(parts.len(), 1, "{parts:?}");
    assert!(parts[0].contains("crawl=X subset=robotstxt"), "{parts:?}");
}

#[test]
fn too_few_open_files_are_an_error_before_anything_is_written() {
    let folder = TempDir::new().unwrap();
    let input = &many_inputs(folder.path(), 1)[0];
    let out = folder.path().join("out");
    let ran = run_with_open_files(20, &[input, "-o", out.to_str().unwrap()]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(
        ran.err
            .contains("too few open files are allowed: the limit is 20")
    );
    assert!(!out.exists());
    // The limit that the error recommends is sufficient.
    let needed = ran.err.split("at least ").nth(1).unwrap();
    let needed = needed.split(' ').next().unwrap().parse().unwrap();
    let ran = run_with_open_files(needed, &[input, "-o", out.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn pages_have_an_offset_index_and_no_column_index() {
    let folder = TempDir::new().unwrap();
    let out = scan(folder.path(), &archive(folder.path(), &[sound()]), &[]);
    let mut columns = 0;
    for path in support::files_below(&out) {
        if path
            .extension()
            .is_none_or(|extension| extension != "parquet")
        {
            continue;
        }
        let mut reader =
            ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Optional);
        reader.try_parse(&File::open(&path).unwrap()).unwrap();
        let metadata = reader.finish().unwrap();
        for column in metadata
            .row_groups()
            .iter()
            .flat_map(|group| group.columns())
        {
            assert!(column.offset_index_offset().is_some(), "{path:?}");
            assert!(column.column_index_offset().is_none(), "{path:?}");
            columns += 1;
        }
    }
    assert!(columns > 50);
}

#[test]
fn release_builds_check_for_integer_overflow() {
    let text = fs::read_to_string(support::project().join("Cargo.toml")).unwrap();
    let manifest: toml::Table = text.parse().unwrap();
    let release = &manifest["profile"]["release"];
    assert_eq!(release["overflow-checks"].as_bool(), Some(true));
}

/// Returns the anomalies of the first capture: code, line, and the quoted bytes.
fn anomalies(out: &Path) -> Vec<Value> {
    let id = support::rows(out, "robots_files")[0]["robots_id"].clone();
    let rows = support::rows(out, "anomalies").into_iter();
    rows.filter(|row| row["robots_id"] == id).collect()
}

/// Scans a capture and a sound one. Returns the anomalies of the former.
fn anomalies_of(record: Vec<u8>, more: &[&str]) -> Vec<Value> {
    let folder = TempDir::new().unwrap();
    let archive = archive(folder.path(), &[record, sound()]);
    anomalies(&scan(folder.path(), &archive, more))
}

fn has(anomalies: &[Value], code: &str) -> bool {
    anomalies.iter().any(|row| row["code"] == code)
}

#[test]
fn a_line_is_read_up_to_a_limit() {
    let line = |bytes: usize| {
        let path = "a".repeat(bytes - "Disallow: /".len());
        capture(format!("User-agent: *\nDisallow: /{path}\n").as_bytes())
    };
    assert!(!has(&anomalies_of(line(16_663), &[]), "overlong_line"));
    assert!(has(&anomalies_of(line(16_664), &[]), "overlong_line"));
}

#[test]
fn a_body_is_read_up_to_a_limit() {
    let folder = TempDir::new().unwrap();
    let cut = |bytes: usize| {
        let body = [&b"User-agent: *\nDisallow: /\n"[..], &vec![b'#'; bytes]].concat();
        let archive = archive(folder.path(), &[capture(&body[..bytes]), sound()]);
        let out = scan(folder.path(), &archive, &["--max-body-bytes", "1000"]);
        let row = &support::rows(&out, "robots_files")[0];
        (row["body_bytes"].clone(), row["content_truncated"].clone())
    };
    assert_eq!(cut(1000), (1000.into(), Value::Null));
    assert_eq!(cut(1001), (1000.into(), "length".into()));
}

#[test]
fn an_anomaly_quotes_a_line_up_to_a_limit() {
    let found = anomalies_of(capture(&[b'x'; 300]), &[]);
    let line = found.iter().find(|row| row["code"] == "no_directive");
    assert_eq!(line.unwrap()["detail"], "x".repeat(200));
}

#[test]
fn a_chunk_size_line_is_read_up_to_a_limit() {
    let chunked = |bytes: usize| {
        let extension = "x".repeat(bytes - "4;\r\n".len());
        let body = format!("4;{extension}\r\n#abc\r\n0\r\n\r\n");
        response("200 OK", "Transfer-Encoding: chunked\r\n", body.as_bytes())
    };
    let code = "misdeclared_coding";
    assert!(!has(&anomalies_of(chunked(4096), &[]), code));
    assert!(has(&anomalies_of(chunked(4097), &[]), code));
}

#[test]
fn a_challenge_is_searched_for_at_the_beginning_of_a_page() {
    let page = |end: usize| {
        let blanks = " ".repeat(end - "<html>captcha".len());
        let body = format!("<html>{blanks}captcha");
        response("200 OK", "Content-Type: text/html\r\n", body.as_bytes())
    };
    assert!(has(&anomalies_of(page(64 << 10), &[]), "challenge_page"));
    assert!(!has(
        &anomalies_of(page((64 << 10) + 1), &[]),
        "challenge_page"
    ));
}

#[test]
fn a_statement_is_compared_with_a_limited_number_of_earlier_ones() {
    let statements = |between: usize| {
        let between = "Content-Signal: search=yes\n".repeat(between);
        let body = format!(
            "User-agent: *\nContent-Signal: ai-train=yes\n{between}Content-Signal: ai-train=no\n"
        );
        capture(body.as_bytes())
    };
    let code = "signal_contradiction";
    assert!(has(&anomalies_of(statements(63), &[]), code));
    assert!(!has(&anomalies_of(statements(64), &[]), code));
}

#[test]
fn merging_groups_has_a_work_limit() {
    // Many names, each in a group with many rules and in a separate group.
    let body = |names: usize| {
        let agents = (0..names).map(|i| format!("User-agent: a{i}\n"));
        let rules = (0..9000).map(|i| format!("Disallow: /b{i}\n"));
        let own = (0..names).map(|i| format!("User-agent: a{i}\nDisallow: /c{i}\n"));
        capture(
            agents
                .chain(rules)
                .chain(own)
                .collect::<String>()
                .as_bytes(),
        )
    };
    assert!(!has(&anomalies_of(body(100), &[]), "too_complex"));
    assert!(has(&anomalies_of(body(3000), &[]), "too_complex"));
}

#[test]
fn reading_lines_strictly_has_a_work_limit() {
    // To find out if a user-agent line without a colon, alone in its group, changes a verdict, the whole
    // file is read again.
    let undecided = |lines: usize| {
        let groups = "User-agent: b\nUser-agent a1\nDisallow: /\n".repeat(lines);
        let body = format!("User-agent: c\nDisallow: /x\n{groups}");
        let found = anomalies_of(capture(body.as_bytes()), &["--body-limit", "none"]);
        let liberties = found.iter().filter(|row| row["code"] == "missing_colon");
        let undecided = liberties.filter(|row| row["changes_verdict"].is_null());
        undecided.count()
    };
    assert_eq!(undecided(10), 0);
    assert!(undecided(3000) > 0);
}

#[test]
fn names_in_the_summary_have_a_limit() {
    let folder = TempDir::new().unwrap();
    let (short, long) = ("a".repeat(128), "b".repeat(129));
    let body = format!("User-agent: {short}\nUser-agent: {long}\nDisallow: /\n");
    let archive = archive(folder.path(), &[capture(body.as_bytes())]);
    let out = folder.path().join("out");
    let ran = support::run([archive.as_str(), "-o", out.to_str().unwrap(), "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains(&short) && !ran.out.contains(&long));
    // The tables have all names.
    let rows = support::rows(&out, "verdicts");
    assert!(rows.iter().any(|row| row["agent"] == long.as_str()));
}

#[test]
fn a_limited_number_of_faults_is_printed() {
    let folder = TempDir::new().unwrap();
    let mut damaged = gzip_member(&sound(), b"");
    let offset = damaged.len() - 5;
    damaged[offset] ^= 1;
    let members = [damaged, gzip_member(&sound(), b"")].concat().repeat(25);
    let path = folder.path().join("a.warc.gz");
    fs::write(&path, members).unwrap();
    let out = folder.path().join("out");
    let ran = support::run([path.to_str().unwrap(), "-o", out.to_str().unwrap()]);
    assert_eq!(ran.code, Some(1));
    let told = ran.err.matches("checksum does not match").count();
    assert_eq!((told, support::rows(&out, "faults").len()), (20, 25));
}

/// Returns the number of captures and the codes of the faults of an archive given as bytes.
fn read(name: &str, bytes: &[u8]) -> (usize, Vec<Value>) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    let out = scan(folder.path(), path.to_str().unwrap(), &[]);
    let faults = support::rows(&out, "faults").into_iter();
    let codes = faults.map(|row| row["code"].clone()).collect();
    (support::rows(&out, "robots_files").len(), codes)
}

#[test]
fn a_zstd_dictionary_and_a_zstd_window_have_a_limit() {
    let dictionary = |mib: u32| {
        let mut frame = 0x184d_2a5du32.to_le_bytes().to_vec();
        frame.extend_from_slice(&(mib << 20).to_le_bytes());
        frame.resize(frame.len() + 100, 0);
        frame
    };
    let (captures, codes) = read("a.warc.zst", &dictionary(33));
    assert_eq!((captures, codes), (0, vec!["bad_dictionary".into()]));
    let frame = |window_log: u32| {
        let mut writer = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        writer.window_log(window_log).unwrap();
        std::io::Write::write_all(&mut writer, &sound()).unwrap();
        writer.finish().unwrap()
    };
    let archive = |window_log| [frame(20), frame(window_log), frame(20)].concat();
    assert_eq!(read("a.warc.zst", &archive(27)), (3, vec![]));
    let (captures, codes) = read("a.warc.zst", &archive(28));
    assert_eq!((captures, codes), (2, vec!["corrupt".into()]));
}

#[test]
fn a_gzip_header_has_a_limit() {
    let member = |name: usize| gzip_member(&sound(), &vec![b'n'; name]);
    let archive = |name| [member(1), b"damage".to_vec(), member(name), member(1)].concat();
    assert_eq!(read("a.warc.gz", &archive(3 << 10)).0, 3);
    assert_eq!(read("a.warc.gz", &archive(5 << 10)).0, 2);
    // Without resynchronization a longer header is read.
    let archive = |name| [member(1), member(name), member(1)].concat();
    assert_eq!(read("a.warc.gz", &archive(250 << 10)), (3, vec![]));
    let (captures, codes) = read("a.warc.gz", &archive(5 << 20));
    assert_eq!((captures, codes), (2, vec!["corrupt".into()]));
}

#[test]
fn an_archive_is_searched_for_at_the_beginning_of_an_input() {
    let archive = |bytes| [vec![b'x'; bytes], gzip_member(&sound(), b"")].concat();
    let (captures, codes) = read("a.warc.gz", &archive((1 << 20) - 200));
    assert_eq!((captures, codes), (1, vec!["garbage".into()]));
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("b.warc.gz");
    fs::write(&path, archive(1 << 20)).unwrap();
    let out = folder.path().join("out");
    let ran = support::run([path.to_str().unwrap(), "-o", out.to_str().unwrap()]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
}

#[test]
fn check_reads_a_body_of_an_archive_up_to_a_limit() {
    let folder = TempDir::new().unwrap();
    let check = |mib: usize| {
        let comment = "x".repeat(mib << 20);
        let body = format!("#{comment}\nUser-agent: *\nDisallow: /\n");
        let archive = archive(folder.path(), &[capture(body.as_bytes())]);
        let args = ["check", &archive, "--host", "hostile.example"];
        support::run(args.into_iter().chain(["--body-limit", "none", "--json"])).out
    };
    assert!(check(1).contains("\"disallow_all\""));
    assert!(!check(17).contains("\"disallow_all\""));
}

#[test]
fn bodies_above_the_largest_size_are_truncated() {
    const LARGEST: usize = 512 << 20;
    let body = vec![b'#'; LARGEST + 1];
    let mut parser = robots::Parser::new();
    assert_eq!(parser.parse(&body).body().len(), LARGEST);
    assert_eq!(parser.parse(&body[..LARGEST - 1]).body().len(), LARGEST - 1);
}

#[test]
fn texts_too_large_for_any_file_are_refused() {
    let line = |value: &[u8]| {
        let line = robots::DirectiveRow {
            kind: robots::DirectiveKind::UserAgent,
            line_no: 1,
            group_no: Some(1),
            record_no: 1,
            key_raw: b"User-agent",
            value_raw: value,
            value,
            name: value,
            token: value,
            has_colon: true,
            counts: true,
            crawl_delay_ms: None,
        };
        robots::RobotsTxtBuilder::new().push(&line)
    };
    // Four texts of half a gigabyte each, which are never copied.
    assert!(!line(&vec![0; 512 << 20]));
    assert!(line(b"bot"));
}

#[test]
fn the_size_of_a_list_that_check_reads_is_limited() {
    let folder = TempDir::new().unwrap();
    let robots = folder.path().join("robots.txt");
    fs::write(&robots, "User-agent: *\nDisallow: /private/\n").unwrap();
    let list = folder.path().join("urls.txt");
    let path = "a".repeat((1 << 20) - "https://sound.example/".len());
    let url = format!("https://sound.example/{path}\n");
    let check = |count: usize| {
        fs::write(&list, url.repeat(count)).unwrap();
        let args = ["check", robots.to_str().unwrap(), "--urls"];
        support::run(args.into_iter().chain([list.to_str().unwrap()]))
    };
    assert_eq!(check(2).code, Some(0));
    let ran = check(65);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("more than 67108864 bytes of URLs"));
}

#[test]
fn the_names_of_a_file_are_not_repeated_for_very_many_hosts() {
    let folder = TempDir::new().unwrap();
    let file = |host: &str, names: usize| {
        let names = (0..names).map(|i| format!("User-agent: {}\n", letters(i)));
        let response = format!(
            "HTTP/1.1 200 OK\r\n\r\n{}Disallow: /\n",
            names.collect::<String>()
        );
        record(&format!("https://{host}/robots.txt"), response.as_bytes())
    };
    // 12,800 times 1,990 rows are more than 25 million and 25 for each host.
    let redirects =
        (0..12_800).map(|i| redirect(&format!("h{i}.test"), "https://long.test/robots.txt"));
    let mut records = vec![file("long.test", 1990), file("short.test", 3)];
    records.push(redirect("few.test", "https://short.test/robots.txt"));
    records.extend(redirects);
    let archive = archive(folder.path(), &records);
    let out = folder.path().join("out");
    let ran = support::run([archive.as_str(), "-q", "-o", out.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let mut without_rows = 0;
    for row in support::rows(&out, "hosts") {
        let has_rows = row["has_named_rows"].as_bool().unwrap();
        let is_redirected = row["surt_host_name"]
            .as_str()
            .unwrap()
            .starts_with("test,h");
        assert_eq!(has_rows, !is_redirected, "{row}");
        assert_eq!(
            row["n_named"] == 1990,
            is_redirected || row["surt_host_name"] == "test,long"
        );
        without_rows += usize::from(!has_rows);
    }
    assert_eq!(without_rows, 12_800);
    assert_eq!(support::rows(&out, "host_verdicts").len(), 1990 + 3 + 3);
    // The rules of one host are read, so they have no limit.
    let out = out.to_str().unwrap();
    let agent = letters(1989);
    let ran = support::run(["check", out, "--host", "h7.test", "--agent", &agent]);
    assert!(
        ran.out.contains("disallow_all (by its own rules"),
        "{}",
        ran.out
    );
    let ran = support::run(["verify", out]);
    assert_eq!(ran.code, Some(0), "{}", ran.out);
}

#[test]
fn any_number_of_redirects_of_a_host_is_followed() {
    let folder = TempDir::new().unwrap();
    let rules = b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\n";
    for captured in [0, 999, 1000, 2499] {
        let to = |i: usize| format!("https://t{i}.test/robots.txt");
        let mut records: Vec<_> = (0..2500).map(|i| redirect("a.test", &to(i))).collect();
        records.push(record(&to(captured), rules));
        let out = folder.path().join(captured.to_string());
        let archive = archive(folder.path(), &records);
        let ran = support::run([archive.as_str(), "-q", "-o", out.to_str().unwrap()]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let host = support::rows(&out, "hosts").remove(0);
        assert_eq!(host["surt_host_name"], "test,a");
        assert_eq!(host["redirect_end"], "resolved", "{captured}");
        assert_eq!(host["wildcard_verdict"], "disallow_all", "{captured}");
    }
}

#[test]
fn folders_of_a_list_are_searched_up_to_a_depth() {
    let folder = TempDir::new().unwrap();
    let out = scan(folder.path(), &archive(folder.path(), &[sound()]), &[]);
    let refused = |depth: usize| {
        let list = folder.path().join(format!("list-{depth}"));
        fs::create_dir_all(list.join(vec!["x"; depth].join("/"))).unwrap();
        let mut command = support::command();
        command
            .arg("match")
            .arg(&out)
            .args(["--any-name", "-a", "x", "--urls"]);
        command
            .arg(list)
            .arg("-o")
            .arg(folder.path().join("m.parquet"));
        let ran: Ran = command.output().unwrap().into();
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        ran.err
    };
    assert!(refused(8).contains("holds no file named *.parquet"));
    assert!(refused(9).contains("nested too deep"));
}

#[test]
fn a_limited_number_of_similar_hosts_is_suggested() {
    let folder = TempDir::new().unwrap();
    let hosts = (0..9).map(|i| sound_of(&format!("s{i}.example.com")));
    let archive = archive(folder.path(), &hosts.collect::<Vec<_>>());
    let out = scan(folder.path(), &archive, &[]);
    let ran = support::run(["check", out.to_str().unwrap(), "--host", "example.com"]);
    assert_eq!(ran.err.matches(".example.com'").count(), 5, "{}", ran.err);
}

#[test]
fn options_have_limits() {
    let refused = |args: &[&str]| {
        let common = ["in.warc", "-o", "out"];
        let ran = support::run(common.iter().chain(args));
        assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.err);
    };
    refused(&["--threads", "0"]);
    refused(&["--threads", "1025"]);
    refused(&["--shard", "1/100000"]);
    refused(&["--max-body-bytes", "0"]);
    refused(&["--max-body-bytes", "1025MiB"]);
}

/// Returns the record of a redirect of a request for robots.txt.
fn redirect(host: &str, to: &str) -> Vec<u8> {
    let response = format!("HTTP/1.1 301 Moved\r\nLocation: {to}\r\n\r\n");
    record(&format!("https://{host}/robots.txt"), response.as_bytes())
}

/// Writes a number in letters, as digits would end a product token.
fn letters(number: usize) -> String {
    let digits = format!("{number:05}");
    digits
        .bytes()
        .map(|digit| char::from(digit - b'0' + b'a'))
        .collect()
}

/// Returns the record of a response.
fn record(url: &str, response: &[u8]) -> Vec<u8> {
    let mut record = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n\
         WARC-Date: 2026-01-05T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n\
         Content-Length: {}\r\n\r\n",
        response.len()
    )
    .into_bytes();
    record.extend_from_slice(response);
    record.extend_from_slice(b"\r\n\r\n");
    record
}

#[test]
fn a_long_list_of_names_is_not_repeated_for_other_hosts() {
    let folder = TempDir::new().unwrap();
    let names_of = |count: usize| {
        let names = (0..count).map(|i| format!("User-agent: {}\n", letters(i)));
        format!("{}Disallow: /\n", names.collect::<String>())
    };
    let file = |host: &str, count: usize| {
        let response = format!("HTTP/1.1 200 OK\r\n\r\n{}", names_of(count));
        record(&format!("https://{host}/robots.txt"), response.as_bytes())
    };
    let records = [
        file("long.test", 2001),
        redirect("a.test", "https://long.test/robots.txt"),
        file("short.test", 2000),
        redirect("b.test", "https://short.test/robots.txt"),
    ];
    let archive = archive(folder.path(), &records);
    let out = folder.path().join("out");
    let ran = support::run([archive.as_str(), "-q", "-o", out.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let hosts: Vec<(String, u64, bool)> = support::rows(&out, "hosts")
        .iter()
        .map(|row| {
            let host = row["surt_host_name"].as_str().unwrap().to_owned();
            let named = row["n_named"].as_u64().unwrap();
            (host, named, row["has_named_rows"].as_bool().unwrap())
        })
        .collect();
    let expected = [
        ("test,a", 2001, false),
        ("test,b", 2000, true),
        ("test,long", 2001, true),
        ("test,short", 2000, true),
    ];
    assert_eq!(
        hosts,
        expected.map(|(host, named, has)| (host.to_owned(), named, has))
    );
    let rows = support::rows(&out, "host_verdicts");
    assert_eq!(rows.len(), 2000 + 2001 + 2000);
    let ran = support::run(["verify", out.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}", ran.out);
}
