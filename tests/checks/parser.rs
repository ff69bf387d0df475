//! The parser reads any bytes as its oracle does, and its output is consistent.

use super::oracle::lines::{self, Counts, DirectiveLine, Line};
use super::oracle::policy::{google_token, is_star, whole_name};
use super::{WHOLE, shown, some_reading};
use robots::{
    AnomalyKind, ContentClass, DirectiveKind, LineEndings, Mechanism, ParseOptions, Parser,
    RobotsTxt,
};

/// Checks the parsed body, without a limit and with a limit that depends on it.
pub fn check(body: &[u8]) {
    let mut parser = Parser::new();
    for reading in [WHOLE, some_reading(body), ParseOptions::default()] {
        let robots = parser.parse_with(body, reading);
        assert_as_oracle(&robots, reading);
        assert_consistent(&robots);
        assert_summary(&robots);
        assert_groups(&robots);
        read_preferences(&robots);
    }
    // A parser that has parsed another file gives the same result.
    let mut used = Parser::new();
    used.parse(b"\xef\xbb\xbfUser-agent: \xff\nAllow: /\xff\0\nCrawl-delay: 1\n<x");
    let (fresh, used) = (
        Parser::new().parse(body).written(),
        used.parse(body).written(),
    );
    assert_eq!(fresh, used, "{}", shown(body));
}

/// Returns everything that was parsed, as text.
trait Written {
    fn written(&self) -> String;
}

impl Written for RobotsTxt<'_> {
    fn written(&self) -> String {
        let texts = self.directives().iter().map(|directive| {
            [
                directive.key_raw,
                directive.value_raw,
                directive.value,
                directive.name,
                directive.token,
            ]
            .map(|span| self.text(span))
        });
        format!(
            "{:?} {:?} {:?} {:?} {:?}",
            self.summary(),
            self.groups(),
            self.directives(),
            self.anomalies(),
            texts.collect::<Vec<_>>()
        )
    }
}

fn assert_as_oracle(robots: &RobotsTxt<'_>, reading: ParseOptions) {
    let body = robots.body();
    let (expected, counts) = lines::read(body, reading);
    let directives = robots.directives().iter().map(|directive| DirectiveLine {
        line_no: directive.line_no,
        key: directive.kind,
        value: robots.text(directive.value).to_vec(),
        has_colon: directive.has_colon,
        is_typo: directive.is_typo,
        counts: directive.counts,
    });
    assert_eq!(directives.collect::<Vec<_>>(), expected, "{}", shown(body));
    let found = robots.anomalies().iter();
    let too_long = found.filter(|line| line.kind == AnomalyKind::OverlongLine);
    let summary = robots.summary();
    let seen = Counts {
        lines: summary.n_lines,
        blank: summary.n_blank_lines,
        comments: summary.n_comment_lines,
        too_long: too_long.count() as u32,
    };
    assert_eq!(seen, counts, "{}", shown(body));
    let groups = lines::groups(&expected);
    assert!(
        robots
            .directives()
            .iter()
            .map(|line| line.group_no().unwrap_or(0))
            .eq(groups),
        "groups of {}",
        shown(body)
    );
}

/// Asserts that texts lie within their lines, and that everything is in order.
fn assert_consistent(robots: &RobotsTxt<'_>) {
    let body = robots.body();
    let lines = lines::lines(body);
    let place = |text: &[u8]| text.as_ptr() as usize - body.as_ptr() as usize;
    assert!(
        robots
            .directives()
            .windows(2)
            .all(|pair| pair[0].line_no < pair[1].line_no),
        "lines of {}",
        shown(body)
    );
    for directive in robots.directives() {
        let line = &lines[directive.line_no as usize - 1];
        let (key, value) = (
            robots.text(directive.key_raw),
            robots.text(directive.value_raw),
        );
        // An incomplete byte order mark is part of the first key.
        let is_marked = directive.line_no == 1 && place(key) == 0;
        assert!(
            is_marked || line.end - line.bytes.len() <= place(key),
            "{directive:?} of {}",
            shown(body)
        );
        assert!(
            place(key) + key.len() < place(value) + usize::from(value.is_empty()),
            "{directive:?} of {}",
            shown(body)
        );
        assert!(
            place(value) + value.len() <= line.end,
            "{directive:?} of {}",
            shown(body)
        );
        assert_eq!(
            directive.is_beyond_500kib,
            line.end > 512_000,
            "{directive:?}"
        );
        let (name, token) = (robots.text(directive.name), robots.text(directive.token));
        if directive.kind == DirectiveKind::UserAgent {
            let read = robots.text(directive.value);
            assert_eq!(name, whole_name(read), "{directive:?} of {}", shown(body));
            assert_eq!(
                token,
                expected_token(read),
                "{directive:?} of {}",
                shown(body)
            );
        } else {
            assert!(
                name.is_empty() && token.is_empty(),
                "{directive:?} of {}",
                shown(body)
            );
        }
    }
    let anomalies = robots.anomalies();
    assert!(
        anomalies.is_sorted_by_key(|line| line.line_no),
        "anomalies of {}",
        shown(body)
    );
    for anomaly in anomalies {
        assert!(
            anomaly.line_no <= Some(robots.summary().n_lines),
            "{anomaly:?} of {}",
            shown(body)
        );
        robots.text(anomaly.detail);
    }
}

/// Returns the product token of a user-agent value in lower case, or `*` for all crawlers.
fn expected_token(value: &[u8]) -> Vec<u8> {
    if is_star(value) {
        b"*".to_vec()
    } else {
        google_token(value).to_ascii_lowercase()
    }
}

/// Asserts that the summary has the counts of the lines.
fn assert_summary(robots: &RobotsTxt<'_>) {
    let (summary, lines) = (robots.summary(), lines::lines(robots.body()));
    let of = |key: DirectiveKind| {
        robots
            .directives()
            .iter()
            .filter(|line| line.kind == key)
            .count() as u32
    };
    let found = |anomaly: AnomalyKind| {
        let anomalies = robots.anomalies().iter();
        anomalies.filter(|line| line.kind == anomaly).count() as u32
    };
    let counted = [
        (summary.n_user_agents, of(DirectiveKind::UserAgent)),
        (summary.n_allow, of(DirectiveKind::Allow)),
        (summary.n_disallow, of(DirectiveKind::Disallow)),
        (summary.n_sitemaps, of(DirectiveKind::Sitemap)),
        (summary.n_directives, of(DirectiveKind::Other)),
        (summary.n_groups, robots.groups().len() as u32),
        (
            summary.max_line_bytes,
            lines
                .iter()
                .map(|line| line.bytes.len() as u32)
                .max()
                .unwrap_or(0),
        ),
        (u32::from(summary.has_bom), found(AnomalyKind::Bom)),
        (
            u32::from(summary.line_endings == LineEndings::Mixed),
            found(AnomalyKind::MixedLineEnds),
        ),
    ];
    for (i, (seen, expected)) in counted.into_iter().enumerate() {
        assert_eq!(seen, expected, "count {i} of {}", shown(robots.body()));
    }
    // Lines of an HTML page that are not directives are not reported.
    let counted_lines = summary.n_blank_lines
        + summary.n_comment_lines
        + robots.directives().len() as u32
        + found(AnomalyKind::NoDirective);
    if found(AnomalyKind::HtmlBody) == 0 {
        assert_eq!(counted_lines, summary.n_lines, "{}", shown(robots.body()));
        assert_ne!(
            summary.content,
            ContentClass::Html,
            "{}",
            shown(robots.body())
        );
    } else {
        assert!(counted_lines <= summary.n_lines, "{}", shown(robots.body()));
        assert_eq!(
            summary.content,
            ContentClass::Html,
            "{}",
            shown(robots.body())
        );
    }
    let ends = lines.iter().filter(|line: &&Line| line.is_ended).count();
    assert_eq!(summary.line_endings == LineEndings::None, ends == 0);
}

/// Asserts that the groups are those of the directives, and begin with a user-agent line.
fn assert_groups(robots: &RobotsTxt<'_>) {
    let of = |group_no: u32, key: DirectiveKind| {
        let lines = robots.directives().iter();
        lines
            .filter(|line| line.group_no() == Some(group_no) && line.kind == key)
            .count() as u32
    };
    for (group_no, group) in (1..).zip(robots.groups()) {
        let first = &robots.directives()[group.first_directive];
        let is_first = first.line_no == group.line_no
            && first.kind == DirectiveKind::UserAgent
            && first.group_no() == Some(group_no)
            && first.agent_no() == Some(1);
        assert!(
            is_first,
            "{first:?} of {group:?} of {}",
            shown(robots.body())
        );
        let counted = (group.n_agents, group.n_allow, group.n_disallow);
        let expected = (
            of(group_no, DirectiveKind::UserAgent),
            of(group_no, DirectiveKind::Allow),
            of(group_no, DirectiveKind::Disallow),
        );
        assert_eq!(
            counted,
            expected,
            "group {group_no} of {}",
            shown(robots.body())
        );
        let lines = robots.group_directives(group_no);
        let agents = lines
            .iter()
            .filter(|line| line.kind == DirectiveKind::UserAgent);
        assert!(
            agents
                .map(|agent| agent.agent_no())
                .eq((1..=group.n_agents).map(Some)),
            "{}",
            shown(robots.body())
        );
        assert!(
            lines.iter().all(|line| line.group_no() == Some(group_no)),
            "{}",
            shown(robots.body())
        );
        let limits = robots.rate_limits(group.line_no);
        assert!(
            limits
                .crawl_delay_ms
                .is_none_or(|delay_ms| (0..=10i64.pow(15)).contains(&delay_ms)),
            "{limits:?}"
        );
        for span in [limits.request_rate, limits.visit_time]
            .into_iter()
            .flatten()
        {
            robots.text(span);
        }
    }
}

/// Asserts that AI preferences are parsed from any value without a panic.
fn read_preferences(robots: &RobotsTxt<'_>) {
    let mut name = Vec::new();
    for directive in robots
        .directives()
        .iter()
        .filter(|line| line.kind == DirectiveKind::Other)
    {
        robots.write_directive_name(directive, &mut name);
        let known = std::str::from_utf8(&name)
            .ok()
            .and_then(Mechanism::from_directive);
        if let Some(mechanism) = known {
            robots::parse_preferences(mechanism, robots.text(directive.value), |_| {});
        }
    }
}
