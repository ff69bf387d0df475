use crate::table;
use robots::{Basis, Verdict};

table! { "One row per crawl, host and crawler that the rules of the host name. Sorted by `agent`, then `surt_host_name`. Crawlers that are not named have the verdict of `*`, which is in `hosts`; the macro `verdicts_for` has both. `verdict` to `n_disallow` have a value in every row: they are nullable so that a left join from `hosts` gives null in ClickHouse, too." {
    agent: Text, "The name, as in `verdicts`.";
    host_id: Long delta, "The row of `hosts`.";
    surt_host_name: PlainText bloom_filter shared_prefixes, "The host, as in `hosts`.";
    url_host_registered_domain: PlainText null shared_prefixes, "Its registered domain.";
    verdict: Text null, "The verdict, as in `verdicts`.";
    verdict_google: Text null, "The verdict of Google's parser.";
    verdict_rfc9309: Text null, "The verdict according to RFC 9309.";
    verdict_koster1996: Text null, "The verdict according to Koster's draft of 1996.";
    basis: Text null, "The basis of `verdict`. `explicit` if the rules name the crawler. A row with another basis exists if a dialect addresses this name and gives it another verdict than `*`, so count rows `WHERE basis = 'explicit'`.";
    root_allowed: Bool null, "True if `/` may be fetched.";
    n_allow: Int null, "The number of allow lines in the merged groups.";
    n_disallow: Int null, "The number of disallow lines in the merged groups.";
    crawl_delay_ms: Long null, "The crawl-delay for the crawler, in milliseconds.";
    evidence_line: Int null, "The line that proves `verdict`, in the capture whose rules apply.";
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
    /// Adds a row.
    pub fn push(&mut self, row: &HostVerdictRow<'_>) {
        let verdict = &row.verdict;
        let texts = &mut self.texts;
        self.agent.append_value(texts.intern(row.agent));
        self.host_id.append_value(row.host_id);
        self.surt_host_name.append_value(row.surt_host_name);
        self.url_host_registered_domain
            .append_option(row.registered_domain);
        let verdicts = verdict.verdicts.map(|verdict| verdict.name());
        let [default, google, rfc9309, koster1996] = verdicts.map(|name| texts.intern_static(name));
        self.verdict.append_option(Some(default));
        self.verdict_google.append_option(Some(google));
        self.verdict_rfc9309.append_option(Some(rfc9309));
        self.verdict_koster1996.append_option(Some(koster1996));
        let basis = texts.intern_static(verdict.basis.name());
        self.basis.append_option(Some(basis));
        self.root_allowed.append_option(Some(verdict.root_allowed));
        self.n_allow.append_option(Some(verdict.n_allow));
        self.n_disallow.append_option(Some(verdict.n_disallow));
        self.crawl_delay_ms.append_option(verdict.crawl_delay_ms);
        self.evidence_line.append_option(verdict.evidence_line);
        self.end_rows(1);
    }

    /// Returns the number of rows since the last [`take`](Self::take).
    pub fn row_count(&self) -> usize {
        self.cumulative_bytes.len()
    }
}
