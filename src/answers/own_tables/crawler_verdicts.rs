//! The table that `verdicts` writes, `crawler_verdicts`.

use robots::{Basis, Verdict};
use tables::StoredVerdict;
use tables::table;

table! { "One row per host and requested crawler, in the order of crawls, hosts and requested crawlers. Every host has a row for every crawler, whether its rules name the crawler or not. The table is not part of a dataset: `robots-scan verdicts` writes it." {
    crawl: Text, "The crawl.";
    surt_host_name: PlainText, "The host, as in `hosts`.";
    url_host_name: PlainText, "The host of the authoritative capture, in punycode.";
    domain: PlainText, "The registered domain, or `surt_host_name` if the host has none (an IP address, a public suffix).";
    agent: Text, "The crawler by its whole name, in lower case: `gptbot` for `GPTBot/1.0`.";
    verdict: Text, "The verdict for the crawler: that of its own group; otherwise of the group of the first of its fallbacks that has one; otherwise of `*`, unless the crawler ignores `*`. As in the macro `verdicts_for`.";
    verdict_google: Text, "The verdict of Google's parser for a crawler of this name, without fallbacks.";
    verdict_rfc9309: Text, "The verdict according to RFC 9309, without fallbacks.";
    verdict_koster1996: Text, "The verdict according to Koster's draft of 1996, without fallbacks.";
    basis: Text, "The basis of `verdict`, as in `verdicts`. `explicit` if the rules name the crawler or one of its fallbacks.";
    by_name: Bool null, "True if the crawler or one of its fallbacks is named and may fetch nothing. This column and the two following ones are null if `verdict` is `unknown`, so that their means are shares of the hosts with a known verdict.";
    by_wildcard: Bool null, "True if the rules of `*` apply and disallow everything.";
    by_status: Bool null, "True if the HTTP status disallows everything, as a 429 or 5xx does.";
    root_allowed: Bool null, "True if `/` may be fetched. Null if the host has no rows in `host_verdicts` (`has_named_rows`).";
    rules_crawl: Text, "The crawl of `rules_robots_id`, as in `hosts`.";
    rules_robots_id: Long delta, "The capture whose rules and status apply, as in `hosts`.";
    evidence_line: Int null, "The line of that capture that proves `verdict`. Null if no line does, such as for a status.";
}}

/// A row of `crawler_verdicts`.
#[allow(missing_docs, reason = "a field is the column of its name")]
#[derive(Debug)]
pub struct CrawlerVerdictRow<'a> {
    pub crawl: &'a str,
    pub surt_host_name: &'a str,
    pub url_host_name: &'a str,
    pub domain: &'a str,
    pub agent: &'a str,
    pub rules_crawl: &'a str,
    pub rules_robots_id: i64,
    pub verdict: StoredVerdict,
    /// False if `host_verdicts` has no rows for the host, so that the verdict is unknown.
    pub has_rows: bool,
}

impl Builder {
    /// Adds a row.
    pub fn push(&mut self, row: &CrawlerVerdictRow<'_>) {
        let texts = &mut self.texts;
        let verdict = &row.verdict;
        self.crawl.append_value(texts.intern(row.crawl));
        self.surt_host_name.append_value(row.surt_host_name);
        self.url_host_name.append_value(row.url_host_name);
        self.domain.append_value(row.domain);
        self.agent.append_value(texts.intern(row.agent));
        let names = verdict.verdicts.map(|verdict| verdict.name());
        let [default, google, rfc9309, koster1996] = names.map(|name| texts.intern_static(name));
        self.verdict.append_value(default);
        self.verdict_google.append_value(google);
        self.verdict_rfc9309.append_value(rfc9309);
        self.verdict_koster1996.append_value(koster1996);
        self.basis
            .append_value(texts.intern_static(verdict.basis.name()));
        let is_known = verdict.verdicts[0] != Verdict::Unknown;
        let is_blocked = verdict.verdicts[0] == Verdict::DisallowAll;
        let is_blocked_by = |is_basis: bool| is_known.then_some(is_blocked && is_basis);
        let (is_named, is_status) = (
            verdict.basis == Basis::Explicit,
            verdict.basis == Basis::HttpStatus,
        );
        self.by_name.append_option(is_blocked_by(is_named));
        self.by_wildcard
            .append_option(is_blocked_by(!is_named && !is_status));
        self.by_status.append_option(is_blocked_by(is_status));
        self.root_allowed
            .append_option(row.has_rows.then_some(verdict.root_allowed));
        self.rules_crawl.append_value(texts.intern(row.rules_crawl));
        self.rules_robots_id.append_value(row.rules_robots_id);
        self.evidence_line.append_option(verdict.evidence_line);
        self.end_rows(1);
    }

    /// Returns the number of rows since the last [`take`](Self::take).
    pub fn row_count(&self) -> usize {
        self.cumulative_bytes.len()
    }
}
