use crate::table;

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
} buffer PreferenceBytes }

/// The number of bytes of the texts of the last preferences, which [`Builder::push_repeated`] counts again.
type PreferenceBytes = u64;

/// A host and the name of a crawler: the columns that are equal in all rows for the two.
#[derive(Clone, Copy, Debug)]
pub struct StatingHost<'a> {
    pub agent: &'a str,
    pub host_id: i64,
    pub surt_host_name: &'a str,
    pub registered_domain: Option<&'a str>,
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
    /// Adds the rows of a host.
    pub fn push<'a>(
        &mut self,
        host: &StatingHost<'_>,
        preferences: impl Iterator<Item = StoredPreference<'a>>,
    ) {
        let mut count = 0;
        let bytes_before = self.texts.requested_bytes();
        for row in preferences {
            let texts = &mut self.texts;
            self.mechanism.append_value(texts.intern(row.mechanism));
            self.category.append_value(texts.intern(row.category));
            self.preference
                .append_option(row.preference.map(|name| texts.intern(name)));
            let [allowed, disallowed, unknown] = row.has;
            self.has_allowed.append_value(allowed);
            self.has_disallowed.append_value(disallowed);
            self.has_unknown.append_value(unknown);
            self.evidence_line.append_option(row.evidence_line);
            self.address
                .append_option(row.address.map(|address| texts.intern(address)));
            count += 1;
        }
        self.buffer = self.texts.requested_bytes() - bytes_before;
        self.push_host(host, count);
    }

    /// Adds the rows of a host whose preferences are those of the last `count` rows.
    pub fn push_repeated(&mut self, host: &StatingHost<'_>, count: usize) {
        let rows = self.row_count() - count..self.row_count();
        self.mechanism.repeat_rows(rows.clone());
        self.category.repeat_rows(rows.clone());
        self.preference.repeat_rows(rows.clone());
        self.has_allowed.repeat_rows(rows.clone());
        self.has_disallowed.repeat_rows(rows.clone());
        self.has_unknown.repeat_rows(rows.clone());
        self.evidence_line.repeat_rows(rows.clone());
        self.address.repeat_rows(rows);
        self.texts.add_requested_bytes(self.buffer);
        self.push_host(host, count);
    }

    /// Adds the columns that the last `count` rows share, and ends these rows.
    fn push_host(&mut self, host: &StatingHost<'_>, count: usize) {
        let texts = &mut self.texts;
        let agent = texts.intern(host.agent);
        self.agent.append_repeated(Some(agent), count);
        self.host_id.append_repeated(Some(host.host_id), count);
        let name = texts.intern(host.surt_host_name);
        self.surt_host_name.append_repeated(Some(name), count);
        let domain = host.registered_domain.map(|domain| texts.intern(domain));
        self.url_host_registered_domain
            .append_repeated(domain, count);
        let shared = [
            Some(host.agent),
            Some(host.surt_host_name),
            host.registered_domain,
        ];
        let bytes: usize = shared.into_iter().flatten().map(str::len).sum();
        self.texts
            .add_requested_bytes((bytes * count.saturating_sub(1)) as u64);
        self.end_rows(count);
    }

    /// Returns the number of rows since the last [`take`](Self::take).
    pub fn row_count(&self) -> usize {
        self.cumulative_bytes.len()
    }
}
