//! Names of crawlers in arguments: one name, with at most a version.
//!
//! A User-Agent header, or a list of names, is refused. Rules for one of its names are not an answer for the
//! others, and other parsers, such as Protego, search a header for every name in the file.

use crate::{REGISTRY, argument_checks, error};
use crawlers::whole_name;
use pyo3::prelude::*;
use robots::{DirectiveKind, RobotsTxt};
use std::ops::Range;

/// The characters that end a whole name.
const NAME_ENDS: [char; 5] = ['/', ',', ';', '(', '*'];

/// Refuses an argument that is not the name of one crawler.
///
/// A text that the file itself has as a name in a user-agent line is accepted without these checks.
pub(crate) fn check_agent(agent: &str, robots: &RobotsTxt<'_>) -> PyResult<()> {
    if is_plain_word(agent) {
        return Ok(());
    }
    if is_named(agent, robots) {
        return Ok(());
    }
    check_agent_name(agent)?;
    let Some(part) = find_part_in_file(agent, robots) else {
        return Ok(());
    };
    let text = format!("'{agent}' is no known crawler, and the file names '{part}'");
    let hint = "a text of several words may be several names: give one";
    Err(error::usage_error(&text, Some(hint)))
}

/// Refuses an argument that is not the name of one crawler, or is a URL. This does not depend on a file.
#[pyfunction]
pub(crate) fn check_agent_name(agent: &str) -> PyResult<()> {
    argument_checks::check_agent(agent)?;
    if is_one_name(agent) {
        Ok(())
    } else {
        Err(not_a_name_error(agent))
    }
}

fn not_a_name_error(agent: &str) -> PyErr {
    let kind = if agent.contains(['(', '/']) {
        "a User-Agent header"
    } else {
        "a list"
    };
    let text = format!("'{agent}' is {kind}, not the name of one crawler");
    let names = names_in_header(agent);
    let hint = match names.as_slice() {
        [] => "give the name that the crawler has in robots.txt, such as 'GPTBot'".to_owned(),
        [name] => format!("give the name '{name}'"),
        names => format!("give one of the names '{}'", names.join("', '")),
    };
    error::usage_error(&text, Some(&hint))
}

/// Returns true for a character of a word. A name has one or more words. Protego divides text into words in the same
/// way.
fn is_word_char(char: char) -> bool {
    char.is_alphanumeric() || char == '-' || char == '_'
}

fn is_plain_word(agent: &str) -> bool {
    agent.chars().all(is_word_char)
}

/// Returns true if a text is one name, with at most a version: `GPTBot`, `GPTBot/1.2`, `Sogou web spider`, `*`.
fn is_one_name(agent: &str) -> bool {
    let agent = agent.trim();
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

/// Returns a name in the file that occurs at the start of a word of `agent`, if `agent` has several words and is
/// neither in the file nor in the registry.
fn find_part_in_file(agent: &str, robots: &RobotsTxt<'_>) -> Option<String> {
    let name = whole_name(agent);
    let is_known = || REGISTRY.crawlers.iter().any(|entry| entry.agent == name);
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
pub(crate) fn names_in_header(header: &str) -> Vec<String> {
    let is_address =
        |word: &&str| word.starts_with('+') || word.contains("://") || word.contains('@');
    let words = header.split_inclusive([' ', ';', '(', ')', ',']);
    let text: String = words.filter(|word| !is_address(word)).collect();
    let lower = text.to_lowercase();
    let mut places: Vec<(Range<usize>, &str)> = Vec::new();
    for entry in REGISTRY.crawlers.iter().filter(|entry| entry.agent != "*") {
        let found = find_words(&lower, &entry.agent);
        let found = found.filter(|place| !lower[place.end..].starts_with(is_word_char));
        places.extend(found.map(|place| (place, &*entry.token)));
    }
    let is_part = |place: &Range<usize>| {
        let mut others = places.iter().map(|(other, _)| other);
        others.any(|other| other != place && other.start <= place.start && place.end <= other.end)
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

/// Returns the ranges of `text` that equal `word` and begin at the start of a word.
fn find_words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    let places = text.match_indices(word).filter(|_| !word.is_empty());
    let places = places.filter(|(start, _)| !text[..*start].ends_with(is_word_char));
    places.map(|(start, found)| start..start + found.len())
}
