//! Warnings about values of `--agent` that are probably not the intended name.

use super::{prepare, start};
use std::fs;

const GPTBOT: &str = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const WARNING: &str = "warning: 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)' \
    is a User-Agent header: its name 'mozilla' is used\nhint: use --agent GPTBot\n";

#[test]
fn a_whole_header_as_agent_is_warned_of_and_its_token_suggested() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    prepare(folder);
    let check = |agent: &str, more: &[&str]| {
        let args = [&["check", "robots.txt", "--agent", agent], more].concat();
        start(folder, &args, "")
    };
    for more in [&[][..], &["--json"]] {
        let ran = check(GPTBOT, more);
        assert_eq!((ran.err.as_str(), ran.code), (WARNING, Some(1)));
        assert!(ran.out.contains(GPTBOT), "{}", ran.out);
        let plain = check("GPTBot", more);
        assert_eq!((plain.err.as_str(), plain.code), ("", Some(1)));
    }
    let ran = check("CCBot/2.0 (https://commoncrawl.org/faq/)", &[]);
    let expected = "warning: 'CCBot/2.0 (https://commoncrawl.org/faq/)' is a User-Agent header: \
        its name 'CCBot' is used\n";
    assert_eq!(ran.err, expected);
    let ran = check("GPTBot/1.0,my-crawler,*", &[]);
    assert_eq!(ran.err, "");
    let ran = check("gptbto", &[]);
    let expected = "warning: 'gptbto' is not in the registry of crawlers\n\
        hint: did you mean 'GPTBot'?\n";
    assert_eq!((ran.err.as_str(), ran.code), (expected, Some(1)));
    let ran = check("GPTBot (x)", &["--dialect", "rfc9309"]);
    let expected = "warning: 'GPTBot (x)' is a User-Agent header: not the name of a crawler\n\
        hint: use --agent GPTBot\n";
    assert_eq!(ran.err, expected);

    let args = [
        "match", "ds", "-q", "-a", GPTBOT, "-u", "urls.txt", "-o", "out.csv",
    ];
    let ran = start(folder, &args, "");
    assert_eq!((ran.err.as_str(), ran.code), (WARNING, Some(0)));
    assert!(folder.join("out.csv").is_file());
    fs::write(folder.join("own.csv"), "token\nMozilla\n").unwrap();
    let ran = check(GPTBOT, &["--agents", "own.csv"]);
    let expected = WARNING
        .replace("mozilla", "Mozilla")
        .replace("hint: use --agent GPTBot\n", "");
    assert_eq!(ran.err, expected);
}
