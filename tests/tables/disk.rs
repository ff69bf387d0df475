//! Files of others in the folder of a dataset: links are not followed, and files are not
//! opened, replaced or removed.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use support::{self, Ran, archive, files_below, relative, run};
use support::{assert_same, contents};
use tempfile::TempDir;

const SOUND: &str = "cc-robotstxt.warc.gz";

/// A folder with a dataset of several parts.
struct Place {
    folder: TempDir,
    out: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let out = folder.path().join("out.parquet");
        let place = Self { folder, out };
        place.assert_scans(&["--part-inputs", "3"]);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn arg(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn scan(&self, args: &[&str]) -> Ran {
        let samples = [archive(SOUND), archive("chunked.warc.gz")];
        let out = self.out.to_str().unwrap();
        let args = args.iter().copied();
        run(samples
            .iter()
            .map(String::as_str)
            .chain(["-o", out])
            .chain(args))
    }

    #[track_caller]
    fn assert_scans(&self, args: &[&str]) {
        let ran = self.scan(args);
        assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
    }

    fn mkfifo(&self, path: &Path) {
        let made = Command::new("mkfifo").arg(path).status();
        assert!(made.unwrap().success(), "{}", self.folder.path().display());
    }
}

#[track_caller]
fn assert_refused(ran: &Ran, words: &[&str]) {
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    for word in words {
        assert!(ran.err.contains(word), "'{word}' is not in: {}", ran.err);
    }
}

/// Returns all entries below a folder, without following links: the type of each path,
/// the target of a link and the bytes of a file.
fn snapshot(folder: &Path) -> BTreeMap<String, String> {
    fn add(root: &Path, folder: &Path, found: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let kind = fs::symlink_metadata(&path).unwrap().file_type();
            let what = if kind.is_symlink() {
                format!("link to {}", fs::read_link(&path).unwrap().display())
            } else if kind.is_dir() {
                add(root, &path, found);
                "folder".to_owned()
            } else if kind.is_file() {
                format!("file {:?}", fs::read(&path).unwrap())
            } else {
                "other".to_owned()
            };
            found.insert(relative(&path, root), what);
        }
    }
    let mut found = BTreeMap::new();
    add(folder, folder, &mut found);
    found
}

/// Returns the folder of a dataset and all folders in it.
fn folders(root: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = files_below(root)
        .iter()
        .flat_map(|file| {
            file.ancestors()
                .skip(1)
                .map(Path::to_owned)
                .collect::<Vec<_>>()
        })
        .filter(|folder| folder.starts_with(root))
        .collect();
    folders.sort();
    folders.dedup();
    folders
}

/// Creates files, folders, links and a pipe in each folder of a dataset, with names that
/// this and earlier versions of robots-scan use.
fn fill(place: &Place) -> Vec<String> {
    let outside = place.path("outside");
    fs::create_dir_all(outside.join("subset=warc")).unwrap();
    for name in [
        "_draft.tmp",
        "victim",
        "run-1",
        "lock",
        "part-00000.parquet",
    ] {
        fs::write(outside.join(name), "precious").unwrap();
        fs::write(outside.join("subset=warc").join(name), "precious").unwrap();
    }
    let mut names = Vec::new();
    for folder in folders(&place.out) {
        let mut put = |name: &str, make: &dyn Fn(&Path)| {
            make(&folder.join(name));
            names.push(relative(&folder.join(name), &place.out));
        };
        for name in [
            "notes.txt",
            "part-of-my-notes.parquet",
            "part-00077.parquet.tmp",
            "_part-00000.parquet.tmp",
            "_draft.tmp",
            "_views.sql.tmp",
            "run-1",
            "lock",
            ".lock",
            "0.tmp",
        ] {
            put(name, &|path| fs::write(path, "mine").unwrap());
        }
        put("crawl=OLD", &|path| symlink(&outside, path).unwrap());
        put("subset=old", &|path| symlink(&outside, path).unwrap());
        put("_link.tmp", &|path| {
            symlink(outside.join("victim"), path).unwrap()
        });
        put("part-00099.parquet", &|path| {
            symlink(outside.join("part-00000.parquet"), path).unwrap();
        });
        put("back", &|path| symlink("..", path).unwrap());
        put("_tmp-0123456789abcdef", &|path| {
            symlink(&outside, path).unwrap()
        });
        put("_tmp-fedcba9876543210", &|path| {
            fs::create_dir(path).unwrap();
            fs::write(path.join("0.tmp"), "mine").unwrap();
        });
        put("pipe.tmp", &|path| place.mkfifo(path));
    }
    names
}

#[test]
fn overwriting_and_resuming_keep_files_of_others_in_the_dataset() {
    let place = Place::new();
    let fresh = Place::new();
    let names = fill(&place);
    let before = snapshot(place.folder.path());
    let is_foreign = |path: &str| {
        let path = path.strip_prefix("out.parquet/");
        path.is_none_or(|path| names.iter().any(|name| path.starts_with(name)))
    };
    let foreign = |all: &BTreeMap<String, String>| -> BTreeMap<String, String> {
        let all = all.iter().filter(|(path, _)| is_foreign(path));
        all.map(|(path, what)| (path.clone(), what.clone()))
            .collect()
    };
    for args in [
        &["--part-inputs", "3", "--resume"][..],
        &["--part-inputs", "3", "--overwrite"],
        &["--overwrite"],
        &["--crawl", "NEW", "--overwrite"],
        &["--part-inputs", "3", "--overwrite"],
    ] {
        place.assert_scans(args);
        let after = snapshot(place.folder.path());
        assert!(foreign(&after) == foreign(&before), "after {args:?}");
    }
    // Without these files, the dataset equals any other.
    let mut own = snapshot(&place.out);
    own.retain(|path, _| !is_foreign(&format!("out.parquet/{path}")));
    let mut expected = snapshot(&fresh.out);
    for all in [&mut own, &mut expected] {
        all.retain(|path, what| {
            path != "_log.jsonl" && path != "views.sql" && what.starts_with("file")
        });
    }
    assert!(own == expected, "{:?} {:?}", own.keys(), expected.keys());
}

#[test]
fn a_foreign_file_with_a_name_of_the_dataset_is_refused_before_any_change() {
    let place = Place::new();
    place.assert_scans(&["--overwrite", "--tables", "rules,agents"]);
    let outside = place.path("outside");
    fs::create_dir(&outside).unwrap();
    let groups = place
        .out
        .join("groups/crawl=CC-MAIN-2026-01-SAMPLE/subset=robotstxt");
    fs::create_dir_all(&groups).unwrap();
    let mine = groups.join("part-00000.parquet");
    fs::write(&mine, "mine").unwrap();
    let before = snapshot(&place.out);
    for args in [
        &["--overwrite"][..],
        &["--overwrite", "--tables", "groups,faults"],
    ] {
        let ran = place.scan(args);
        assert_refused(
            &ran,
            &[
                "part-00000.parquet",
                "does not list the file",
                "hint: move it",
            ],
        );
    }
    fs::remove_file(&mine).unwrap();
    symlink(outside.join("new"), &mine).unwrap();
    assert_refused(&place.scan(&["--overwrite"]), &["a symbolic link", "hint:"]);
    fs::remove_file(&mine).unwrap();
    fs::remove_dir_all(place.out.join("groups")).unwrap();
    symlink(&outside, place.out.join("groups")).unwrap();
    assert_refused(
        &place.scan(&["--overwrite"]),
        &["groups", "a symbolic link"],
    );
    fs::remove_file(place.out.join("groups")).unwrap();
    let mut after = snapshot(&place.out);
    after.retain(|path, _| path != "_log.jsonl");
    assert!(after.iter().all(|(path, what)| before[path] == *what));
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    place.assert_scans(&["--overwrite"]);
}

/// Changes the lines of a manifest.
fn edit(dataset: &Path, change: &dyn Fn(&mut Vec<Value>)) {
    let path = dataset.join("_manifest.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let lines = text.lines().map(serde_json::from_str);
    let mut lines: Vec<Value> = lines.map(Result::unwrap).collect();
    change(&mut lines);
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(path, text).unwrap();
}

/// A change to the lines of a manifest.
type Change = Box<dyn Fn(&mut Vec<Value>)>;

/// Changes the lines of parts.
fn part(change: fn(&mut Value)) -> Change {
    Box::new(move |lines| {
        let part = lines.iter_mut().find(|line| line["part"] == 0);
        change(part.unwrap());
    })
}

/// Changes the line of the first combined file.
fn file(change: fn(&mut Value)) -> Change {
    Box::new(move |lines| {
        let file = lines.iter_mut().find(|line| line["parts"].is_array());
        change(file.unwrap());
    })
}

#[test]
fn resume_refuses_each_manifest_that_verify_rejects_and_changes_nothing() {
    let place = Place::new();
    let text = fs::read(place.out.join("_manifest.jsonl")).unwrap();
    let before = contents(&place.out);
    let changes: Vec<Change> = vec![
        file(|file| file["path"] = json!("/etc/passwd")),
        file(|file| file["path"] = json!("../../victim")),
        file(|file| file["path"] = json!("rules/crawl=OLD/subset=warc/part-00000.parquet")),
        file(|file| file["parts"] = json!([])),
        file(|file| file["parts"] = json!([0, 0])),
        file(|file| file["parts"] = json!([0, 70])),
        file(|file| file["table"] = json!("verdict")),
        file(|file| file["bytes"] = json!("many")),
        part(|part| part["tables"][0] = part["tables"][1].clone()),
        part(|part| drop(part["tables"].as_array_mut().unwrap().pop())),
        part(|part| part["tables"][0]["table"] = json!("verdict")),
        part(|part| part["tables"][0]["row_groups"] = json!(-1)),
        part(|part| part["crawl"] = json!("../..")),
        part(|part| part["crawl"] = json!("OTHER")),
        part(|part| part["inputs"] = json!({"start": 0, "end": 7})),
        part(|part| part["inputs"] = json!({"start": 1, "end": 0})),
        part(|part| part["part"] = json!(70)),
        part(|part| part["records"] = json!(-1)),
        part(|part| *part = json!({"hello": "world"})),
        part(|part| *part = json!({"stale": "../victim"})),
        Box::new(|lines| lines[0]["format"] = json!("two")),
        Box::new(|lines| lines[0]["meaning"] = json!(2)),
        Box::new(|lines| lines[0]["options"]["crawls"] = json!(["a"])),
        Box::new(|lines| lines[1]["bytes"] = json!("x")),
        Box::new(|lines| lines.push(lines.last().unwrap().clone())),
        Box::new(|lines| lines.push(lines[1].clone())),
        Box::new(Vec::clear),
    ];
    for (index, change) in changes.iter().enumerate() {
        edit(&place.out, change.as_ref());
        let verified = run(["verify", place.out.to_str().unwrap()]);
        assert_eq!(verified.code, Some(1), "change {index}: {}", verified.out);
        let ran = place.scan(&["--part-inputs", "3", "--resume"]);
        assert_refused(&ran, &["hint: "]);
        fs::write(place.out.join("_manifest.jsonl"), &text).unwrap();
        assert!(contents(&place.out) == before, "change {index}");
    }
    place.assert_scans(&["--part-inputs", "3", "--resume"]);
    assert!(contents(&place.out) == before);
}

#[test]
fn a_manifest_that_names_files_elsewhere_removes_none_of_them() {
    let place = Place::new();
    let outside = place.path("outside");
    fs::create_dir_all(outside.join("subset=warc")).unwrap();
    for name in [
        "victim",
        "part-00000.parquet",
        "subset=warc/part-00000.parquet",
    ] {
        fs::write(outside.join(name), "precious").unwrap();
    }
    let victims = snapshot(&outside);
    let link = place.out.join("rules/crawl=OLD");
    symlink(&outside, &link).unwrap();
    for path in [
        "../outside/victim".to_owned(),
        outside.join("victim").to_str().unwrap().to_owned(),
        "rules/crawl=OLD/subset=warc/part-00000.parquet".to_owned(),
        "rules/crawl=../subset=outside/part-00000.parquet".to_owned(),
        "rules/../../outside/victim".to_owned(),
    ] {
        for key in ["path", "stale"] {
            edit(&place.out, &|lines| {
                let last = lines.last_mut().unwrap();
                last["files"][0]["path"] = json!(path);
                lines.push(json!({ key: path }));
            });
            // A file that is listed neither in the log nor in the manifest would be refused.
            let ran = place.scan(&["--overwrite", "--part-inputs", "3"]);
            assert_eq!(ran.code, Some(0), "{path}: {}", ran.err);
            assert_eq!(snapshot(&outside), victims, "{path}");
        }
    }
}

#[test]
fn a_log_that_names_folders_elsewhere_removes_none_of_them() {
    let place = Place::new();
    let outside = place.path("_tmp-0123456789abcdef");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("0.tmp"), "precious").unwrap();
    let inside = place.out.join("_tmp-00000000deadbeef");
    symlink(&outside, &inside).unwrap();
    let path = place.out.join("_log.jsonl");
    let mut log = fs::read_to_string(&path).unwrap();
    for name in [
        "../_tmp-0123456789abcdef",
        "_tmp-00000000deadbeef",
        outside.to_str().unwrap(),
    ] {
        log.push_str(&format!(
            "{}\n",
            json!({"event": "begin", "temporary": name})
        ));
    }
    log.push_str(&format!(
        "{}\n",
        json!({"event": "part", "files": ["../out.parquet", "_log.jsonl"]})
    ));
    fs::write(&path, log).unwrap();
    place.assert_scans(&["--part-inputs", "3", "--resume"]);
    place.assert_scans(&["--overwrite"]);
    assert_eq!(fs::read(outside.join("0.tmp")).unwrap(), b"precious");
    assert!(inside.symlink_metadata().unwrap().is_symlink());
}

#[cfg(feature = "answers")]
#[test]
fn an_output_inside_a_dataset_is_refused() {
    let place = Place::new();
    let before = snapshot(&place.out);
    let rules = files_below(&place.out.join("rules"));
    let part = rules[0].to_str().unwrap();
    let urls = place.arg("urls.txt");
    fs::write(&urls, "https://a.example/\n").unwrap();
    symlink(&place.out, place.path("alias")).unwrap();
    let dataset = place.out.to_str().unwrap();
    for output in [
        part.to_owned(),
        place.arg("out.parquet/m.parquet"),
        place.arg("alias/rules/m.parquet"),
        place.arg("out.parquet/new/folder/m.parquet"),
    ] {
        let words = ["inside the dataset", "hint: "];
        let args = ["match", dataset, "-a", "*", "-u", &urls];
        assert_refused(
            &run(args.iter().chain(&["-o", &output, "--overwrite"])),
            &words,
        );
        for tables in ["rules", "rules,groups"] {
            let sound = archive(SOUND);
            let scan = [&sound, "--tables", tables, "-o", &output, "--overwrite"];
            assert_refused(&run(scan), &words);
        }
    }
    assert!(snapshot(&place.out) == before);
}

#[cfg(feature = "answers")]
#[test]
fn a_pipe_or_a_link_in_place_of_a_part_is_an_error_and_never_blocks() {
    let place = Place::new();
    let urls = place.arg("urls.txt");
    fs::write(&urls, "https://a.example/\n").unwrap();
    let rules = files_below(&place.out.join("rules"));
    let fake = rules[0].with_file_name("part-00077.parquet");
    let dataset = place.out.to_str().unwrap();
    let matches = place.arg("m.parquet");
    let check = ["check", dataset, "--host", "a.example"];
    let matching = ["match", dataset, "-a", "*", "-u", &urls, "-o", &matches];
    let commands: [&[&str]; 3] = [&check, &matching, &["verify", dataset]];
    let run_soon = |args: &[&str]| -> Ran {
        let mut command = support::command();
        let command = command.args(args).stdout(Stdio::piped());
        support::wait(command.stderr(Stdio::piped()).spawn().unwrap())
    };
    for make in ["pipe", "link", "folder"] {
        match make {
            "pipe" => place.mkfifo(&fake),
            "link" => symlink(&rules[0], &fake).unwrap(),
            _ => fs::create_dir(&fake).unwrap(),
        }
        for args in commands {
            let ran = run_soon(args);
            let said = ran.out + &ran.err;
            match (args[0], make) {
                // Views do not read a folder as a file.
                ("verify", "folder") => assert_eq!(ran.code, Some(0), "{said}"),
                ("verify", _) => assert_eq!(ran.code, Some(1), "{said}"),
                _ => {
                    assert!(matches!(ran.code, Some(2 | 3)), "{args:?}: {said}");
                    assert!(said.contains("not a regular file"), "{said}");
                }
            }
            assert!(
                said.contains("part-00077.parquet") || make == "folder",
                "{said}"
            );
        }
        match make {
            "folder" => fs::remove_dir(&fake).unwrap(),
            _ => fs::remove_file(&fake).unwrap(),
        }
    }
    for name in ["_manifest.jsonl", "_log.jsonl"] {
        let path = place.out.join(name);
        let moved = place.path("moved");
        fs::rename(&path, &moved).unwrap();
        place.mkfifo(&path);
        for flag in ["--resume", "--overwrite"] {
            let args = [&archive(SOUND), "-o", dataset, flag];
            let ran = run_soon(&args);
            assert_eq!(ran.code, Some(2), "{name}: {}", ran.err);
        }
        let ran = run_soon(commands[2]);
        assert!(matches!(ran.code, Some(0..=3)), "{}", ran.err);
        fs::remove_file(&path).unwrap();
        fs::rename(&moved, &path).unwrap();
    }
    // A pipe in the place of a dataset.
    let pipe = place.arg("pipe");
    place.mkfifo(Path::new(&pipe));
    assert_eq!(run_soon(&["verify", &pipe]).code, Some(2));
    assert_eq!(run_soon(&[&archive(SOUND), "-o", &pipe]).code, Some(2));
}

#[test]
fn a_second_run_on_one_file_is_refused() {
    let place = Place::new();
    let out = place.arg("rules.parquet");
    let lock = place.path(".rules.parquet.lock");
    let scan = [&archive(SOUND), "--tables", "rules", "-o", &out];
    // The lock of a running process, and then that of a killed one.
    fs::write(&lock, "robots-scan 0123456789abcdef\n").unwrap();
    let left = place.path(".rules.parquet.0123456789abcdef.tmp");
    fs::write(&left, "half").unwrap();
    let held = fs::File::open(&lock).unwrap();
    held.lock().unwrap();
    assert_refused(&run(scan), &["another run is writing to", "rules.parquet"]);
    assert!(left.exists() && lock.exists());
    held.unlock().unwrap();
    assert_eq!(run(scan).code, Some(0));
    assert!(!left.exists() && !lock.exists());
    // Of two simultaneous runs one is refused, and the file is complete.
    let whole = fs::read(&out).unwrap();
    for _ in 0..5 {
        fs::remove_file(&out).unwrap();
        let start = || {
            let mut command = support::command();
            command
                .args(scan)
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            command.spawn().unwrap()
        };
        let runs = [start(), start()];
        let mut codes = runs.map(|mut run| run.wait().unwrap().code());
        codes.sort();
        assert_eq!(codes, [Some(0), Some(2)]);
        assert_eq!(fs::read(&out).unwrap(), whole);
        assert!(!lock.exists());
    }
    // A file that is not a lock file is not changed.
    fs::write(&lock, "mine").unwrap();
    let ran = run(scan.iter().chain(&["--overwrite"]));
    assert_refused(&ran, &[".rules.parquet.lock", "not written by robots-scan"]);
    assert_eq!(fs::read(&lock).unwrap(), b"mine");
}

#[test]
fn a_cycle_of_links_does_not_repeat_the_search_of_a_folder() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir_all(path("l/a")).unwrap();
    fs::copy(archive(SOUND), path("l/a/x.warc.gz")).unwrap();
    symlink("..", path("l/a/up")).unwrap();
    symlink("a", path("l/b")).unwrap();
    symlink("a/x.warc.gz", path("l/latest.warc.gz")).unwrap();
    let glob = path("l/**/*.warc.gz");
    for input in [path("l"), path("l/b/"), glob] {
        let ran = run([input.to_str().unwrap(), "--dry-run", "-o", "out"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert_eq!(ran.out.matches("  x.warc.gz").count(), 1, "{}", ran.out);
        assert_eq!(ran.out.matches(".warc.gz  ").count(), 1, "{}", ran.out);
    }
}

#[test]
fn one_file_is_written_only_for_one_table_and_a_parquet_name() {
    let place = Place::new();
    let sample = archive(SOUND);
    let scan = |out: &str, args: &[&str]| {
        run([&sample, "-o", out]
            .iter()
            .copied()
            .chain(args.iter().copied()))
    };
    let one = ["--tables", "rules"];
    // A folder, in two runs.
    let folder = place.arg("rulesdir");
    assert_eq!(scan(&folder, &one).code, Some(0));
    assert!(place.path("rulesdir/_SUCCESS").exists());
    assert_refused(
        &scan(&folder, &one),
        &["already exists", "hint:", "--resume"],
    );
    for hint in ["--resume", "--overwrite"] {
        assert_eq!(scan(&folder, &[&one[..], &[hint]].concat()).code, Some(0));
        assert!(place.path("rulesdir/_SUCCESS").exists());
    }
    // A file, and then a dataset in its place.
    let file = place.arg("x.parquet");
    assert_eq!(scan(&file, &one).code, Some(0));
    assert!(place.path("x.parquet").is_file());
    let ran = scan(&file, &one);
    assert_refused(&ran, &["already exists", "hint:", "--overwrite"]);
    assert!(!ran.err.contains("--resume"), "{}", ran.err);
    assert_eq!(
        scan(&file, &[&one[..], &["--overwrite"]].concat()).code,
        Some(0)
    );
    for args in [&[][..], &["--overwrite"], &["--resume"]] {
        let ran = scan(&file, args);
        assert_refused(
            &ran,
            &[
                "a file with the table 'rules'",
                "hint: '--tables rules --overwrite'",
            ],
        );
    }
    assert!(place.path("x.parquet").is_file());
    // A dataset, and then a file in its place.
    let out = place.out.to_str().unwrap();
    let before = contents(&place.out);
    for args in [&one[..], &["--tables", "rules", "--overwrite"]] {
        let ran = scan(out, args);
        assert_refused(
            &ran,
            &["is a dataset", "hint: '-o", "out.parquet/ --overwrite'"],
        );
    }
    assert!(contents(&place.out) == before);
    let slash = format!("{out}/");
    assert_eq!(
        scan(&slash, &[&one[..], &["--overwrite"]].concat()).code,
        Some(0)
    );
    assert!(place.out.join("rules").is_dir() && !place.out.join("groups").exists());
}

#[cfg(feature = "answers")]
#[test]
fn an_output_that_is_not_a_local_path_is_refused() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("u"), "https://a.example/\n").unwrap();
    let sample = archive(SOUND);
    for (output, words) in [
        ("-", "standard output"),
        ("s3://bucket/out", "is a URL"),
        ("gs://bucket/x.parquet", "is a URL"),
        ("hdfs+ssl://n/x", "is a URL"),
        ("file:///tmp/x", "is a URL"),
    ] {
        for args in [
            &[sample.as_str(), "-o", output][..],
            &[&sample, "--tables", "rules", "-o", output],
            &["match", "d", "-a", "*", "-u", "u", "-o", output],
        ] {
            let mut command = support::command();
            let ran: Ran = command
                .args(args)
                .current_dir(&folder)
                .output()
                .unwrap()
                .into();
            assert_refused(&ran, &[words, "hint: "]);
            assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "{args:?}");
        }
    }
    let mut command = support::command();
    let ran: Ran = command
        .args([sample.as_str(), "-o", "./-"])
        .current_dir(&folder)
        .output()
        .unwrap()
        .into();
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(folder.path().join("-/_SUCCESS").exists());
}

#[test]
fn resuming_a_finished_dataset_reports_its_content() {
    let place = Place::new();
    let before = contents(&place.out);
    let count = |name: &str| -> usize {
        let files = files_below(&place.out);
        let files = files
            .iter()
            .filter(|path| path.to_string_lossy().contains(name));
        files.map(|path| support::rows_of_file(path).len()).sum()
    };
    let of_parts = count("part-");
    let rows = of_parts + count("agents.parquet");
    let parts = fs::read_to_string(place.out.join("_manifest.jsonl")).unwrap();
    let parts = parts.matches("\"part\":").count();
    assert!(parts > 1 && rows > 100);
    let ran = place.scan(&["--part-inputs", "3", "--resume"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let digits = |text: &str| text.replace(',', "");
    let first = digits(
        ran.out
            .lines()
            .next()
            .unwrap()
            .strip_prefix("nothing to do: ")
            .unwrap(),
    );
    assert_eq!(first, format!("{parts} parts {rows} rows"));
    assert!(contents(&place.out) == before);
    let ran = place.scan(&["--part-inputs", "3", "--resume", "--json"]);
    let summary: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(summary["resumed_rows"], json!(of_parts));
}

#[test]
fn the_dataset_itself_may_be_a_link_and_its_bytes_do_not_depend_on_random_names() {
    let (place, other) = (Place::new(), Place::new());
    assert_same(&place.out, &other.out);
    let real = place.path("real");
    fs::rename(&place.out, &real).unwrap();
    symlink(&real, &place.out).unwrap();
    place.assert_scans(&["--part-inputs", "3", "--overwrite"]);
    assert_same(&real, &other.out);
    assert_eq!(run(["verify", place.out.to_str().unwrap()]).code, Some(0));
    // A link in place of a single file is not replaced.
    let (file, link) = (place.arg("r.parquet"), place.arg("l.parquet"));
    let one = |out: &str| {
        run([
            &archive(SOUND),
            "--tables",
            "rules",
            "-o",
            out,
            "--overwrite",
        ])
    };
    assert_eq!(one(&file).code, Some(0));
    symlink(&file, &link).unwrap();
    assert_refused(&one(&link), &["l.parquet", "a symbolic link", "hint: "]);
}
