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

/// The columns of the built-in registry, in its order.
const COLUMNS: [&str; 11] = [
    "token",
    "operator",
    "category",
    "category2",
    "purpose",
    "fallbacks",
    "ignores_wildcard",
    "is_control_token",
    "source",
    "other_spellings",
    "operator_page",
];

/// The fields of a line, in the order of [`COLUMNS`].
type Fields<'a> = [&'a str; COLUMNS.len()];

/// The number of lines of the built-in registry, with the header.
const BUILT_IN_LINES: usize = {
    let (mut i, mut lines) = (0, 0);
    while i < BUILT_IN_CSV.len() {
        lines += (BUILT_IN_CSV.as_bytes()[i] == b'\n') as usize;
        i += 1;
    }
    lines
};

/// The lines of the built-in registry. They are split when the program is compiled, because to read them
/// would take a seventh of the instructions of a run over one small archive.
static BUILT_IN: [Fields<'static>; BUILT_IN_LINES] = split_lines(BUILT_IN_CSV);

/// Splits the built-in registry into fields, none of which has a quote inside.
const fn split_lines(mut text: &'static str) -> [Fields<'static>; BUILT_IN_LINES] {
    let mut lines = [[""; COLUMNS.len()]; BUILT_IN_LINES];
    let mut i = 0;
    while !text.is_empty() {
        let bytes = text.as_bytes();
        let is_quoted = bytes[0] == b'"';
        let mut end = is_quoted as usize;
        while match bytes[end] {
            b'"' => !is_quoted,
            b',' | b'\n' => is_quoted,
            _ => true,
        } {
            end += 1;
        }
        let (field, _) = text.split_at(end);
        (_, lines[i / COLUMNS.len()][i % COLUMNS.len()]) = field.split_at(is_quoted as usize);
        (_, text) = text.split_at(end + is_quoted as usize + 1);
        i += 1;
    }
    assert!(i == COLUMNS.len() * BUILT_IN_LINES);
    lines
}

impl CrawlerRegistry {
    /// Returns the registry that is part of the program.
    pub fn built_in() -> Self {
        let lines = BUILT_IN[1..].iter();
        let crawlers: Result<_, String> = lines.map(CrawlerEntry::from_fields).collect();
        Self {
            crawlers: crawlers.expect("the built-in registry is tested"),
            sha1: sha1_hex(BUILT_IN_CSV),
        }
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
        let columns = COLUMNS.map(|name| {
            headers
                .iter()
                .position(|header| header.trim_ascii() == name)
        });
        if columns[0].is_none() {
            let message = "its first line has no column 'token'";
            return Err(message.to_owned());
        }
        let mut crawlers: Vec<CrawlerEntry> = Vec::new();
        let mut seen = HashSet::new();
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(csv_error)? {
            let line = record.position().map_or(0, csv::Position::line);
            let fields = columns.map(|index| {
                let field = index.and_then(|index| record.get(index));
                field.unwrap_or_default().trim_ascii()
            });
            let entry = CrawlerEntry::from_fields(&fields)
                .map_err(|problem| format!("line {line}: {problem}"))?;
            if !seen.insert(entry.agent.clone()) {
                return Err(format!("line {line}: '{}' is listed twice", entry.agent));
            }
            crawlers.push(entry);
        }
        let sha1 = sha1_hex(text);
        Ok(Self { crawlers, sha1 })
    }
}

fn sha1_hex(text: &str) -> String {
    let digest = Sha1::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl CrawlerEntry {
    /// Makes an entry of the fields of a line.
    ///
    /// # Errors
    ///
    /// The reason why they are malformed.
    fn from_fields(fields: &Fields<'_>) -> Result<Self, String> {
        let [
            token,
            operator,
            category,
            category2,
            purpose,
            fallbacks,
            ignores_wildcard,
            is_control_token,
            source,
            other_spellings,
            operator_page,
        ] = *fields;
        let parse_flag = |column: &str, value: &str| match value.to_ascii_lowercase().as_str() {
            "" | "false" | "no" | "0" => Ok(false),
            "true" | "yes" | "1" => Ok(true),
            value => Err(format!("{column} is '{value}', not 'true' or 'false'")),
        };
        let agent = whole_name(token);
        if agent.is_empty() {
            return Err(format!("'{token}' is not a name"));
        }
        let fallbacks = fallbacks.split(',').map(whole_name);
        let spellings = other_spellings.split(',').map(str::trim);
        Ok(Self {
            agent,
            token: token.to_owned(),
            operator: operator.to_owned(),
            category: category.to_owned(),
            category2: category2.to_owned(),
            purpose: purpose.to_owned(),
            fallbacks: fallbacks.filter(|name| !name.is_empty()).collect(),
            ignores_wildcard: parse_flag("ignores_wildcard", ignores_wildcard)?,
            is_control_token: parse_flag("is_control_token", is_control_token)?,
            source: source.to_owned(),
            other_spellings: spellings
                .filter(|spelling| !spelling.is_empty())
                .map(str::to_owned)
                .collect(),
            operator_page: operator_page.to_owned(),
        })
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
    fn the_lines_that_the_compiler_splits_are_those_of_the_file() {
        let (built_in, parsed) = (
            CrawlerRegistry::built_in(),
            CrawlerRegistry::parse(BUILT_IN_CSV).unwrap(),
        );
        assert_eq!(BUILT_IN[0], COLUMNS);
        assert_eq!(built_in.crawlers, parsed.crawlers);
        assert_eq!(built_in.sha1, parsed.sha1);
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
