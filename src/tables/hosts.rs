use super::StoredVerdict;
use super::column::Expression::{self, Same};
use super::robots_files::{FETCH_CLASS, OUTCOME_OF_HOST};
use super::value::Constant;
use crate::table;
use urls::{WebOrigin, tld};

table! { "One row per crawl and host with a capture of a robots.txt: the authoritative capture of the host, and the rules that apply to it. Sorted by `surt_host_name`."
row(row: &HostRow<'_>) {
    let HostRow { origin, rules, .. } = row;
    let wildcard = &rules.wildcard;
    let [verdict, google, rfc9309, koster1996] = wildcard.verdicts.map(|verdict| Constant(verdict.name()));
} {
    host_id: Long delta, "Key of the row, only to join `host_verdicts` of the same dataset: the place of the crawl in the order of the times of their first captures × 2^32 + the number of the host in the crawl, both from 0. Other datasets number hosts differently." = row.host_id;
    surt_host_name: PlainText shared_prefixes, "The host in reverse order, without a leading `www` as in `robots_files`. Unique in a crawl." = row.surt_host_name;
    url_host_name: PlainText, "The host of the authoritative capture, in punycode." = origin.host;
    url_host_registered_domain: PlainText null shared_prefixes, "Its registered domain, as in `robots_files`." = row.registered_domain;
    domain_id: Long null delta, "A number of `domain`, by which hosts are grouped faster than by text: the smallest `host_id` of the hosts of the domain in this crawl. Null only if the crawl has no other host of the domain.";
    url_host_tld: Text null, "Its top-level domain, as in `robots_files`." = tld(origin.host);
    url_protocol: Text null, "The scheme of the authoritative capture: `http` or `https`." = origin.scheme;
    url_port: Int null, "The port of the authoritative capture, if it is not the default port of the scheme." = origin.port;
    fetch_time: Time null delta, "The time at which the authoritative capture was fetched (UTC)." = row.fetch_time;
    authoritative_robots_id: Long plain, "The authoritative capture: of the captures of `/robots.txt` on this host in this crawl, the one that decides most (content; then a status that allows all; then 401 or 403; then one that asks to come back; a redirect counts as the end of its chain), then https, then the default port, then the latest, then the smallest `robots_id`." = row.authoritative_robots_id;
    rules_robots_id: Long plain, "The capture whose rules and status apply: the authoritative one, the end of its redirects, or the capture with the content of a revisit. Join other tables by it: `ON x.crawl = h.crawl AND x.robots_id = h.rules_robots_id`." = row.rules_robots_id;
    n_redirects: Int, "The number of redirects from the authoritative capture that were followed to another capture." = row.n_redirects;
    redirect_end: Text null, "How the redirects ended: `resolved`, `not_captured` (the next URL was not captured in this crawl), `loop`, `too_many` (more than five). Null if the authoritative capture is not a redirect that can be followed." = row.redirect_end.map(Constant);
    fetch_status: Short null, "The HTTP status of the capture whose rules apply. This column and the following ones describe that capture." = rules.fetch_status;
    is_revisit: Bool, "True if that capture is a revisit and no capture of this crawl has its content." = rules.is_revisit;
    content_class: Text null, "The kind of body, as in `robots_files`." = rules.content_class;
    ruleset_id: Long null, "The fingerprint of its rules, as in `robots_files`." = rules.ruleset_id;
    template: Text null, "The software that generated the file, as in `robots_files`." = rules.template;
    vendor_first_line: Int null, "The first of the lines that the vendor of `template` wrote, as in `robots_files`." = rules.vendor_first_line;
    vendor_last_line: Int null, "The last of these lines." = rules.vendor_last_line;
    wildcard_verdict: Text, "The verdict for `*`: for all crawlers that the file does not name. This column and the following ones are as in `verdicts`." = verdict;
    wildcard_verdict_google: Text, "The verdict for `*` according to Google's parser." = google;
    wildcard_verdict_rfc9309: Text, "The verdict for `*` according to RFC 9309." = rfc9309;
    wildcard_verdict_koster1996: Text, "The verdict for `*` according to Koster's draft of 1996." = koster1996;
    wildcard_basis: Text, "The basis of `wildcard_verdict`." = Constant(wildcard.basis.name());
    wildcard_root_allowed: Bool, "True if `/` may be fetched." = wildcard.root_allowed;
    wildcard_n_allow: Int, "The number of allow lines for `*`." = wildcard.n_allow;
    wildcard_n_disallow: Int, "The number of disallow lines for `*`." = wildcard.n_disallow;
    wildcard_crawl_delay_ms: Long null, "The crawl-delay for `*`, in milliseconds." = wildcard.crawl_delay_ms;
    wildcard_evidence_line: Int null, "The line that proves `wildcard_verdict`." = wildcard.evidence_line;
    n_named: Int, "The number of names that the rules address in any dialect: names in the file, and tokens that Google's parser reads instead of some of them. `host_verdicts` has a row for each of them, unless `has_named_rows` is false." = rules.n_named;
    has_named_rows: Bool, "False if `host_verdicts` has no rows for the host because its rules come from another capture and name more than 2,000 crawlers, or fewer if very many hosts share long files. The verdict of every crawler is then unknown." = rules.has_named_rows;
    n_captures: Int, "The number of captures of `/robots.txt` on this host in this crawl." = row.n_captures;
    n_changes: Int, "How often the content changed between successive captures of the same URL, by `content_digest`; of several URLs of the host, the largest number." = row.n_changes;
} derived {
    url: PlainText, "The URL of the robots.txt of the authoritative capture: `url_protocol`, `url_host_name`, `url_port` and `/robots.txt`. A user and a final dot of the host are only in `robots_files`." => URL;
    outcome: Text, "The result of the fetch, as in `robots_files`." => OUTCOME_OF_HOST;
    fetch_class: Text, "The class of the fetch, as in `robots_files`." => FETCH_CLASS;
    domain: PlainText, "The registered domain, or `surt_host_name` if the host has none (an IP address, a public suffix): the unit of shares by registered domain." => Same("coalesce(url_host_registered_domain, surt_host_name)");
    archive_no: Long, "The number of the archive of the authoritative capture in the list of archives, from 0: the unit that `--sample` draws." => Same("floor(authoritative_robots_id / 4294967296)");
}}

const URL: Expression = Same(
    "concat(url_protocol, '://', url_host_name, coalesce(':' || url_port, ''), '/robots.txt')",
);

/// A row of the table.
#[derive(Debug)]
pub struct HostRow<'a> {
    pub host_id: i64,
    pub surt_host_name: &'a str,
    /// The origin of the authoritative capture.
    pub origin: WebOrigin<'a>,
    /// The registered domain of this origin.
    pub registered_domain: Option<&'a str>,
    /// Milliseconds since 1970.
    pub fetch_time: Option<i64>,
    pub authoritative_robots_id: i64,
    pub rules_robots_id: i64,
    pub n_redirects: i32,
    pub redirect_end: Option<&'static str>,
    pub rules: &'a HostRules<'a>,
    pub n_captures: i32,
    pub n_changes: i32,
}

/// The columns of the capture whose rules apply.
#[derive(Debug)]
pub struct HostRules<'a> {
    pub fetch_status: Option<i16>,
    pub is_revisit: bool,
    pub content_class: Option<&'a str>,
    pub ruleset_id: Option<i64>,
    pub template: Option<&'a str>,
    pub vendor_first_line: Option<i32>,
    pub vendor_last_line: Option<i32>,
    pub wildcard: StoredVerdict,
    pub n_named: i32,
    pub has_named_rows: bool,
    /// True if the capture has rows in `file_preferences`.
    pub has_preferences: bool,
}

impl Builder {
    /// Adds the `domain_id` of the last row, which depends on the next host.
    pub fn push_domain_id(&mut self, domain_id: Option<i64>) {
        self.domain_id.append_option(domain_id);
    }

    /// Returns the number of rows since the last [`take`](Self::take).
    pub fn row_count(&self) -> usize {
        self.cumulative_bytes.len()
    }
}
