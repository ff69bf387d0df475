//! The record of a capture of a host: the form in which captures of all inputs are merged.
//!
//! The records of a crawl, and those of an earlier history, are sorted by host, then by time. The *state* of a
//! capture is its encoded columns of `host_periods` from `policy_id` on: consecutive captures of a host with the same
//! state are one period.

use super::verdict_class::VerdictClass;
use robots::{Dialect, HttpStatus, StatusEffect};
use sort::sort_key::{FieldReader, put_bytes, put_i64, put_key, put_u8, put_u32};
use urls::WebOrigin;

/// The time of an authoritative capture, and the location of its record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CapturePlace {
    /// Milliseconds since 1970.
    pub fetch_time: Option<i64>,
    /// The number of the archive in its crawl.
    pub archive_no: i64,
    /// The offset of the record in the archive.
    pub offset: i64,
    /// The index of the record among those that share the offset.
    pub record_in_member: i32,
}

/// A capture of a host.
#[derive(Clone, Copy, Debug)]
pub struct CaptureRecord<'a> {
    /// The host, as in the column `surt_host_name`.
    pub surt_host_name: &'a str,
    /// The time by which the captures of a host are sorted: the median time of the crawl, if the capture has none.
    pub time: i64,
    /// The time of the capture itself, and the location of its record.
    pub place: CapturePlace,
    /// The digest of the content of the capture whose rules apply; empty if no body was read.
    pub digest: &'a [u8],
    /// The fields of `host_periods` from `policy_id` on.
    pub state: &'a [u8],
    /// The number of its period in the earlier history from which it is read; `None` if it is read from a dataset.
    pub period_no: Option<u32>,
}

impl CapturePlace {
    /// Returns the time by which the captures of a host are sorted. `median_fetch` is the median time of the crawl,
    /// for captures without a time.
    pub fn order_time(&self, median_fetch: Option<i64>) -> i64 {
        self.fetch_time.or(median_fetch).unwrap_or(i64::MIN)
    }

    /// Appends the fields.
    pub fn put(&self, out: &mut Vec<u8>) {
        put_u8(out, self.fetch_time.is_some().into());
        if let Some(time) = self.fetch_time {
            put_i64(out, time);
        }
        put_i64(out, self.archive_no);
        put_i64(out, self.offset);
        put_u32(out, self.record_in_member.cast_unsigned());
    }

    /// Reads the fields that [`put`](Self::put) appended.
    pub fn read(fields: &mut FieldReader<'_>) -> Self {
        Self {
            fetch_time: (fields.u8() != 0).then(|| fields.i64()),
            archive_no: fields.i64(),
            offset: fields.i64(),
            record_in_member: fields.u32().cast_signed(),
        }
    }
}

impl<'a> CaptureRecord<'a> {
    /// Replaces the content of `out` with a record. `median_fetch` is the median time of the crawl, for captures
    /// without a time.
    pub fn write(
        out: &mut Vec<u8>,
        surt_host_name: &[u8],
        median_fetch: Option<i64>,
        place: &CapturePlace,
        digest: &[u8],
        state: &[u8],
    ) {
        out.clear();
        put_key(out, surt_host_name);
        put_i64(out, place.order_time(median_fetch));
        put_bytes(out, surt_host_name);
        place.put(out);
        put_bytes(out, digest);
        out.extend_from_slice(state);
    }

    /// Reads a record that [`write`](Self::write) made.
    pub fn read(record: &'a [u8]) -> Self {
        let mut fields = FieldReader::new(record);
        fields.key();
        let time = fields.i64();
        let host = fields.bytes();
        Self {
            surt_host_name: std::str::from_utf8(host).expect("it was written from a text"),
            time,
            place: CapturePlace::read(&mut fields),
            digest: fields.bytes(),
            state: fields.rest(),
            period_no: None,
        }
    }
}

/// Some fields of a state, borrowed from it.
#[derive(Clone, Copy, Debug)]
pub struct StateFields<'a> {
    /// The key of the policy, in hexadecimal.
    pub policy_id: Option<&'a [u8]>,
    /// The key of the preferences, in hexadecimal: a hash of their rows without the numbers of lines.
    pub preferences_id: Option<&'a [u8]>,
    /// The key of the set of preferences, in hexadecimal: a hash of all their columns.
    pub preference_set_id: Option<&'a [u8]>,
    pub registered_domain: Option<&'a [u8]>,
    /// The column `has_named_rows`: false if the verdicts of named crawlers are not stored, because there are too
    /// many.
    pub has_named_rows: bool,
}

impl<'a> StateFields<'a> {
    /// Reads the fields from a state.
    pub fn read(state: &'a [u8]) -> Self {
        let mut fields = FieldReader::new(state);
        let policy_id = optional_bytes(&mut fields);
        let preferences_id = optional_bytes(&mut fields);
        let preference_set_id = optional_bytes(&mut fields);
        let _host = fields.bytes();
        Self {
            policy_id,
            preferences_id,
            preference_set_id,
            registered_domain: optional_bytes(&mut fields),
            has_named_rows: state.last() == Some(&1),
        }
    }
}

/// Reads a byte string that may be null.
pub fn optional_bytes<'a>(fields: &mut FieldReader<'a>) -> Option<&'a [u8]> {
    (fields.u8() != 0).then(|| fields.bytes())
}

/// Appends a byte string that may be null.
pub fn put_optional_bytes(out: &mut Vec<u8>, bytes: Option<&[u8]>) {
    put_u8(out, bytes.is_some().into());
    if let Some(bytes) = bytes {
        put_bytes(out, bytes);
    }
}

/// The fields of a state that are needed to count verdicts and to decide URLs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateDetails {
    /// The key of the policy, in hexadecimal.
    pub policy_id: Option<Vec<u8>>,
    /// The registered domain; `None` if the host has none.
    pub registered_domain: Option<Vec<u8>>,
    /// The verdict for `*`, with its basis.
    pub wildcard: VerdictClass,
    /// The column `has_named_rows`: false if the verdicts of named crawlers are not stored, because there are too
    /// many.
    pub has_named_rows: bool,
    /// The origin of the URL that was captured.
    pub origin: StateOrigin,
    /// The number of redirects that were followed.
    pub n_redirects: u32,
    /// The column `redirect_end`; empty for null.
    pub redirect_end: Vec<u8>,
    /// The HTTP status of the capture whose rules apply.
    pub fetch_status: Option<u16>,
    /// True if the capture whose rules apply is a revisit, so that its content is not known.
    pub is_revisit: bool,
    /// The column `content_class`; empty for null.
    pub content_class: Vec<u8>,
}

/// The origin of the URL of an authoritative capture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateOrigin {
    /// The scheme.
    pub protocol: Vec<u8>,
    pub host: Vec<u8>,
    /// The port, if it is not the default one.
    pub port: Option<u32>,
}

impl StateOrigin {
    /// Converts the origin to a [`WebOrigin`].
    pub fn web_origin(&self) -> WebOrigin<'_> {
        WebOrigin {
            scheme: std::str::from_utf8(&self.protocol).unwrap_or_default(),
            host: std::str::from_utf8(&self.host).unwrap_or_default(),
            port: self.port.and_then(|port| u16::try_from(port).ok()),
        }
    }
}

impl StateDetails {
    /// The columns of `host_periods` on which the access to a URL depends.
    pub const ACCESS_COLUMNS: [&str; 9] = [
        "policy_id",
        "url_host_name",
        "url_protocol",
        "url_port",
        "redirect_end",
        "fetch_status",
        "is_revisit",
        "content_class",
        "wildcard_verdict",
    ];

    /// Reads a state that has only [`ACCESS_COLUMNS`](Self::ACCESS_COLUMNS). The other fields are empty.
    pub fn read_access(state: &[u8]) -> Self {
        let mut fields = FieldReader::new(state);
        let owned = |bytes: Option<&[u8]>| bytes.unwrap_or_default().to_vec();
        Self {
            policy_id: optional_bytes(&mut fields).map(<[u8]>::to_vec),
            origin: StateOrigin {
                host: fields.bytes().to_vec(),
                protocol: owned(optional_bytes(&mut fields)),
                port: (fields.u8() != 0).then(|| fields.u32()),
            },
            redirect_end: owned(optional_bytes(&mut fields)),
            fetch_status: (fields.u8() != 0)
                .then(|| fields.u32())
                .and_then(|status| u16::try_from(status).ok()),
            is_revisit: fields.u8() != 0,
            content_class: owned(optional_bytes(&mut fields)),
            wildcard: VerdictClass::from_names(fields.bytes(), b"http_status"),
            ..Self::default()
        }
    }

    /// Reads the details from a state with all columns.
    pub fn read(state: &[u8]) -> Self {
        let mut fields = FieldReader::new(state);
        let policy_id = optional_bytes(&mut fields).map(<[u8]>::to_vec);
        for _ in ["preferences_id", "preference_set_id"] {
            optional_bytes(&mut fields);
        }
        let host = fields.bytes();
        let registered_domain = optional_bytes(&mut fields).map(<[u8]>::to_vec);
        // The next fields are those of the columns from `url_host_tld` to `redirect_end`.
        let (_tld, protocol) = (optional_bytes(&mut fields), optional_bytes(&mut fields));
        let port = (fields.u8() != 0).then(|| fields.u32());
        let (n_redirects, redirect_end) = (fields.u32(), optional_bytes(&mut fields));
        let status = (fields.u8() != 0).then(|| fields.u32());
        let is_revisit = fields.u8() != 0;
        let content_class = optional_bytes(&mut fields).unwrap_or_default();
        if fields.u8() != 0 {
            fields.i64();
        }
        optional_bytes(&mut fields);
        let verdict = fields.bytes();
        for _ in ["google", "rfc9309", "koster1996"] {
            fields.bytes();
        }
        let wildcard = VerdictClass::from_names(verdict, fields.bytes());
        Self {
            policy_id,
            registered_domain,
            wildcard,
            has_named_rows: state.last() == Some(&1),
            origin: StateOrigin {
                protocol: protocol.unwrap_or_default().to_vec(),
                host: host.to_vec(),
                port,
            },
            n_redirects,
            redirect_end: redirect_end.unwrap_or_default().to_vec(),
            fetch_status: status.and_then(|status| u16::try_from(status).ok()),
            is_revisit,
            content_class: content_class.to_vec(),
        }
    }

    /// Returns the effect of the HTTP status in a dialect. A capture from a resource record has a body but no status,
    /// and counts as status 200.
    pub fn effect(&self, dialect: Dialect) -> StatusEffect {
        let is_parsed = !self.content_class.is_empty();
        let is_cut = self.fetch_status.is_none() && !is_parsed && !self.wildcard.is_known();
        if self.is_revisit || is_cut {
            return StatusEffect::Defer;
        }
        let status = HttpStatus {
            code: self.fetch_status.or(is_parsed.then_some(200)),
            has_location: !self.redirect_end.is_empty(),
        };
        match status.effect(dialect) {
            // No body is stored, so that there is nothing to parse.
            StatusEffect::Parse if !is_parsed => StatusEffect::Defer,
            effect => effect,
        }
    }
}
