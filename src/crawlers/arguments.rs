//! Arguments that are refused, because an answer to them would be wrong: a User-Agent header or a list in the place of a
//! name, a URL in the place of a name, a name in the place of a URL, a URL in the place of a body.
//!
//! Any text could be a body, a name or a URL, so exchanged arguments would give a wrong answer instead of an error. Rules
//! for one of the names in a header or list are not an answer for the others, and other parsers, such as Protego, search
//! a header for every name in the file.

use crate::DialectChoice;
use crate::registry::{CrawlerRegistry, whole_name};
use robots::{Dialect, DirectiveKind, RobotsTxt};
use std::ops::Range;
use std::{fmt, iter};

/// The characters that end a whole name.
const NAME_ENDS: [char; 5] = ['/', ',', ';', '(', '*'];

const ARGUMENT_ORDER_HINT: &str = "the name of the crawler comes first, then the URL";

/// The reason why an argument is refused, and what to give instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub text: String,
    pub hint: String,
}

impl Refusal {
    pub(crate) fn new(text: String, hint: impl Into<String>) -> Self {
        let hint = hint.into();
        Self { text, hint }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (hint: {})", self.text, self.hint)
    }
}

impl DialectChoice {
    /// Parses the name of a choice.
    pub fn parse(name: &str) -> Result<Self, Refusal> {
        let dialects = Dialect::ALL.map(Self::Dialect).into_iter();
        let mut choices = iter::once(Self::Default).chain(dialects);
        choices.find(|choice| choice.name() == name).ok_or_else(|| {
            let names = Dialect::ALL.map(Dialect::name).join(", ");
            let text = format!("there is no dialect '{name}'");
            Refusal::new(text, format!("choose from default, {names}"))
        })
    }
}

impl CrawlerRegistry {
    /// Refuses an argument that is not the name of one crawler.
    ///
    /// A text that the file itself has as a name in a user-agent line is accepted without these checks.
    pub fn check_agent(&self, agent: &str, robots: &RobotsTxt<'_>) -> Result<(), Refusal> {
        if is_plain_word(agent) || is_named(agent, robots) {
            return Ok(());
        }
        self.check_agent_name(agent)?;
        let Some(part) = self.find_part_in_file(agent, robots) else {
            return Ok(());
        };
        let text = format!("'{agent}' is no known crawler, and the file names '{part}'");
        let hint = "a text of several words may be several names: give one";
        Err(Refusal::new(text, hint))
    }

    /// Refuses an argument that is not the name of one crawler, or is a URL. This does not depend on a file.
    pub fn check_agent_name(&self, agent: &str) -> Result<(), Refusal> {
        if is_address(agent.as_bytes()) {
            let text = format!("'{agent}' is a URL, not the name of a crawler");
            Err(Refusal::new(text, ARGUMENT_ORDER_HINT))
        } else if is_one_name(agent) {
            Ok(())
        } else {
            Err(self.not_a_name(agent))
        }
    }

    fn not_a_name(&self, agent: &str) -> Refusal {
        let is_one_line = !agent.trim().contains(['\n', '\r']);
        let kind = if !is_one_line {
            "a text of several lines"
        } else if agent.contains(['(', '/']) {
            "a User-Agent header"
        } else {
            "a list"
        };
        let text = format!("'{agent}' is {kind}, not the name of one crawler");
        let names = if is_one_line {
            self.names_in_header(agent)
        } else {
            Vec::new()
        };
        let hint = match names.as_slice() {
            [] => "give the name that the crawler has in robots.txt, such as 'GPTBot'".to_owned(),
            [name] => format!("give the name '{name}'"),
            names => format!("give one of the names '{}'", names.join("', '")),
        };
        Refusal::new(text, hint)
    }

    /// Returns a name in the file that occurs at the start of a word of `agent`, if `agent` has several words and is
    /// neither in the file nor in the registry.
    fn find_part_in_file(&self, agent: &str, robots: &RobotsTxt<'_>) -> Option<String> {
        let name = whole_name(agent);
        let is_known = || self.crawlers.iter().any(|entry| entry.agent == name);
        if is_plain_word(&name) || name == "*" || is_known() || is_named(&name, robots) {
            return None;
        }
        let name = name.to_lowercase();
        let is_part = |part: &String| find_words(&name, part).next().is_some();
        // Protego also removes asterisks.
        let mut parts = names_in_file(robots).flat_map(|part| [part.replace('*', ""), part]);
        parts.find(is_part)
    }

    /// Returns the names in a header: the first, unless it is `Mozilla`, and those of registered crawlers. URLs and e-mail
    /// addresses in the header are skipped.
    fn names_in_header(&self, header: &str) -> Vec<String> {
        let is_address =
            |word: &&str| word.starts_with('+') || word.contains("://") || word.contains('@');
        let words = header.split_inclusive([' ', ';', '(', ')', ',']);
        let text: String = words.filter(|word| !is_address(word)).collect();
        let lower = text.to_lowercase();
        let mut places: Vec<(Range<usize>, &str)> = Vec::new();
        for entry in self.crawlers.iter().filter(|entry| entry.agent != "*") {
            let found = find_words(&lower, &entry.agent);
            let found = found.filter(|place| !lower[place.end..].starts_with(is_word_char));
            places.extend(found.map(|place| (place, &*entry.token)));
        }
        let is_part = |place: &Range<usize>| {
            let mut others = places.iter().map(|(other, _)| other);
            others
                .any(|other| other != place && other.start <= place.start && place.end <= other.end)
        };
        let registered = places.iter().filter(|(place, _)| !is_part(place));
        let mut names: Vec<String> = Vec::new();
        let first = text.split(NAME_ENDS).next().unwrap_or_default().trim();
        if !first.is_empty() && !is_browser(&whole_name(first)) {
            names.push(first.to_owned());
        }
        for (_, token) in registered {
            if !names
                .iter()
                .any(|name| whole_name(name) == whole_name(token))
            {
                names.push((*token).to_owned());
            }
        }
        names
    }
}

/// Refuses a URL that is neither absolute nor a path.
pub fn check_url(url: &[u8]) -> Result<(), Refusal> {
    if is_url(url) {
        Ok(())
    } else {
        Err(not_a_url(url))
    }
}

/// Refuses the arguments of a row if they are exchanged. An unusual name or URL alone is not an error, because columns
/// contain such values.
pub fn check_row(agent: &[u8], url: &[u8]) -> Result<(), Refusal> {
    if is_address(agent) && !is_url(url) {
        Err(not_a_url(url))
    } else {
        Ok(())
    }
}

/// Refuses a body that is a URL or a path, or resembles the name of a file or a host.
pub fn check_body(body: &str) -> Result<(), Refusal> {
    let body = body.trim();
    if body.contains(['\n', '\r']) || !is_address(body.as_bytes()) && !is_file_name(body) {
        return Ok(());
    }
    let text = format!("'{body}' is a URL or a path, not the content of a robots.txt file");
    Err(Refusal::new(
        text,
        "read the file first; bytes are always content",
    ))
}

fn not_a_url(url: &[u8]) -> Refusal {
    let url = String::from_utf8_lossy(url);
    let text = format!("'{url}' is neither an absolute URL nor a path that begins with '/'");
    Refusal::new(text, ARGUMENT_ORDER_HINT)
}

/// Returns true if a text begins like a path, or like a URL with a host.
fn is_address(text: &[u8]) -> bool {
    let authority = find_scheme_end(text).is_some_and(|end| text[end..].starts_with(b"://"));
    text.starts_with(b"/") || authority
}

/// Returns true if a line resembles the name of a file or a host. A line with a colon, other than that after the letter
/// of a drive, is a directive. A line without a colon has no effect if it is the whole body.
fn is_file_name(line: &str) -> bool {
    let path = match line.as_bytes() {
        [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic() => &line[2..],
        _ => line,
    };
    let is_word = !path.contains([' ', '\t', '#', '<']) && path.contains(['.', '/', '\\']);
    let is_text_file = path.to_ascii_lowercase().ends_with(".txt");
    !path.contains(':') && (is_word || is_text_file)
}

/// Returns true if a text is empty, a path, or an absolute URL.
fn is_url(text: &[u8]) -> bool {
    text.is_empty() || text.starts_with(b"/") || find_scheme_end(text).is_some()
}

/// Returns the index of the colon after the scheme of an absolute URL (RFC 3986 §3.1); `None` for other texts.
fn find_scheme_end(text: &[u8]) -> Option<usize> {
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let end = text.iter().position(|byte| !is_scheme(byte))?;
    let is_absolute = text[end] == b':' && text[0].is_ascii_alphabetic();
    is_absolute.then_some(end)
}

/// Returns true for a character of a word. A name has one or more words. Protego divides text into words in the same
/// way.
fn is_word_char(char: char) -> bool {
    char.is_alphanumeric() || char == '-' || char == '_'
}

fn is_plain_word(agent: &str) -> bool {
    agent.chars().all(is_word_char)
}

/// Returns true if a text is one name in one line, with at most a version: `GPTBot`, `GPTBot/1.2`, `Sogou web spider`, `*`.
fn is_one_name(agent: &str) -> bool {
    let agent = agent.trim();
    if agent.contains(['\n', '\r']) {
        return false;
    }
    let Some(end) = agent.find(NAME_ENDS) else {
        return true;
    };
    let rest = &agent[end..];
    if rest == "*" {
        return true;
    }
    let Some(version) = rest.strip_prefix('/') else {
        return false;
    };
    let number = version.trim_start_matches(['v', 'V']);
    let is_version_char = |char: char| is_word_char(char) || char == '.' || char == '+';
    end > 0
        && (version.is_empty() || number.starts_with(|char: char| char.is_ascii_digit()))
        && version.chars().all(is_version_char)
}

/// Returns true for the name before the version in the headers of browsers, and of crawlers that resemble them.
fn is_browser(whole_name: &str) -> bool {
    whole_name == "mozilla"
}

/// Returns true if a line of the file has this name, as it is or as a whole name.
fn is_named(agent: &str, robots: &RobotsTxt<'_>) -> bool {
    let agent = agent.trim().to_lowercase();
    let mut names = names_in_file(robots);
    !whole_name(&agent).is_empty() && names.any(|name| name == agent || whole_name(&name) == agent)
}

/// Returns the values of the user-agent lines in lower case.
fn names_in_file<'a>(robots: &'a RobotsTxt<'_>) -> impl Iterator<Item = String> + 'a {
    let lines = robots.directives().iter();
    let lines = lines.filter(|line| line.kind == DirectiveKind::UserAgent);
    let values = lines.map(|line| String::from_utf8_lossy(robots.text(line.value_raw)));
    values.map(|value| value.trim().to_lowercase())
}

/// Returns the ranges of `text` that equal `word` and begin at the start of a word.
fn find_words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    let places = text.match_indices(word).filter(|_| !word.is_empty());
    let places = places.filter(|(start, _)| !text[..*start].ends_with(is_word_char));
    places.map(|(start, found)| start..start + found.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_refused_and_its_names_are_suggested() {
        let registry = CrawlerRegistry::built_in();
        let hint = |agent| registry.check_agent_name(agent).unwrap_err().hint;
        for (header, expected) in [
            (
                "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)",
                "give the name 'GPTBot'",
            ),
            (
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://x) Chrome/1",
                "give the name 'bingbot'",
            ),
            (
                "Mozilla/5.0 (compatible; Googlebot-News; +http://www.google.com/bot.html)",
                "give the name 'Googlebot-News'",
            ),
            ("GPTBot,CCBot", "give one of the names 'GPTBot', 'CCBot'"),
            (
                "User-agent: GPTBot\nDisallow: /",
                "give the name that the crawler has in robots.txt, such as 'GPTBot'",
            ),
            (
                "Mozilla/5.0 (X11) Gecko/20100101",
                "give the name that the crawler has in robots.txt, such as 'GPTBot'",
            ),
            ("https://e.example/", ARGUMENT_ORDER_HINT),
            ("/path", ARGUMENT_ORDER_HINT),
        ] {
            assert_eq!(hint(header), expected, "{header}");
        }
        for name in [
            "GPTBot",
            "GPTBot/1.2",
            "GPTBot/",
            "Sogou web spider",
            "*",
            "",
            "360Spider/v2",
        ] {
            assert_eq!(registry.check_agent_name(name), Ok(()), "{name}");
        }
    }
}
