//! Whom a file speaks to, where it does not name a crawler.

use crate::agent_name::{is_product_token, is_wildcard};
use crate::dialect::Dialect;
use crate::dialect::koster1996;
use crate::dialect::rfc9309;
use crate::document::RobotsTxt;
use crate::parse::directive_kind::DirectiveKind;

/// Whom the lines of a file that count address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Everybody, by `*`, and perhaps some by name.
    Everybody,
    /// Some by name, and not the others.
    Some,
    /// Nobody.
    Nobody,
}

/// Whom a file addresses under a dialect.
pub fn audience(dialect: Dialect, robots: &RobotsTxt<'_>) -> Audience {
    let (mut everybody, mut some) = (false, false);
    match dialect {
        Dialect::Google => {
            let lines = robots.directives().iter();
            for line in lines.filter(|it| it.kind == DirectiveKind::UserAgent && it.counts) {
                everybody |= is_wildcard(robots.text(line.value));
                some |= !line.name.is_empty() || !line.token.is_empty();
            }
        }
        Dialect::Rfc9309 => {
            let lines = rfc9309::lines(robots);
            for line in lines
                .iter()
                .filter(|it| it.kind == DirectiveKind::UserAgent)
            {
                everybody |= line.value == b"*";
                some |= is_product_token(line.value);
            }
        }
        Dialect::Koster1996 => {
            for agent in koster1996::records(robots).iter().flat_map(|it| &it.agents) {
                everybody |= *agent == b"*";
                some |= !koster1996::name(agent).is_empty();
            }
        }
    }
    match (everybody, some) {
        (true, _) => Audience::Everybody,
        (_, true) => Audience::Some,
        _ => Audience::Nobody,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parser;

    #[test]
    fn each_dialect_knows_whom_a_file_addresses() {
        use Audience::{Everybody, Nobody, Some};
        let cases = [
            ("", Nobody, Nobody, Nobody),
            ("Disallow: /\n", Nobody, Nobody, Nobody),
            ("User-agent: *\n", Everybody, Everybody, Everybody),
            ("User-agent: * x\n", Everybody, Nobody, Some),
            ("User-agent a\nDisallow: /\n", Some, Nobody, Nobody),
            ("User-agent: 360Spider\nDisallow: /\n", Some, Nobody, Some),
            ("User-agent: /1.0\n", Nobody, Nobody, Nobody),
            ("Useragent: *\nUser-agent: a\n", Everybody, Some, Some),
        ];
        for (body, google, rfc9309, koster1996) in cases {
            let mut parser = Parser::new();
            let robots = parser.parse(body.as_bytes());
            let all = Dialect::ALL.map(|dialect| audience(dialect, &robots));
            assert_eq!(all, [google, rfc9309, koster1996], "{body:?}");
        }
    }
}
