//! Anomalies of robots.txt files, with permanent codes.
//!
//! An anomaly is a leniency of Google's parser, or something that the author probably did not
//! intend. This file declares all kinds that depend on the body alone, and `src/capture/anomaly.rs`
//! the others. The table `anomalies` and its schema are made from both lists.

use crate::document::span::Span;

/// The severity of an anomaly for the author of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Harmless, or a matter of taste.
    Info,
    /// Probably not intended.
    Warning,
    /// Some or all crawlers do not follow the intention of the author.
    Error,
}

impl Severity {
    /// Returns the name that the tables store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// An anomaly of a line or of the whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anomaly {
    /// The number of the line, from 1, or `None` for the whole file.
    pub line_no: Option<u32>,
    /// The kind, which determines the code and the severity.
    pub kind: AnomalyKind,
    /// The text of the file that is anomalous, or that shows the cause. May be empty.
    pub detail: Span,
}

macro_rules! anomalies {
    ($($name:ident, $code:literal, $severity:ident, $leniency:literal, $about:literal;)*) => {
        /// The kind of an anomaly.
        ///
        /// The meaning of a [`code`](Self::code) never changes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum AnomalyKind {
            $(#[doc = $about] $name,)*
        }

        impl AnomalyKind {
            /// All kinds, in the order of their declaration.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns the permanent code, which the tables store.
            pub fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// Returns how severe the anomaly is for the author of the file.
            pub fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// Returns true if the anomaly is a leniency: Google's parser accepts text that the
            /// grammar of RFC 9309 does not allow.
            pub fn is_leniency(self) -> bool {
                match self { $(Self::$name => $leniency,)* }
            }

            /// Returns the description for users, which is usually one sentence.
            pub fn about(self) -> &'static str {
                match self { $(Self::$name => $about,)* }
            }
        }
    };
}

anomalies! {
    Bom, "bom", Info, false, "The file begins with a UTF-8 byte order mark, which is dropped.";
    PartialBom, "partial_bom", Warning, true, "The file begins with the first one or two bytes of a UTF-8 byte order mark. Google's parser drops them; in the other dialects they are part of the first key.";
    BomInside, "bom_inside", Error, false, "A line begins with a UTF-8 byte order mark, as where a service put its own text before a file; the mark is read as a part of the line, so that no parser recognizes its key.";
    Utf16, "utf16", Error, false, "The file is UTF-16: its lines are cut at their NUL bytes, so no directive is recognized.";
    CrOnly, "cr_only", Info, false, "All lines end with a lone CR.";
    MixedLineEnds, "mixed_line_ends", Info, false, "The file has more than one kind of line ending.";
    NulBytes, "nul_bytes", Warning, true, "A NUL byte hides the rest of its line.";
    InvalidUtf8, "invalid_utf8", Warning, false, "The file is not valid UTF-8; invalid bytes are read unchanged.";
    HtmlBody, "html_body", Error, false, "The body is an HTML page; it is parsed for rules nevertheless.";
    Over500kib, "over_500kib", Warning, false, "The body is larger than 512,000 bytes, beyond which crawlers need not read.";
    OverlongLine, "overlong_line", Warning, true, "A line has more than 16,663 bytes; Google's parser drops the rest.";
    ControlBlank, "control_blank", Info, true, "A vertical tab or form feed is trimmed like a blank.";
    NoDirective, "no_directive", Warning, false, "A line has neither a colon nor exactly two words, or nothing before its colon, and is ignored.";
    MissingColon, "missing_colon", Warning, true, "A blank is used in place of the colon.";
    TypoAcceptedByGoogle, "typo_accepted_by_google", Warning, true, "A misspelt key that Google's parser knows, such as `Dissallow`.";
    TypoOther, "typo_other", Error, false, "A key that looks misspelt and that no parser accepts.";
    KeyByPrefix, "key_by_prefix", Warning, true, "A key that only begins with a known one, such as `Disallowed`.";
    UnknownDirective, "unknown_directive", Info, false, "A key that no specification and no known crawler defines.";
    UnsupportedDirective, "unsupported_directive", Info, false, "A key that Google knows and does not obey, such as `Crawl-delay`.";
    RuleBeforeAgent, "rule_before_agent", Error, false, "A rule before any user-agent line, which applies to no crawler.";
    EmptyAgent, "empty_agent", Error, false, "A user-agent line without a name.";
    InvalidTokenChars, "invalid_token_chars", Warning, true, "A name has octets that are not allowed in a product token of RFC 9309; Google's parser cuts the name there.";
    TokenWithVersion, "token_with_version", Warning, true, "A name has a version, as in `FooBot/1.0`; Google's parser removes it.";
    DuplicateAgentGroup, "duplicate_agent_group", Info, false, "A group names the same crawler twice.";
    AgentInManyGroups, "agent_in_many_groups", Info, false, "A crawler is named again in a later group; the groups are merged.";
    BlankLineInsideGroup, "blank_line_inside_group", Info, false, "A blank line between a user-agent line and its first rule; in Koster's dialect the record ends there.";
    SitemapBetweenAgents, "sitemap_between_agents", Warning, false, "A sitemap line between user-agent lines of one group.";
    CrawlDelayBetweenAgents, "crawl_delay_between_agents", Warning, false, "A crawl-delay line between user-agent lines of one group.";
    GroupWithoutRules, "group_without_rules", Warning, false, "A group has no rules: its crawlers may fetch everything.";
    EmptyAllow, "empty_allow", Info, false, "An empty `Allow` has no effect.";
    PathWithoutSlash, "path_without_slash", Error, false, "The path of a rule begins with neither `/` nor `*` and matches nothing.";
    LeadingWildcard, "leading_wildcard", Warning, true, "The path of a rule begins with `*`, as in `Disallow: *`, which the grammar of RFC 9309 does not allow; Google's parser obeys the rule.";
    FullUrlPath, "full_url_path", Error, false, "A rule has a full URL as its path and matches nothing.";
    MultiplePathsPerLine, "multiple_paths_per_line", Error, false, "A rule has several paths on one line; they are read as one path with blanks.";
    DollarInside, "dollar_inside", Info, false, "A `$` that is not the last octet of a path is an ordinary octet.";
    IndexHtm, "index_htm", Info, true, "An allow rule for `/index.htm` or `/index.html` also allows its folder in Google's dialect.";
    UnencodedNonAscii, "unencoded_non_ascii", Warning, false, "A path has octets above 0x7F that should be percent-encoded.";
    FragmentInPath, "fragment_in_path", Warning, false, "A `#` follows the path of a rule without a blank; the rest of the line is a comment, not part of the path.";
    ConflictingEqualLength, "conflicting_equal_length", Warning, false, "A group allows and disallows the same path; the allow rule wins.";
    BadCrawlDelay, "bad_crawl_delay", Warning, false, "A crawl-delay is not a plain number of seconds.";
    RelativeSitemap, "relative_sitemap", Warning, false, "The URL of a sitemap is not absolute.";
    SitemapOtherDomain, "sitemap_other_domain", Info, false, "A sitemap is on another registered domain.";
    BadSignalValue, "bad_signal_value", Warning, false, "A statement about AI use has a key or value that its draft does not define.";
    SignalContradiction, "signal_contradiction", Warning, false, "Two statements about AI use in one group contradict each other.";
    BadDictionary, "bad_dictionary", Warning, false, "The value of a `Content-Usage` line is not a dictionary of structured fields (RFC 9651 §4.2.2), so it states nothing.";
    DuplicateSignalKey, "duplicate_signal_key", Warning, false, "A `Content-Usage` line has a key twice; the last one counts.";
    SignalOutsideGroup, "signal_outside_group", Warning, false, "A `Content-Usage` or `Content-Signal` line before any user-agent line, which concerns no crawler.";
    TooComplex, "too_complex", Error, false, "Evaluating the patterns would exceed the work budget, so a verdict or a preference is unknown.";
}

#[cfg(test)]
mod tests {
    use super::AnomalyKind;

    #[test]
    fn codes_are_distinct_lower_case_words() {
        let mut codes: Vec<_> = AnomalyKind::ALL.iter().map(|kind| kind.code()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), AnomalyKind::ALL.len());
        let is_word = |code: &&str| {
            code.bytes()
                .all(|byte| byte == b'_' || byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        assert!(codes.iter().all(is_word));
    }
}
