//! Names of crawlers that are not known, and whole User-Agent headers as values of `--agent`.

use super::{prepare, start};
use std::fs;
use support::assert_refused;

const GPTBOT: &str = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const ERROR: &str = "error: 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)' \
    is a User-Agent header, not the name of one crawler\nhint: give the name 'GPTBot'\n";

#[test]
fn a_whole_header_as_agent_is_refused_and_its_token_suggested() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    prepare(folder);
    let check = |agent: &str, more: &[&str]| {
        let args = [&["check", "robots.txt", "--agent", agent], more].concat();
        start(folder, &args, "")
    };
    fs::write(folder.join("own.csv"), "token\nMozilla\n").unwrap();
    for more in [
        &[][..],
        &["--json"],
        &["--any-name"],
        &["--dialect", "google"],
    ] {
        let ran = check(GPTBOT, more);
        assert_eq!((ran.err.as_str(), ran.code), (ERROR, Some(2)));
        let plain = check("GPTBot", more);
        assert_eq!((plain.err.as_str(), plain.code), ("", Some(0)));
    }
    let own = check(GPTBOT, &["--agents", "own.csv"]);
    let words =
        "is a User-Agent header, not the name of one crawler\nhint: give the name 'Mozilla'";
    assert_refused(&own, &[words]);
    let with_comma = "Mozilla/5.0 (KHTML, like Gecko; compatible; CCBot/2.0)";
    let words = format!("'{with_comma}' is a User-Agent header");
    assert_refused(
        &check(with_comma, &[]),
        &[&words, "hint: give the name 'CCBot'"],
    );
    let ran = check("GPTBot/1.0,*", &[]);
    assert_eq!(ran.err, "");

    let args = [
        "match", "ds", "-q", "-a", GPTBOT, "-u", "urls.txt", "-o", "out.csv",
    ];
    for more in [&[][..], &["--any-name"]] {
        let ran = start(folder, &[&args[..], more].concat(), "");
        assert_eq!((ran.err.as_str(), ran.code), (ERROR, Some(2)));
        assert!(!folder.join("out.csv").exists());
    }
}

#[test]
fn an_unknown_name_is_refused_unless_the_file_has_it_or_any_name_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    prepare(folder);
    fs::write(folder.join("own.txt"), "User-agent: gptbto\nDisallow: /\n").unwrap();
    fs::write(folder.join("own.csv"), "token\ngptbto\n").unwrap();
    let commands: [&[&str]; 3] = [
        &["check", "robots.txt"],
        &["check", "ds", "--host", "www.news.example"],
        &["match", "ds", "-u", "urls.txt", "-q", "-o", "out.csv"],
    ];
    for command in commands {
        let ask = |agent, more: &[&str]| {
            start(folder, &[command, &["--agent", agent], more].concat(), "")
        };
        let near = "hint: did you mean 'GPTBot'? --any-name accepts any name\n";
        let words = ["error: 'gptbto' is not in the registry of crawlers", near];
        assert_refused(&ask("gptbto", &[]), &words);
        assert_refused(&ask("*,gptbto", &[]), &words);
        let words = [
            "error: 'my-own-crawler' is not in the registry of crawlers",
            "hint: robots-scan agents prints the registry; --any-name accepts any name\n",
        ];
        assert_refused(&ask("my-own-crawler", &[]), &words);
        for more in [&["--any-name"][..], &["--agents", "own.csv", "--overwrite"]] {
            let is_written = command[0] == "match";
            let more = more
                .iter()
                .filter(|more| is_written || **more != "--overwrite");
            let more: Vec<&str> = more.copied().collect();
            let ran = ask("gptbto", &more);
            assert_eq!(ran.err, "", "{command:?}");
            assert!(matches!(ran.code, Some(0 | 1)), "{command:?}");
        }
    }
    let ran = start(folder, &["check", "own.txt", "--agent", "gptbto"], "");
    assert_eq!((ran.err.as_str(), ran.code), ("", Some(0)));
}
