use super::{columns_of, concatenate};
use tables::table;
use tables::{Column, Table};

mod own {
    use super::table;

    table! { of_fields "One row per period of a host and crawler: consecutive captures of the host whose rules name the crawler, with the same verdict. The period ends where the rules stop naming the crawler. Sorted by `agent`, then `surt_host_name`, then by time." {
        agent: Text, "The name, as in `verdicts`.";
        surt_host_name: PlainText bloom_filter shared_prefixes, "The host, as in `hosts`.";
        url_host_registered_domain: PlainText null shared_prefixes, "Its registered domain.";
        first_crawl: Text, "The crawl of the first capture.";
        last_crawl: Text, "The crawl of the last capture.";
        first_period_no: Int, "The first period of the host, in `host_periods`. The period of the crawler consists of this period and the following ones.";
        n_periods: Int, "The number of these periods.";
        n_captures: Int, "The number of captures, which is that of the crawls.";
    }}
}

pub(crate) use own::{ABOUT, DERIVED_COLUMNS};

/// The columns of a verdict without its evidence, which moves with every line above it.
pub(super) const VERDICT: [Column; 9] = columns_of(
    Table::HOST_VERDICTS.columns(),
    [
        "verdict",
        "verdict_google",
        "verdict_rfc9309",
        "verdict_koster1996",
        "basis",
        "root_allowed",
        "n_allow",
        "n_disallow",
        "crawl_delay_ms",
    ],
);

pub(crate) const COLUMNS: &[Column] =
    &concatenate::<{ own::COLUMNS.len() + VERDICT.len() }>(own::COLUMNS, &VERDICT);
