//! Names of crawlers that are not known, and whole User-Agent headers as values of `--agent`.

use super::{prepare, start};
use std::fs;
use support::assert_refused;

const GPTBOT: &str = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const ERROR: &str = "error: 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)' \
    is a User-Agent header, not the name of a crawler\nhint: use --agent GPTBot\n";
const WARNING: &str = "warning: 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)' \
    is a User-Agent header: its name 'mozilla' is used\nhint: use --agent GPTBot\n";

#[test]
fn a_whole_header_as_agent_is_refused_or_warned_of_and_its_token_suggested() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    prepare(folder);
    let check = |agent: &str, more: &[&str]| {
        let args = [&["check", "robots.txt", "--agent", agent], more].concat();
        start(folder, &args, "")
    };
    for more in [&[][..], &["--json"]] {
        let ran = check(GPTBOT, more);
        assert_eq!((ran.err.as_str(), ran.code), (ERROR, Some(2)));
        let ran = check(GPTBOT, &[more, &["--any-name"]].concat());
        assert_eq!((ran.err.as_str(), ran.code), (WARNING, Some(0)));
        assert!(ran.out.contains(GPTBOT), "{}", ran.out);
        let plain = check("GPTBot", more);
        assert_eq!((plain.err.as_str(), plain.code), ("", Some(0)));
    }
    let ran = check("CCBot/2.0 (https://commoncrawl.org/faq/)", &[]);
    let expected = "warning: 'CCBot/2.0 (https://commoncrawl.org/faq/)' is a User-Agent header: \
        its name 'CCBot' is used\n";
    assert_eq!(ran.err, expected);
    let ran = check("GPTBot/1.0,*", &[]);
    assert_eq!(ran.err, "");
    let ran = check("GPTBot (x)", &["--dialect", "rfc9309"]);
    let expected = "warning: 'GPTBot (x)' is a User-Agent header: not the name of a crawler\n\
        hint: use --agent GPTBot\n";
    assert_eq!(ran.err, expected);

    let args = [
        "match", "ds", "-q", "-a", GPTBOT, "-u", "urls.txt", "-o", "out.csv",
    ];
    let ran = start(folder, &args, "");
    assert_eq!((ran.err.as_str(), ran.code), (ERROR, Some(2)));
    assert!(!folder.join("out.csv").exists());
    let ran = start(folder, &[&args[..], &["--any-name"]].concat(), "");
    assert_eq!((ran.err.as_str(), ran.code), (WARNING, Some(0)));
    assert!(folder.join("out.csv").is_file());
    fs::write(folder.join("own.csv"), "token\nMozilla\n").unwrap();
    let ran = check(GPTBOT, &["--agents", "own.csv"]);
    let expected = WARNING
        .replace("mozilla", "Mozilla")
        .replace("hint: use --agent GPTBot\n", "");
    assert_eq!(ran.err, expected);
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
