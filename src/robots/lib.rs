//! The language of robots.txt: bytes in, values out.
//!
//! Every byte string is a robots.txt file. [`Parser::parse`] never fails and
//! never panics; what it had to guess it reports as an [`Anomaly`] with its
//! line. The result, [`Robots`], is a view: the body and positions in it.
//! Nothing here reads files, knows HTTP, or keeps time.
//!
//! The line grammar is that of Google's parser, a superset of RFC 9309's. What
//! was written (`key_raw`, `value_raw`) travels beside what was read of it, so
//! that a stricter reading needs no second parse.
//!
//! # Example
//!
//! ```
//! use robots::{Parser, Judge, Verdict};
//!
//! let mut parser = Parser::new();
//! let robots = parser.parse(b"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n");
//! assert_eq!(robots.figures().n_groups, 1);
//!
//! let mut judge = Judge::new();
//! let verdicts = judge.judge(&robots);
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

mod addressed;
mod anomaly;
mod changes;
mod decider;
mod dialect;
mod index;
mod judge;
mod key;
mod koster1996;
mod line;
mod matcher;
mod names;
mod number;
mod parse;
mod parsed;
mod pattern;
mod policy;
mod preference;
mod rebuilt;
mod rfc9309;
mod robots;
mod ruleset;
mod sets;
mod shape;
mod status;
mod symbols;
mod template;
mod text;
mod token;
mod verdict;

pub use addressed::{Addressed, addressed};
pub use anomaly::{Anomaly, Finding, Severity};
pub use changes::changes_verdict;
pub use dialect::Dialect;
pub use judge::{Case, Judge};
pub use key::Key;
pub use line::{Ending, LINE_BYTES_MAX, Line, Lines};
pub use parse::Parser;
pub use parsed::Parsed;
pub use pattern::{escape, matches, path_of_url};
pub use policy::{Access, Policy};
pub use preference::{Mechanism, Preference, preferences};
pub use rebuilt::{Rebuilt, RebuiltLine};
pub use robots::{
    BODY_LIMIT_BYTES, Content, Directive, Figures, Group, LineEndings, Reading, Robots, Span,
};
pub use ruleset::ruleset;
pub use status::{Effect, FetchClass, Outcome, Status};
pub use template::Template;
pub use token::{is_product_token, product_token, whole_name};
pub use verdict::{AgentVerdict, Basis, Verdict};
