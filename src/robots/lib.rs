//! The language of robots.txt: bytes in, values out.
//!
//! Every byte string is a robots.txt file. [`Parser::parse`] never fails and
//! never panics; what it had to guess it reports as an [`AnomalyKind`] with its
//! line. The result, [`RobotsTxt`], is a view: the body and positions in it.
//! Nothing here reads files, knows HTTP, or keeps time.
//!
//! The line grammar is that of Google's parser, a superset of RFC 9309's. What
//! was written (`key_raw`, `value_raw`) travels beside what was read of it, so
//! that a stricter reading needs no second parse.
//!
//! # Example
//!
//! ```
//! use robots::{Parser, Evaluator, Verdict};
//!
//! let mut parser = Parser::new();
//! let robots = parser.parse(b"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n");
//! assert_eq!(robots.summary().n_groups, 1);
//!
//! let mut evaluator = Evaluator::new();
//! let verdicts = evaluator.verdicts(&robots);
//! assert_eq!(verdicts[0].verdict, Verdict::AllowAll); // everybody else
//! assert_eq!(verdicts[1].verdict, Verdict::DisallowAll); // gptbot
//! ```
//!
//! For one crawler and many URLs there is [`Policy`], in each of the three
//! [`Dialect`]s:
//!
//! ```
//! use robots::{Dialect, Parser, Policy, Verdict};
//!
//! let mut parser = Parser::new();
//! let robots = parser.parse(b"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\nAllow: /*.html$\n");
//! let policy = Policy::new(Dialect::Rfc9309, &robots, b"CCBot");
//! let access = policy.access(b"https://example.com/a.html?b");
//! assert_eq!((access.is_allowed, access.line_no), (false, 3));
//! assert_eq!(policy.verdict(), Verdict::Partial);
//! ```

mod agent_name;
mod ai_preference;
mod anomaly;
mod dialect;
mod document;
mod http_status;
mod parse;
mod pattern;
mod policy;
mod verdict;

pub use agent_name::{is_product_token, product_token, whole_name};
pub use ai_preference::{AiPreference, Mechanism, preferences};
pub use anomaly::{Anomaly, AnomalyKind, Severity};
pub use dialect::Dialect;
pub use dialect::audience::{Audience, audience};
pub use document::builder::{DirectiveRow, RobotsTxtBuilder};
pub use document::owned::OwnedRobotsTxt;
pub use document::{
    BODY_LIMIT_BYTES, ContentClass, Directive, Group, LineEndings, ParseOptions, RobotsTxt, Span,
    Summary,
};
pub use http_status::{FetchClass, FetchOutcome, HttpStatus, StatusEffect};
pub use parse::Parser;
pub use parse::directive_kind::DirectiveKind;
pub use parse::lines::{LINE_BYTES_MAX, Line, LineEnding, Lines};
pub use parse::template::Template;
pub use pattern::{escape, matches, path_of_url};
pub use policy::{Access, Policy};
pub use verdict::evaluator::{Evaluation, Evaluator};
pub use verdict::fingerprint::fingerprint;
pub use verdict::leniency::{LeniencyImpact, changes_verdict};
pub use verdict::{AgentVerdict, Basis, Verdict};

/// The examples of the README, which are tested with those in the documentation.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
mod readme {}
