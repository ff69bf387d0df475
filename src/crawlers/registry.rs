//! The registry of crawlers: names, operators, purposes and fallbacks.
//!
//! `agents.csv` is the built-in registry. Its format is documented at
//! [`CrawlerRegistry::parse`].

use sha1::{Digest, Sha1};
use std::collections::HashSet;

/// The text of the built-in registry.
const BUILT_IN_CSV: &str = include_str!("agents.csv");

/// One line of the registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrawlerEntry {
    /// The name that is compared with the whole value of a user-agent line, in lower case, such as `googlebot-image`.
    pub agent: String,
    /// The product token as its operator writes it.
    pub token: String,
    /// The organization that runs the crawler.
    pub operator: String,
    /// The category of its purpose, such as `ai_training`.
    pub category: String,
    /// A second category; may be empty.
    pub category2: String,
    /// The purpose, in a few words.
    pub purpose: String,
    /// The names whose groups the crawler obeys if it has none of its own, in order.
    pub fallbacks: Vec<String>,
    /// True if the crawler ignores the groups of `*`.
    pub ignores_wildcard: bool,
    /// True if the name is used only in robots.txt and no crawler sends it, such as
    /// `Google-Extended`.
    pub is_control_token: bool,
    /// The sources of the entry: codes of lists, joined by `+`; may be empty.
    pub source: String,
    /// Other names of the crawler, as they are written. They do not take part in verdicts.
    pub other_spellings: Vec<String>,
    /// The address of the page on which the operator describes the crawler; may be empty.
    pub operator_page: String,
}

/// The known crawlers, read from a CSV file.
#[derive(Clone, Debug)]
pub struct CrawlerRegistry {
    /// The crawlers, in the order of the file.
    pub crawlers: Vec<CrawlerEntry>,
    /// The SHA-1 of the file, in hexadecimal.
    pub sha1: String,
}

impl CrawlerRegistry {
    /// Returns the registry that is part of the program.
    pub fn built_in() -> Self {
        Self::parse(BUILT_IN_CSV).expect("the built-in registry is tested")
    }

    /// Parses the text of a CSV file with a header. The column `token` is
    /// required; the other columns of the built-in registry are optional.
    ///
    /// # Errors
    ///
    /// The reason why the text is malformed, with the line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let csv_error = |error: csv::Error| error.to_string();
        let mut reader = csv::ReaderBuilder::new().from_reader(text.as_bytes());
        let headers = reader.headers().map_err(csv_error)?.clone();
        let column = |name: &str| {
            headers
                .iter()
                .position(|header| header.trim_ascii() == name)
        };
        let Some(token_column) = column("token") else {
            let message = "its first line has no column 'token'";
            return Err(message.to_owned());
        };
        let mut crawlers = Vec::new();
        let mut seen = HashSet::new();
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(csv_error)? {
            let line = record.position().map_or(0, csv::Position::line);
            let text = |name: &str| {
                let text = column(name).and_then(|index| record.get(index));
                text.unwrap_or_default().trim_ascii()
            };
            let field = |name: &str| text(name).to_owned();
            let parse_flag = |column: &'static str| match text(column).to_ascii_lowercase().as_str()
            {
                "" | "false" | "no" | "0" => Ok(false),
                "true" | "yes" | "1" => Ok(true),
                value => Err(format!(
                    "line {line}: {column} is '{value}', not 'true' or 'false'"
                )),
            };
            let token = record.get(token_column).unwrap_or_default();
            let token = token.trim_ascii().to_owned();
            let agent = whole_name(&token);
            if agent.is_empty() {
                return Err(format!("line {line}: '{token}' is not a name"));
            }
            if !seen.insert(agent.clone()) {
                return Err(format!("line {line}: '{agent}' is listed twice"));
            }
            let fallbacks = text("fallbacks");
            let spellings = text("other_spellings");
            let spellings = spellings.split(',').map(str::trim);
            crawlers.push(CrawlerEntry {
                agent,
                operator: field("operator"),
                category: field("category"),
                category2: field("category2"),
                purpose: field("purpose"),
                fallbacks: fallbacks
                    .split(',')
                    .map(whole_name)
                    .filter(|name| !name.is_empty())
                    .collect(),
                ignores_wildcard: parse_flag("ignores_wildcard")?,
                is_control_token: parse_flag("is_control_token")?,
                source: field("source"),
                other_spellings: spellings
                    .filter(|spelling| !spelling.is_empty())
                    .map(str::to_owned)
                    .collect(),
                operator_page: field("operator_page"),
                token,
            });
        }
        let sha1 = Sha1::digest(text.as_bytes())
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Ok(Self { crawlers, sha1 })
    }
}

/// Returns the whole name of a crawler as it is in `verdicts`, with the rules of
/// [`robots::push_whole_name`].
pub fn whole_name(name: &str) -> String {
    let mut out = Vec::new();
    // The whitespace that the parser of robots.txt removes. The macro `whole_name` of macros.sql
    // removes the same.
    let name = name.trim_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']);
    robots::push_whole_name(name.as_bytes(), &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_registry_holds_fallbacks_and_control_tokens() {
        let registry = CrawlerRegistry::built_in();
        let find = |name: &str| {
            registry
                .crawlers
                .iter()
                .find(|entry| entry.agent == name)
                .unwrap()
        };
        assert_eq!(registry.crawlers.len(), 292);
        assert_eq!(find("googlebot-news").fallbacks, ["googlebot"]);
        assert_eq!(find("applebot").fallbacks, ["googlebot"]);
        assert!(
            find("adsbot-google").ignores_wildcard && find("mediapartners-google").ignores_wildcard
        );
        assert!(find("google-extended").is_control_token && !find("gptbot").is_control_token);
        assert_eq!(find("ccbot").category2, "archive");
        assert_eq!(find("sogou web spider").category, "search_engine");
        assert_eq!(find("googleother").category, "research");
        let cloudflare = find("cloudflarebrowserrenderingcrawler");
        assert_eq!(cloudflare.category, "ai_data_provider");
        assert!(cloudflare.operator_page.starts_with("https://"));
        assert_eq!(find("mistralai-training").category, "ai_training");
        assert_eq!(find("mistralai-index").category, "ai_search");
        assert_eq!(find("perplexity-user").other_spellings, ["PerplexityUser"]);
    }

    #[test]
    fn another_spelling_belongs_to_one_crawler() {
        let registry = CrawlerRegistry::built_in();
        let mut names: HashSet<String> = registry
            .crawlers
            .iter()
            .map(|entry| entry.agent.clone())
            .collect();
        for entry in &registry.crawlers {
            for spelling in &entry.other_spellings {
                assert!(names.insert(whole_name(spelling)), "{spelling}");
            }
            let page = &entry.operator_page;
            let is_address = page.starts_with("https://") || page.starts_with("http://");
            assert!(page.is_empty() || is_address, "{page}");
        }
    }

    #[test]
    fn the_columns_except_the_token_are_optional() {
        let old = "token,operator,category,source\nMyBot,I,seo,X\n";
        let entry = CrawlerRegistry::parse(old).unwrap().crawlers.remove(0);
        assert_eq!((&*entry.agent, &*entry.category), ("mybot", "seo"));
        assert_eq!(
            (entry.other_spellings.len(), &*entry.operator_page),
            (0, "")
        );
        let new = "token,other_spellings,operator_page\nMyBot,\"My Bot, Bot/2 \",https://a/\n";
        let entry = CrawlerRegistry::parse(new).unwrap().crawlers.remove(0);
        assert_eq!(entry.other_spellings, ["My Bot", "Bot/2"]);
        assert_eq!(entry.operator_page, "https://a/");
    }

    #[test]
    fn errors_of_a_registry_name_the_line() {
        let error = |text: &str| CrawlerRegistry::parse(text).unwrap_err();
        assert!(error("name\nx\n").contains("no column 'token'"));
        assert!(error("token\nx\nX/1.0\n").contains("line 3: 'x' is listed twice"));
        assert!(
            error("token,ignores_wildcard\nx,maybe\n")
                .contains("line 2: ignores_wildcard is 'maybe'")
        );
    }
}
