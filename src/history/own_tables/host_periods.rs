use super::{columns_of, concatenate};
use tables::table;
use tables::{Column, Table};

mod own {
    use super::table;
    use tables::Expression;

    const LAST_FETCH: Expression =
        Expression::Same("CASE WHEN n_captures = 1 THEN first_fetch ELSE last_fetch END");

    table! { of_fields "One row per period of a host: consecutive captures with the same state. A crawl that did not capture the host neither ends nor extends a period. The captures are in the order of their times; one without a time has the place of the median time of its crawl. Sorted by `surt_host_name`, then by `period_no`." {
        host_no: Long delta, "The number of the host: the position of the first crawl with a capture of it times 2^32, plus its number among the hosts that this crawl captured first, from 0. It does not change when later crawls are added.";
        period_no: Int, "Key of the period, together with `host_no`: its number among those of the host in the order of time, from 0.";
        surt_host_name: Text, "The host, as in `hosts`.";
        first_crawl: Text, "The crawl of the first capture.";
        last_crawl: Text, "The crawl of the last capture.";
        first_fetch: Time null delta, "The time of the first capture (UTC).";
        last_fetch: Time null delta, "In files null where `n_captures` is 1. The time of the last capture (UTC)." => LAST_FETCH;
        n_captures: Int, "The number of captures, which is that of the crawls.";
        domain_id: Long delta, "A number of `domain` of the host, as in `hosts`: the `host_no` of the first host of the domain, also if it has no other host; less 2^52 for each other domain that begins with this host, such as `co.uk` and `www.co.uk`.";
        policy_id: Text null, "The lines that were read, as in `policies`; null if no line was. This column and the following ones are the state.";
        preferences_id: Text null, "Key of the statements about the use of the content, wherever their lines are (docs/tables.md#keys). Null if nothing is stated.";
        preference_set_id: Text null, "The rows in `preference_sets`.";
    }}
}

pub(crate) use own::{ABOUT, DERIVED_COLUMNS};

/// The columns of the state that `hosts` also has: the last columns of `host_periods`.
pub const STATE_COLUMNS: [&str; 26] = [
    "url_host_name",
    "url_host_registered_domain",
    "url_host_tld",
    "url_protocol",
    "url_port",
    "n_redirects",
    "redirect_end",
    "fetch_status",
    "is_revisit",
    "content_class",
    "ruleset_id",
    "template",
    "vendor_first_line",
    "vendor_last_line",
    "wildcard_verdict",
    "wildcard_verdict_google",
    "wildcard_verdict_rfc9309",
    "wildcard_verdict_koster1996",
    "wildcard_basis",
    "wildcard_root_allowed",
    "wildcard_n_allow",
    "wildcard_n_disallow",
    "wildcard_crawl_delay_ms",
    "wildcard_evidence_line",
    "n_named",
    "has_named_rows",
];

/// Returns the columns with the names in [`STATE_COLUMNS`], as `hosts` has them but with all texts in dictionaries.
const fn state_columns() -> [Column; STATE_COLUMNS.len()] {
    let mut columns = columns_of(Table::HOSTS.columns(), STATE_COLUMNS);
    let mut i = 0;
    while i < columns.len() {
        // The periods of a host are consecutive, so that texts repeat, and a dictionary is smaller.
        columns[i] = columns[i].plain_text(false);
        i += 1;
    }
    columns
}

pub(crate) const COLUMNS: &[Column] =
    &concatenate::<{ own::COLUMNS.len() + STATE_COLUMNS.len() }>(own::COLUMNS, &state_columns());

/// The columns of the state: captures of a host with the same values are in one period.
pub(crate) const STATE: &[Column] = COLUMNS.split_at(own::COLUMNS.len() - OWN_STATE_COLUMNS).1;

/// The number of columns of the state that only histories have: the keys of the policy and of the preferences.
const OWN_STATE_COLUMNS: usize = 3;

/// The columns of the state that `hosts` also has, with the types that they have here.
pub(crate) const STATE_OF_HOSTS: &[Column] = STATE.split_at(OWN_STATE_COLUMNS).1;
