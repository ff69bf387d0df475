//! Numbers the registered domains of hosts, for the column `domain_id`.

use tables::HostRows;
use urls::DomainRuns;

/// Numbers the domains of the hosts of a crawl, which are added in the order of the table `hosts`. A domain with one host
/// has no number. Nearly always, the next host shows that it has no others; if it does not, the domain has a number.
#[derive(Debug, Default)]
pub(super) struct DomainNumbers {
    /// The numbers: the first `host_id` of each domain.
    numbers: DomainRuns<Option<i64>>,
    /// The last host, whose row has no `domain_id` yet.
    last: Option<LastHost>,
}

#[derive(Debug)]
struct LastHost {
    /// The number of the domain.
    number: i64,
    /// True if the host is the first one of the domain.
    is_first: bool,
}

impl DomainNumbers {
    /// Adds a host, and the `domain_id` of the host before it to `rows`.
    pub(super) fn push(
        &mut self,
        host_id: i64,
        surt_host_name: &str,
        domain: Option<&str>,
        rows: &mut HostRows,
    ) {
        let (host, domain) = (surt_host_name.as_bytes(), domain.map(str::as_bytes));
        if let Some(last) = self.last.take() {
            let is_only = last.is_first && self.numbers.completes_last(host, domain);
            rows.push_domain_id((!is_only).then_some(last.number));
        }
        let number = self.numbers.value_of(host, domain);
        self.last = Some(LastHost {
            is_first: number.is_none(),
            number: *number.get_or_insert(host_id),
        });
    }

    /// Ends a crawl, and adds the `domain_id` of its last host to `rows`.
    pub(super) fn end_crawl(&mut self, rows: &mut HostRows) {
        if let Some(last) = self.last.take() {
            rows.push_domain_id((!last.is_first).then_some(last.number));
        }
        self.numbers = DomainRuns::default();
    }
}
