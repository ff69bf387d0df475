//! Archives in a bucket of S3, and copies to it. The server is s3s-fs, which checks signatures.

use super::server::Server;
use super::{SOUND, assert_same_tables, sample, tables};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use s3s_fs::FileSystem;
use std::fs;
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use support::{Folder, Ran, command, files_below, relative, rows};
use tokio::net::TcpListener;
use tokio::runtime;

/// A server of the buckets in a folder. It ends with the process.
struct Bucket {
    folder: Folder,
    endpoint: String,
}

impl Bucket {
    /// Starts a server with the bucket `bucket`. With a key, requests must be signed with it.
    fn start(key: Option<(&str, &str)>) -> Self {
        let folder = Folder::new();
        fs::create_dir_all(folder.path().join("s3/bucket")).unwrap();
        let mut service = S3ServiceBuilder::new(FileSystem::new(folder.path().join("s3")).unwrap());
        if let Some((id, secret)) = key {
            service.set_auth(SimpleAuth::from_single(id, secret));
        }
        let service = service.build();
        let (sender, receiver) = channel();
        thread::spawn(move || {
            let runtime = runtime::Builder::new_current_thread().enable_io().build();
            runtime.unwrap().block_on(async move {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                sender.send(listener.local_addr().unwrap()).unwrap();
                loop {
                    let (stream, _) = listener.accept().await.unwrap();
                    let service = service.clone();
                    tokio::spawn(async move {
                        let server = Builder::new(TokioExecutor::new());
                        // The program may close its connections at any time.
                        let _ = server.serve_connection(TokioIo::new(stream), service).await;
                    });
                }
            });
        });
        let endpoint = format!("http://{}", receiver.recv().unwrap());
        Self { folder, endpoint }
    }

    /// Uses a scripted server, which lists its bucket `bucket` by the object `/bucket`.
    fn scripted(server: &Server) -> Self {
        Self {
            folder: Folder::new(),
            endpoint: server.url(""),
        }
    }

    fn put(&self, key: &str, bytes: &[u8]) {
        self.folder.write(&format!("s3/bucket/{key}"), bytes);
    }

    /// Runs the program with a key, or without credentials.
    fn run(&self, args: &[&str], key: Option<(&str, &str)>) -> Ran {
        let mut command = command();
        command.args(args).env("HOME", self.folder.path());
        for name in ["AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] {
            command.env_remove(name);
        }
        command.env("AWS_ENDPOINT_URL", &self.endpoint);
        command
            .env("AWS_ALLOW_HTTP", "true")
            .env("AWS_REGION", "us-east-1");
        if let Some((id, secret)) = key {
            command.env("AWS_ACCESS_KEY_ID", id);
            command.env("AWS_SECRET_ACCESS_KEY", secret);
        }
        command.output().unwrap().into()
    }
}

const KEY: (&str, &str) = ("key-of-tests", "secret-of-tests");

const OPTIONS: [&str; 8] = [
    "--crawl",
    "C",
    "--subset",
    "robotstxt",
    "--part-inputs",
    "128",
    "--rate",
    "none",
];

/// Puts archives into a bucket and into local files. Returns their URLs and paths.
fn archives(bucket: &Bucket) -> (Vec<String>, Vec<String>) {
    let put = |name: &&str| {
        bucket.put(&format!("in/{name}"), &sample(name));
        let path = bucket.folder.write(&format!("local/{name}"), sample(name));
        (format!("s3://bucket/in/{name}"), path)
    };
    SOUND.iter().map(put).unzip()
}

fn arguments<'a>(inputs: &'a [String], out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let inputs = inputs.iter().map(String::as_str);
    inputs
        .chain(["-o", out])
        .chain(OPTIONS)
        .chain(more.iter().copied())
        .collect()
}

#[test]
fn signed_and_anonymous_reads_give_the_tables_of_local_files() {
    for key in [Some(KEY), None] {
        let bucket = Bucket::start(key);
        let (urls, paths) = archives(&bucket);
        let (out, local) = (bucket.folder.arg("out"), bucket.folder.arg("local-out"));
        let anonymous: &[&str] = if key.is_none() {
            &["--no-sign-request"]
        } else {
            &[]
        };
        let ran = bucket.run(&arguments(&urls, &out, anonymous), key);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let ran = bucket.run(&arguments(&paths, &local, &[]), key);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert_same_tables(&tables(Path::new(&out)), &tables(Path::new(&local)));
    }
}

#[test]
fn a_record_in_a_bucket_is_shown() {
    let bucket = Bucket::start(Some(KEY));
    let (_, paths) = archives(&bucket);
    let out = bucket.folder.arg("out");
    let ran = bucket.run(&arguments(&paths, &out, &[]), Some(KEY));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let host = ["--host", "one.example", "--base", "s3://bucket/in"];
    let args = [&["show", &out], &host[..]].concat();
    let ran = bucket.run(&args, Some(KEY));
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(
        ran.out
            .contains("text        from the archive s3://bucket/in/")
    );
    assert!(
        ran.out
            .contains("fetch       aws s3api get-object --bucket bucket --key in/")
    );
    let ran = bucket.run(&args, Some((KEY.0, "wrong-secret")));
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("is denied"), "{}", ran.err);
    assert!(
        ran.out.contains("text        rebuilt from rows"),
        "{}",
        ran.out
    );
}

#[test]
fn a_wrong_key_ends_the_run_and_is_not_printed() {
    let bucket = Bucket::start(Some(KEY));
    let (urls, _) = archives(&bucket);
    let out = bucket.folder.arg("out");
    let wrong = Some((KEY.0, "wrong-secret"));
    let ran = bucket.run(&arguments(&urls, &out, &["--missing", "skip"]), wrong);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.err.contains("denied") && ran.err.contains("SignatureDoesNotMatch"));
    assert!(!ran.err.contains("wrong-secret"));
}

#[test]
fn missing_objects_are_skipped_or_named() {
    let bucket = Bucket::start(Some(KEY));
    let (mut urls, _) = archives(&bucket);
    urls.insert(1, "s3://bucket/in/missing.warc.gz".to_owned());
    let out = bucket.folder.arg("out");
    let ran = bucket.run(&arguments(&urls, &out, &["--missing", "skip"]), Some(KEY));
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let faults = rows(Path::new(&out), "faults");
    assert_eq!(faults.len(), 1);
    assert_eq!(faults[0]["code"], "input_missing");
    let out = bucket.folder.arg("refused");
    let ran = bucket.run(&arguments(&urls, &out, &[]), Some(KEY));
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.err.contains("s3://bucket/in/missing.warc.gz"));
}

/// Returns a listing of these keys, with the beginning of a next page.
fn listing<'k>(keys: impl IntoIterator<Item = &'k str>) -> String {
    let entry = |key| {
        format!(
            "<Contents><Key>{key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>\
             <ETag>\"x\"</ETag><Size>1</Size></Contents>"
        )
    };
    let entries: String = keys.into_iter().map(entry).collect();
    format!(
        "<ListBucketResult><Name>bucket</Name><IsTruncated>true</IsTruncated>\
         <NextContinuationToken>next</NextContinuationToken>{entries}</ListBucketResult>"
    )
}

/// Copies a small dataset to a server whose listings are this text. Returns the run and the number
/// of listings that were requested.
fn copy_to_listing(text: impl Into<Vec<u8>>) -> (Ran, usize) {
    let server = Server::start();
    server.put("/bucket", text);
    let bucket = Bucket::scripted(&server);
    let paths = [bucket.folder.write("a.warc.gz", sample(SOUND[0]))];
    let out = bucket.folder.arg("out");
    let ran = bucket.run(&arguments(&paths, &out, &[]), None);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = bucket.run(&["copy", &out, "s3://bucket/copy"], Some(KEY));
    (ran, server.gets("/bucket").len())
}

#[test]
fn a_listing_without_end_is_not_read_to_its_end() {
    // The same page follows for ever.
    let keys: Vec<String> = (0..100).map(|i| format!("copy/k{i}")).collect();
    let (ran, requests) = copy_to_listing(listing(keys.iter().map(String::as_str)));
    assert_eq!((ran.code, requests), (Some(2), 1), "{}", ran.err);
    assert!(ran.err.contains("has other objects, such as 'k0'"));
    let (ran, requests) = copy_to_listing(vec![b' '; 17 << 20]);
    assert_eq!((ran.code, requests), (Some(3), 1), "{}", ran.err);
    assert!(ran.err.contains("more than 16777216 bytes"), "{}", ran.err);
}

#[test]
fn a_key_that_is_not_a_path_is_another_object() {
    for (key, printed) in [("copy//x", "copy//x"), ("copy/&#27;[31m", r"copy/\x1b[31m")] {
        let (ran, requests) = copy_to_listing(listing([key]));
        assert_eq!((ran.code, requests), (Some(2), 1), "{}", ran.err);
        let words = format!("has other objects, such as '{printed}'");
        assert!(ran.err.contains(&words), "{}", ran.err);
    }
}

#[test]
fn a_server_that_is_not_s3_ends_a_copy() {
    let (ran, requests) = copy_to_listing("<ListBucketResult><Contents/></ListBucketResult>");
    assert_eq!((ran.code, requests), (Some(3), 4), "{}", ran.err);
    assert!(ran.err.contains("an answer that S3 does not give"));
}

#[test]
fn settings_of_s3_that_are_not_valid_are_errors() {
    let folder = Folder::new();
    for (i, (name, value, words)) in [
        ("AWS_REGION", "eu west", "AWS_REGION is 'eu west'"),
        ("AWS_REGION", "", "AWS_REGION is ''"),
        (
            "AWS_ENDPOINT_URL",
            "localhost:9000",
            "AWS_ENDPOINT_URL is 'localhost:9000'",
        ),
        ("AWS_ENDPOINT_URL", "", "AWS_ENDPOINT_URL is ''"),
        (
            "AWS_ENDPOINT_URL",
            "http://h h",
            "AWS_ENDPOINT_URL is 'http://h h'",
        ),
        ("AWS_ENDPOINT_URL_S3", "/x", "AWS_ENDPOINT_URL_S3 is '/x'"),
        ("AWS_ACCESS_KEY_ID", "Tok3n\n", "AWS_ACCESS_KEY_ID has"),
        (
            "AWS_SECRET_ACCESS_KEY",
            "Tok3n\n",
            "AWS_SECRET_ACCESS_KEY has",
        ),
        ("AWS_SESSION_TOKEN", "Tok3n\u{e9}", "AWS_SESSION_TOKEN has"),
        ("AWS_REQUEST_PAYER", "perhaps", "cannot be requested"),
        ("AWS_CONDITIONAL_PUT", "perhaps", "cannot be requested"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut command = command();
        command.args(["s3://bucket/x.warc", "--crawl", "C", "--subset", "s", "-o"]);
        command.arg(folder.path().join(format!("out-{i}")));
        command
            .env("HOME", folder.path())
            .env("AWS_REGION", "us-east-1");
        command.env("AWS_ENDPOINT_URL", "http://127.0.0.1:9");
        command.env("AWS_ACCESS_KEY_ID", KEY.0);
        command.env("AWS_SECRET_ACCESS_KEY", KEY.1);
        let ran: Ran = command.env(name, value).output().unwrap().into();
        assert_eq!(ran.code, Some(3), "{name} {value}: {}", ran.err);
        assert!(ran.err.contains(words), "{}", ran.err);
        assert!(!ran.err.contains("panicked") && !ran.err.contains("Tok3n"));
    }
}

#[test]
fn a_damaged_file_is_not_copied() {
    let bucket = Bucket::start(Some(KEY));
    let (_, paths) = archives(&bucket);
    let out = bucket.folder.arg("out");
    let ran = bucket.run(&arguments(&paths, &out, &[]), None);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for (i, name) in [
        "rules/crawl=C/subset=robotstxt/part-00000.parquet",
        "agents/agents.parquet",
    ]
    .into_iter()
    .enumerate()
    {
        let path = Path::new(&out).join(name);
        let sound = fs::read(&path).unwrap();
        let mut damaged = sound.clone();
        damaged[100] ^= 1;
        fs::write(&path, damaged).unwrap();
        let args = ["copy", &out, &format!("s3://bucket/copy-{i}")];
        let ran = bucket.run(&args, Some(KEY));
        assert_eq!(ran.code, Some(3), "{}", ran.err);
        assert!(ran.err.contains(name) && ran.err.contains("damaged or changed"));
        let copy = bucket.folder.path().join(format!("s3/bucket/copy-{i}"));
        assert!(copy.join("_manifest.jsonl").exists());
        assert!(!copy.join(name).exists() && !copy.join("_SUCCESS").exists());
        fs::write(&path, &sound).unwrap();
        let ran = bucket.run(&args, Some(KEY));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(fs::read(copy.join(name)).unwrap() == sound);
    }
}

#[test]
fn a_copy_has_the_bytes_of_the_dataset() {
    let bucket = Bucket::start(Some(KEY));
    let (_, paths) = archives(&bucket);
    let out = bucket.folder.arg("out");
    let ran = bucket.run(&arguments(&paths, &out, &[]), None);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for _ in 0..2 {
        let ran = bucket.run(&["copy", &out, "s3://bucket/a/copy"], Some(KEY));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    let copy = bucket.folder.path().join("s3/bucket/a/copy");
    let names = |root: &Path| -> Vec<String> {
        let files = files_below(root);
        files.iter().map(|file| relative(file, root)).collect()
    };
    let mut expected = names(Path::new(&out));
    expected.retain(|name| name != "_log.jsonl");
    assert_eq!(names(&copy), expected);
    for name in expected.iter().filter(|name| *name != "views.sql") {
        let (copied, own) = (copy.join(name), Path::new(&out).join(name));
        assert!(
            fs::read(copied).unwrap() == fs::read(own).unwrap(),
            "{name}"
        );
    }
    let views = fs::read_to_string(copy.join("views.sql")).unwrap();
    assert!(views.contains("'s3://bucket/a/copy'"));
    let other = bucket.folder.arg("other");
    let ran = bucket.run(&arguments(&paths[1..], &other, &[]), None);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = bucket.run(&["copy", &other, "s3://bucket/a/copy"], Some(KEY));
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("has another dataset"), "{}", ran.err);
}
