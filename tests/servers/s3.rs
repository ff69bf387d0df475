//! Wrong settings of S3, and credentials without end. `jobs/test_s3.py` tests valid answers with moto.

use super::server::Server;
use support::{Folder, Ran, command};

const KEY: (&str, &str) = ("key-of-tests", "secret-of-tests");

#[test]
fn credentials_without_end_are_not_read_to_their_end() {
    let (server, folder) = (Server::start(), Folder::new());
    server.put("/credentials", vec![b' '; 2 << 20]);
    let mut command = command();
    command.args(["s3://bucket/x.warc", "--crawl", "C", "--subset", "s", "-o"]);
    command.arg(folder.path().join("out"));
    command
        .env("HOME", folder.path())
        .env("AWS_REGION", "us-east-1")
        .env(
            "AWS_CONTAINER_CREDENTIALS_FULL_URI",
            server.url("/credentials"),
        )
        .env(
            "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
            folder.write("token", b"x"),
        );
    let ran: Ran = command.output().unwrap().into();
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.err.contains("more than 1048576 bytes"), "{}", ran.err);
    assert_eq!(server.gets("/credentials").len(), 1);
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
