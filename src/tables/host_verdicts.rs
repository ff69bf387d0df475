use super::value::Constant;
use crate::table;
use robots::{Basis, Verdict};

table! { "One row per crawl, host and crawler that the rules of the host name. Sorted by `agent`, then `surt_host_name`. Crawlers that are not named have the verdict of `*`, which is in `hosts`; the macro `verdicts_for` has both. `verdict` to `n_disallow` have a value in every row: they are nullable so that a left join from `hosts` gives null in ClickHouse, too."
row(row: &HostVerdictRow<'_>) {
    let stored = &row.verdict;
    let [verdict, google, rfc9309, koster1996] = stored.verdicts.map(|verdict| Constant(verdict.name()));
} {
    agent: Text, "The name, as in `verdicts`." = row.agent;
    host_id: Long delta, "The row of `hosts`." = row.host_id;
    surt_host_name: PlainText bloom_filter shared_prefixes, "The host, as in `hosts`." = row.surt_host_name;
    url_host_registered_domain: PlainText null shared_prefixes, "Its registered domain." = row.registered_domain;
    verdict: Text null, "The verdict, as in `verdicts`." = verdict;
    verdict_google: Text null, "The verdict of Google's parser." = google;
    verdict_rfc9309: Text null, "The verdict according to RFC 9309." = rfc9309;
    verdict_koster1996: Text null, "The verdict according to Koster's draft of 1996." = koster1996;
    basis: Text null, "The basis of `verdict`. `explicit` if the rules name the crawler. A row with another basis exists if a dialect addresses this name and gives it another verdict than `*`, so count rows `WHERE basis = 'explicit'`." = Constant(stored.basis.name());
    root_allowed: Bool null, "True if `/` may be fetched." = stored.root_allowed;
    n_allow: Int null, "The number of allow lines in the merged groups." = stored.n_allow;
    n_disallow: Int null, "The number of disallow lines in the merged groups." = stored.n_disallow;
    crawl_delay_ms: Long null, "The crawl-delay for the crawler, in milliseconds." = stored.crawl_delay_ms;
    evidence_line: Int null, "The line that proves `verdict`, in the capture whose rules apply." = stored.evidence_line;
}}

/// The columns of a row of `verdicts` that describe the verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoredVerdict {
    /// The columns `verdict`, `verdict_google`, `verdict_rfc9309` and `verdict_koster1996`.
    pub verdicts: [Verdict; 4],
    pub basis: Basis,
    pub root_allowed: bool,
    pub n_allow: i32,
    pub n_disallow: i32,
    pub crawl_delay_ms: Option<i64>,
    pub evidence_line: Option<i32>,
}

/// A row of the table.
#[derive(Debug)]
pub struct HostVerdictRow<'a> {
    pub agent: &'a str,
    pub host_id: i64,
    pub surt_host_name: &'a str,
    pub registered_domain: Option<&'a str>,
    pub verdict: StoredVerdict,
}

impl Builder {
    /// Returns the number of rows since the last [`take`](Self::take).
    pub fn row_count(&self) -> usize {
        self.cumulative_bytes.len()
    }
}
