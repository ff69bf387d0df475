//! The language of robots.txt: parses files and answers which crawlers may fetch which URLs.
//!
//! Every byte string is a robots.txt file. [`Parser::parse`] neither fails nor panics, and reports
//! each place where it had to guess as an [`Anomaly`]. The result is a [`RobotsTxt`], a view of the
//! body. The crate performs no I/O and knows neither HTTP nor time.
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
//! use robots::{Evaluator, Parser, Verdict};
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
//! use robots::{Dialect, Parser, Policy, Verdict};
//!
//! let mut parser = Parser::new();
//! let body = b"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\nAllow: /*.html$\n";
//! let policy = Policy::new(Dialect::Rfc9309, &parser.parse(body), b"CCBot");
//! let access = policy.access(b"https://example.com/a.html?b");
//! assert_eq!((access.is_allowed, access.line_no), (false, Some(3)));
//! assert_eq!(policy.verdict(), Verdict::Partial);
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
//! | `policy` | one crawler, many URLs |
//! | `verdict` | all crawlers of a file: verdicts, leniency impacts, fingerprints |

mod agent_name;
mod ai_preference;
mod anomaly;
mod crawl_rate;
mod dialect;
mod document;
mod http_status;
mod parse;
mod pattern;
mod policy;
mod verdict;

pub use agent_name::{is_product_token, product_token, push_whole_name};
pub use ai_preference::{AiPreference, Mechanism, parse_preferences};
pub use anomaly::{Anomaly, AnomalyKind, Severity};
pub use crawl_rate::RequestRate;
pub use dialect::Dialect;
pub use dialect::audience::{Audience, audience};
pub use document::builder::{DirectiveRow, RobotsTxtBuilder};
pub use document::{
    BODY_LIMIT_BYTES, ContentClass, Directive, DirectiveKind, Group, LineEndings, OwnedRobotsTxt,
    ParseOptions, RobotsTxt, Span, Summary,
};
pub use http_status::{FetchClass, FetchOutcome, HttpStatus, StatusEffect};
pub use parse::Parser;
pub use parse::key::known_directives;
pub use parse::lines::{Line, LineEnding, Lines, MAX_LINE_BYTES};
pub use parse::template::Template;
pub use pattern::{escape, matches, path_of_url};
pub use policy::{Access, Policy};
pub use verdict::evaluator::{Evaluation, Evaluator};
pub use verdict::leniency::{LeniencyImpact, anomaly_changes_verdict};
pub use verdict::{AgentVerdict, Basis, Verdict};

/// The examples of the README, which are tested with those in the documentation.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
mod readme {}
