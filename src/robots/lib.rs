//! The language of robots.txt: parses files and answers which crawlers may fetch which URLs.
//!
//! Every byte string is a robots.txt file. [`Parser::parse`] neither fails nor panics, and reports
//! text that is malformed or probably not intended as an [`Anomaly`]. The result is a
//! [`RobotsTxt`], a view of the body. The crate performs no I/O and reads no clock.
//!
//! The line grammar is that of Google's parser, which is a superset of RFC 9309. Each
//! [`Directive`] has the text as written (`key_raw`, `value_raw`) besides the text as parsed, so
//! that stricter dialects need no second parse.
//!
//! # Verdicts of a file
//!
//! An [`Evaluator`] computes the verdicts for every crawler that a file names:
//!
//! ```
//! use robotstxt_dialects::{Evaluator, Parser, Verdict};
//!
//! let mut parser = Parser::new();
//! let robots_txt = parser.parse(b"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n");
//! assert_eq!(robots_txt.summary().n_groups, 1);
//!
//! let mut evaluator = Evaluator::new();
//! let verdicts = evaluator.verdicts(&robots_txt);
//! assert_eq!(verdicts[0].verdict, Verdict::AllowAll); // all other crawlers
//! assert_eq!(verdicts[1].verdict, Verdict::DisallowAll); // gptbot
//! ```
//!
//! # Access to URLs
//!
//! A [`Policy`] answers for one crawler and many URLs, in each of the three [`Dialect`]s:
//!
//! ```
//! use robotstxt_dialects::{Dialect, Parser, Policy, Verdict};
//!
//! let mut parser = Parser::new();
//! let body = b"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\nAllow: /*.html$\n";
//! let policy = Policy::new(Dialect::Rfc9309, &parser.parse(body), b"CCBot");
//! let access = policy.access(b"https://example.com/a.html?b");
//! assert_eq!((access.is_allowed, access.line_no), (false, Some(3)));
//! assert_eq!(policy.verdict(), Verdict::Partial);
//! ```
//!
//! # Preferences about the use of content
//!
//! The lines `Content-Usage` and `Content-Signal` of a group state which uses of content a site
//! allows:
//!
//! ```
//! use robotstxt_dialects::{Dialect, Parser, Policy, Vocabulary};
//!
//! let mut parser = Parser::new();
//! let body = b"User-agent: *\nDisallow: /never/\nContent-Usage: train-ai=n\n";
//! let policy = Policy::new(Dialect::Google, &parser.parse(body), b"ExampleBot");
//! let vocabulary = Vocabulary::content_usage(None);
//! let train_ai = vocabulary.category_index("train-ai").unwrap();
//! let preference = |url: &[u8]| policy.preference(vocabulary, train_ai, url).name();
//! assert_eq!(preference(b"https://example.com/test"), "disallowed");
//! assert_eq!(preference(b"https://example.com/never/test"), "not_crawlable");
//! ```
//!
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | `parse` | bytes to directives, groups and anomalies |
//! | `document` | the parsed file |
//! | `dialect` | grouping and normal forms of `google`, `rfc9309` and `koster1996` |
//! | `pattern` | patterns, percent-encoding, compiled rules |
//! | `policy` | the access of one crawler to many URLs |
//! | `preference` | statements about the use of content, and their meaning |
//! | `verdict` | verdicts for all crawlers of a file; effects of lenient reading; the ruleset fingerprint |

mod agent_name;
mod anomaly;
mod crawl_rate;
mod dialect;
mod document;
mod http_status;
mod parse;
mod pattern;
mod policy;
mod preference;
mod verdict;

pub use agent_name::{is_product_token, product_token, push_whole_name};
pub use anomaly::{Anomaly, AnomalyKind, Severity};
pub use crawl_rate::RequestRate;
pub use dialect::Dialect;
pub use dialect::audience::{Audience, audience};
pub use document::builder::{DirectiveRow, RobotsTxtBuilder};
pub use document::{
    BODY_LIMIT_BYTES, ContentClass, Directive, DirectiveKind, Group, LineEndings, LineRange,
    MAX_FILE_LINES, OwnedRobotsTxt, ParseOptions, RateLimits, RobotsTxt, Span, Summary,
    has_too_many_lines,
};
pub use http_status::{FetchClass, FetchOutcome, HttpStatus, StatusEffect};
pub use parse::Parser;
pub use parse::key::known_directives;
pub use parse::lines::{Line, LineEnding, Lines, MAX_LINE_BYTES};
pub use parse::template::Template;
pub use pattern::{escape, matches, path_of_url};
pub use policy::{Access, Policy};
pub use preference::agents::AgentPreference;
pub use preference::mechanism::Mechanism;
pub use preference::statement::{AiPreference, is_readable_statement, parse_preferences};
pub use preference::vocabulary::{SharedCategory, Vocabulary};
pub use preference::{Preference, PreferenceVerdict, UrlPreference};
pub use verdict::evaluator::{Evaluation, Evaluator};
pub use verdict::leniency::{LeniencyImpact, anomaly_changes_verdict};
pub use verdict::{AgentVerdict, Basis, Verdict};

/// Runs the examples of the README as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
mod readme {}
