use super::column::table;

table! { "One row per crawl, host, crawler, mechanism and category: what the host states about the use of its content, over all paths that the crawler may fetch. Sorted by `agent`, then `surt_host_name`. Hosts that state nothing have no rows, and crawlers that are not named have those of `*`." {
    agent: Text, "The name, as in `file_preferences`.";
    host_id: Long delta, "The row of `hosts`.";
    surt_host_name: Text, "The host, as in `hosts`.";
    url_host_registered_domain: Text null, "Its registered domain.";
    mechanism: Text, "The mechanism, as in `file_preferences`.";
    category: Text, "The category of use, as in `file_preferences`.";
    preference: Text null, "The preference, as in `file_preferences`: `allow_all`, `disallow_all`, `unknown_all`, `mixed`, `not_crawlable`, `too_complex`; null for `rsl-license`.";
    has_allowed: Bool, "True if it is allowed for some path that may be fetched.";
    has_disallowed: Bool, "True if it is disallowed for some path that may be fetched.";
    has_unknown: Bool, "True if it is unknown for some path that may be fetched.";
    evidence_line: Int null, "The line that shows the preference, in the capture whose rules apply.";
    address: Text null, "The address of the licence, for `rsl-license`.";
}}

/// A row of `host_preferences`.
#[derive(Debug)]
pub struct HostPreferenceRow<'a> {
    pub agent: &'a str,
    pub host_id: i64,
    pub surt_host_name: &'a str,
    pub registered_domain: Option<&'a str>,
    pub preference: StoredPreference<'a>,
}

/// The columns of a row of `file_preferences` that describe the preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredPreference<'a> {
    pub mechanism: &'a str,
    pub category: &'a str,
    pub preference: Option<&'a str>,
    /// The columns `has_allowed`, `has_disallowed` and `has_unknown`.
    pub has: [bool; 3],
    pub evidence_line: Option<i32>,
    pub address: Option<&'a str>,
}

impl Builder {
    pub fn push(&mut self, row: &HostPreferenceRow<'_>) {
        let HostPreferenceRow { preference, .. } = row;
        let texts = &mut self.texts;
        self.agent.append_value(texts.intern(row.agent));
        self.host_id.append_value(row.host_id);
        self.surt_host_name
            .append_value(texts.intern(row.surt_host_name));
        let domain = row.registered_domain.map(|domain| texts.intern(domain));
        self.url_host_registered_domain.append_option(domain);
        self.mechanism
            .append_value(texts.intern(preference.mechanism));
        self.category
            .append_value(texts.intern(preference.category));
        self.preference
            .append_option(preference.preference.map(|name| texts.intern(name)));
        let [allowed, disallowed, unknown] = preference.has;
        self.has_allowed.append_value(allowed);
        self.has_disallowed.append_value(disallowed);
        self.has_unknown.append_value(unknown);
        self.evidence_line.append_option(preference.evidence_line);
        self.address
            .append_option(preference.address.map(|address| texts.intern(address)));
        self.end_rows(1);
    }

    /// Returns the number of rows since the last [`take`](Self::take).
    pub fn row_count(&self) -> usize {
        self.cumulative_bytes.len()
    }
}
