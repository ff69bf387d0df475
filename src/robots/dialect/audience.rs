//! The audience of a file: all crawlers, some, or none.

use super::{Dialect, koster1996, rfc9309};
use crate::agent_name::{is_product_token, is_wildcard};
use crate::document::{DirectiveKind, RobotsTxt};

/// The crawlers to which the user-agent lines of a file that have an effect are addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// All crawlers, by `*`. Some may also be named.
    All,
    /// Only named crawlers.
    Named,
    /// No crawler: no counting line has a name or a `*` that the dialect accepts.
    None,
}

/// Returns the audience of a file in a dialect.
pub fn audience(dialect: Dialect, robots_txt: &RobotsTxt<'_>) -> Audience {
    let (mut has_wildcard, mut has_name) = (false, false);
    match dialect {
        Dialect::Google => {
            let lines = robots_txt.directives().iter();
            let agents = lines.filter(|line| line.kind == DirectiveKind::UserAgent && line.counts);
            for agent in agents {
                has_wildcard |= is_wildcard(robots_txt.text(agent.value));
                has_name |= !agent.name.is_empty() || !agent.token.is_empty();
            }
        }
        Dialect::Rfc9309 => {
            let lines = rfc9309::collect_conforming_lines(robots_txt);
            for agent in lines
                .iter()
                .filter(|line| line.kind == DirectiveKind::UserAgent)
            {
                has_wildcard |= agent.value == b"*";
                has_name |= is_product_token(agent.value);
            }
        }
        Dialect::Koster1996 => {
            let records = koster1996::collect_records(robots_txt);
            for agent in records.iter().flat_map(|record| &record.agents) {
                has_wildcard |= agent.value == b"*";
                has_name |= !koster1996::strip_version(agent.value).is_empty();
            }
        }
    }
    match (has_wildcard, has_name) {
        (true, _) => Audience::All,
        (_, true) => Audience::Named,
        _ => Audience::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parser;

    #[test]
    fn each_dialect_has_an_audience_of_its_own() {
        use Audience::{All, Named, None};
        let cases = [
            ("", None, None, None),
            ("Disallow: /\n", None, None, None),
            ("User-agent: *\n", All, All, All),
            ("User-agent: * x\n", All, None, Named),
            ("User-agent a\nDisallow: /\n", Named, None, None),
            ("User-agent: 360Spider\nDisallow: /\n", Named, None, Named),
            ("User-agent: /1.0\n", None, None, None),
            ("Useragent: *\nUser-agent: a\n", All, Named, Named),
        ];
        for (body, google, rfc9309, koster1996) in cases {
            let mut parser = Parser::new();
            let robots_txt = parser.parse(body.as_bytes());
            let all = Dialect::ALL.map(|dialect| audience(dialect, &robots_txt));
            assert_eq!(all, [google, rfc9309, koster1996], "{body:?}");
        }
    }
}
