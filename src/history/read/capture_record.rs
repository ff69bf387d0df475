//! The record of a capture of a host: the form in which captures of all inputs are merged.
//!
//! The captures of a crawl, and those of an earlier history, are in the order of hosts, then of times. The *state* of a
//! capture is the encoded values of the columns of `host_periods` from `policy_id` on: consecutive captures of a host
//! with the same state are one period. A state stays bytes, which are compared; structs are views of some of its columns.

use crate::own_tables::{self, STATE};
use dataset::{Encoding, Word, row};
use hosts::RedirectEnd;
use robots::{Basis, ContentClass, Dialect, HttpStatus, StatusEffect, Verdict};
use sort::record;
use urls::WebOrigin;

record! {
    /// The time of an authoritative capture, and the location of its record.
    #[derive(Default)]
    pub struct CaptureAddress {
        /// Milliseconds since 1970.
        pub fetch_time: Option<i64>,
        /// The number of the archive in its crawl.
        pub archive_no: i64,
        /// The offset of the record in the archive.
        pub offset: i64,
        /// The index of the record among those that share the offset.
        pub record_in_member: u32,
    }
}

record! {
    /// A capture of a host.
    pub struct CaptureRecord<'a> {
        /// The host, as in the column `surt_host_name`.
        pub surt_host_name: &'a str,
        /// The time by which the captures of a host are sorted: the median time of the crawl, if the capture has none.
        pub time: i64,
        /// The time of the capture itself, and the location of its record.
        pub address: CaptureAddress,
        /// The digest of the content of the capture whose rules apply; empty if no body was read.
        pub digest: &'a [u8],
        /// The state.
        pub state: &'a [u8],
        /// The number of its period in the earlier history from which it is read; `None` if it is read from a dataset.
        pub period_no: Option<u32>,
    }
}

impl CaptureAddress {
    /// Returns the time by which the captures of a host are sorted. `median_fetch` is the median time of the crawl,
    /// for captures without a time.
    pub fn order_time(&self, median_fetch: Option<i64>) -> i64 {
        self.fetch_time.or(median_fetch).unwrap_or(i64::MIN)
    }
}

row! {
    /// The words in a state.
    pub(crate) struct StateWords of own_tables::HOST_PERIODS {
        redirect_end: Option<Word<RedirectEnd>>,
        content_class: Option<Word<ContentClass>>,
        wildcard_verdict: Word<Verdict>,
        wildcard_verdict_google: Word<Verdict>,
        wildcard_verdict_rfc9309: Word<Verdict>,
        wildcard_verdict_koster1996: Word<Verdict>,
        wildcard_basis: Word<Basis>,
    }
}

row! {
    /// The keys in a state, in hexadecimal.
    pub(crate) struct StateKeys<'a> of own_tables::HOST_PERIODS {
        pub(crate) policy_id: Option<&'a [u8]>,
        pub(crate) preferences_id: Option<&'a [u8]>,
        pub(crate) preference_set_id: Option<&'a [u8]>,
    }
}

pub(crate) const STATE_KEYS: Encoding<StateKeys<'static>> = Encoding::of(STATE);

row! {
    /// The registered domain in a state.
    pub(crate) struct StateDomain<'a> of own_tables::HOST_PERIODS {
        pub(crate) url_host_registered_domain: Option<&'a [u8]>,
    }
}

pub(crate) const STATE_DOMAIN: Encoding<StateDomain<'static>> = Encoding::of(STATE);

row! {
    /// The columns of a state that periods of crawlers need.
    pub(crate) struct AgentPeriodState<'a> of own_tables::HOST_PERIODS {
        pub(crate) url_host_registered_domain: Option<&'a [u8]>,
        /// False if the verdicts of named crawlers are not stored, because there are too many.
        pub(crate) has_named_rows: bool,
    }
}

pub(crate) const AGENT_PERIOD_STATE: Encoding<AgentPeriodState<'static>> = Encoding::of(STATE);

row! {
    /// The columns of a state that are counted.
    pub(crate) struct CountedState<'a> of own_tables::HOST_PERIODS {
        pub(crate) policy_id: Option<&'a [u8]>,
        pub(crate) url_host_registered_domain: Option<&'a [u8]>,
        pub(crate) wildcard_verdict: Word<Verdict>,
        pub(crate) wildcard_basis: Word<Basis>,
        pub(crate) has_named_rows: bool,
    }
}

pub(crate) const COUNTED_STATE: Encoding<CountedState<'static>> = Encoding::of(STATE);

row! {
    /// The columns of a state on which the access to a URL depends.
    pub struct AccessState<'a> of own_tables::HOST_PERIODS {
        /// The key of the policy, in hexadecimal.
        pub policy_id: Option<&'a [u8]>,
        /// The origin of the URL that was captured.
        pub url_host_name: &'a str,
        pub url_protocol: Option<&'a str>,
        pub url_port: Option<u32>,
        /// The number of redirects that were followed.
        pub n_redirects: u32,
        pub redirect_end: Option<Word<RedirectEnd>>,
        /// The HTTP status of the capture whose rules apply.
        pub fetch_status: Option<u16>,
        /// True if that capture is a revisit, so that its content is not known.
        pub is_revisit: bool,
        pub content_class: Option<Word<ContentClass>>,
        pub wildcard_verdict: Word<Verdict>,
    }
}

impl<'a> AccessState<'a> {
    /// Returns the origin of the URL of the authoritative capture.
    pub fn origin(&self) -> WebOrigin<'a> {
        WebOrigin {
            scheme: self.url_protocol.unwrap_or_default(),
            host: self.url_host_name,
            port: self.url_port.and_then(|port| u16::try_from(port).ok()),
        }
    }

    /// Returns the class of the body; `Empty` if no body was parsed.
    pub fn content_class(&self) -> ContentClass {
        self.content_class
            .map_or(ContentClass::Empty, |class| class.0)
    }

    /// Returns the effect of the HTTP status in a dialect. A capture from a resource record has a body but no status,
    /// and counts as status 200.
    pub fn effect(&self, dialect: Dialect) -> StatusEffect {
        let is_parsed = self.content_class.is_some();
        let is_known = self.wildcard_verdict != Word(Verdict::Unknown);
        let is_cut = self.fetch_status.is_none() && !is_parsed && !is_known;
        if self.is_revisit || is_cut {
            return StatusEffect::Defer;
        }
        let status = HttpStatus {
            code: self.fetch_status.or(is_parsed.then_some(200)),
            has_location: self.redirect_end.is_some(),
        };
        match status.effect(dialect) {
            // No body is stored, so that there is nothing to parse.
            StatusEffect::Parse if !is_parsed => StatusEffect::Defer,
            effect => effect,
        }
    }
}
