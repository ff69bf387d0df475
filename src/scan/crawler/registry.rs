//! The registry of crawlers: names, operators, what they are for, and whose
//! rules they fall back to.

use crate::error::{Error, ErrorKind};
use sha1::{Digest, Sha1};
use std::collections::HashSet;
use std::path::Path;

/// The registry that is built in.
const BUILT_IN: &str = include_str!("agents.csv");

/// A crawler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// The whole name, lower-cased, as verdicts have it.
    pub agent: String,
    /// The name as its operator writes it.
    pub token: String,
    /// Who runs it.
    pub operator: String,
    /// What it is for.
    pub category: String,
    /// A second category; may be empty.
    pub category2: String,
    /// The same in words.
    pub purpose: String,
    /// Names whose groups it obeys if it has none of its own, in order.
    pub fallbacks: Vec<String>,
    /// Whether it does not obey the groups of `*`.
    pub ignores_wildcard: bool,
    /// Whether no crawler sends the name.
    pub is_control_token: bool,
    /// Where the entry is from.
    pub source: String,
}

/// The registry and its digest.
#[derive(Clone, Debug)]
pub struct Registry {
    /// The crawlers, in the order of the file.
    pub agents: Vec<Agent>,
    /// SHA-1 of the file, in hex.
    pub version: String,
}

impl Registry {
    /// The registry that is built in.
    pub fn built_in() -> Self {
        Self::parse(BUILT_IN, Path::new("agents.csv")).expect("the built-in registry is tested")
    }

    /// Reads a registry: CSV with a header; `token` must be there, the other
    /// columns of the built-in one may.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`] and [`ErrorKind::Agents`].
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(|error| Error::read(path, error))?;
        Self::parse(&text, path)
    }

    fn parse(text: &str, path: &Path) -> Result<Self, Error> {
        let refuse = |why: String| Error::new(ErrorKind::Agents(why), path);
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let headers = reader
            .headers()
            .map_err(|error| refuse(error.to_string()))?
            .clone();
        let column = |name: &str| headers.iter().position(|header| header == name);
        let Some(token_column) = column("token") else {
            return Err(refuse("its first line has no column 'token'".into()));
        };
        let mut agents = Vec::new();
        let mut seen = HashSet::new();
        for (at, record) in reader.records().enumerate() {
            let record = record.map_err(|error| refuse(error.to_string()))?;
            let line = record.position().map_or(at as u64 + 2, csv::Position::line);
            let get = |name: &str| {
                column(name)
                    .and_then(|at| record.get(at))
                    .unwrap_or_default()
                    .to_owned()
            };
            let flag = |name: &str| match get(name).to_ascii_lowercase().as_str() {
                "" | "false" | "no" | "0" => Ok(false),
                "true" | "yes" | "1" => Ok(true),
                other => Err(refuse(format!(
                    "line {line}: {name} is '{other}', not 'true' or 'false'"
                ))),
            };
            let token = record.get(token_column).unwrap_or_default().to_owned();
            let agent = whole_name(&token);
            if agent.is_empty() {
                return Err(refuse(format!("line {line}: '{token}' is not a name")));
            }
            if !seen.insert(agent.clone()) {
                return Err(refuse(format!("line {line}: '{agent}' is listed twice")));
            }
            let fallbacks = get("fallbacks");
            agents.push(Agent {
                agent,
                operator: get("operator"),
                category: get("category"),
                category2: get("category2"),
                purpose: get("purpose"),
                fallbacks: fallbacks
                    .split(',')
                    .map(whole_name)
                    .filter(|name| !name.is_empty())
                    .collect(),
                ignores_wildcard: flag("ignores_wildcard")?,
                is_control_token: flag("is_control_token")?,
                source: get("source"),
                token,
            });
        }
        let version = Sha1::digest(text.as_bytes())
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Ok(Self { agents, version })
    }
}

/// Returns the whole name of a crawler, as in `verdicts`: see [`robots::whole_name`].
pub fn whole_name(name: &str) -> String {
    let mut out = Vec::new();
    // The blanks that a parser of robots.txt removes; `whole_name` of macros.sql does the same.
    let name = name.trim_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']);
    robots::whole_name(name.as_bytes(), &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_registry_has_its_special_cases() {
        let registry = Registry::built_in();
        let find = |name: &str| registry.agents.iter().find(|it| it.agent == name).unwrap();
        assert_eq!(registry.agents.len(), 280);
        assert_eq!(find("googlebot-news").fallbacks, ["googlebot"]);
        assert_eq!(find("applebot").fallbacks, ["googlebot"]);
        assert!(
            find("adsbot-google").ignores_wildcard && find("mediapartners-google").ignores_wildcard
        );
        assert!(find("google-extended").is_control_token && !find("gptbot").is_control_token);
        assert_eq!(find("ccbot").category2, "archive");
        assert_eq!(find("sogou web spider").category, "search_engine");
    }

    #[test]
    fn a_registry_says_what_is_wrong_with_it() {
        let error = |text: &str| {
            Registry::parse(text, Path::new("my.csv"))
                .unwrap_err()
                .to_string()
        };
        assert!(error("name\nx\n").contains("no column 'token'"));
        assert!(error("token\nx\nX/1.0\n").contains("line 3: 'x' is listed twice"));
        assert!(
            error("token,ignores_wildcard\nx,maybe\n")
                .contains("line 2: ignores_wildcard is 'maybe'")
        );
    }
}
