//! The decision for a URL and a crawler, and how decisions are stored in sort records.

use hosts::CaptureId;
use robots::{Access, Basis, Preference, UrlPreference};
use sort::sort_key::{FieldReader, put_bytes, put_u8, put_u32, put_u64};

/// The access of a crawler to a URL: the column `access`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UrlAccess {
    Allowed,
    Disallowed,
    Unknown,
}

/// The reason for a decision: the column `basis`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DecisionBasis {
    Explicit,
    Wildcard,
    NoGroup,
    NoRules,
    Empty,
    Html,
    Binary,
    HttpStatus,
    NoCapture,
    BadUrl,
    BadTime,
    /// Only over histories: the capture has another origin than the URL.
    OtherOrigin,
}

/// The decision for one URL and one crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decision {
    pub(super) access: UrlAccess,
    pub(super) basis: DecisionBasis,
    pub(super) line_no: Option<u32>,
    /// The preference in the chosen category; `None` if none was chosen, or if the access is unknown.
    pub(super) preference: Option<UrlPreference>,
}

/// The preferences, by their codes in sort records. `None` means that the URL may not be fetched, so that
/// no preference is stated.
const PREFERENCES: [Option<Preference>; 4] = [
    None,
    Some(Preference::Unknown),
    Some(Preference::Allowed),
    Some(Preference::Disallowed),
];

impl UrlAccess {
    pub(super) const ALL: [Self; 3] = [Self::Allowed, Self::Disallowed, Self::Unknown];

    pub(super) fn new(access: Access) -> Self {
        match access.is_allowed {
            true => Self::Allowed,
            false => Self::Disallowed,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Disallowed => "disallowed",
            Self::Unknown => "unknown",
        }
    }
}

impl DecisionBasis {
    pub(super) const ALL: [Self; 12] = [
        Self::Explicit,
        Self::Wildcard,
        Self::NoGroup,
        Self::NoRules,
        Self::Empty,
        Self::Html,
        Self::Binary,
        Self::HttpStatus,
        Self::NoCapture,
        Self::BadUrl,
        Self::BadTime,
        Self::OtherOrigin,
    ];

    pub(super) fn new(basis: Basis) -> Self {
        match basis {
            Basis::Explicit | Basis::TooComplex => Self::Explicit,
            Basis::Wildcard => Self::Wildcard,
            Basis::NoGroup => Self::NoGroup,
            Basis::NoRules => Self::NoRules,
            Basis::Empty => Self::Empty,
            Basis::Html => Self::Html,
            Basis::Binary => Self::Binary,
            Basis::HttpStatus => Self::HttpStatus,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Explicit => Basis::Explicit.name(),
            Self::Wildcard => Basis::Wildcard.name(),
            Self::NoGroup => Basis::NoGroup.name(),
            Self::NoRules => Basis::NoRules.name(),
            Self::Empty => Basis::Empty.name(),
            Self::Html => Basis::Html.name(),
            Self::Binary => Basis::Binary.name(),
            Self::HttpStatus => Basis::HttpStatus.name(),
            Self::NoCapture => "no_capture",
            Self::BadUrl => "bad_url",
            Self::BadTime => "bad_time",
            Self::OtherOrigin => "other_origin",
        }
    }
}

impl Decision {
    /// Creates a decision that is not based on a rule.
    pub(super) fn new_without_rule(access: UrlAccess, basis: DecisionBasis) -> Self {
        Self {
            access,
            basis,
            line_no: None,
            preference: None,
        }
    }

    /// Creates a decision that is based on the HTTP status. The preference is unknown if the URL may be
    /// fetched. `has_category` is true if preferences are decided.
    pub(super) fn new_by_status(access: UrlAccess, has_category: bool) -> Self {
        let preference = match access {
            UrlAccess::Allowed => Some(Some(Preference::Unknown)),
            UrlAccess::Disallowed => Some(None),
            UrlAccess::Unknown => None,
        };
        let preference = preference.filter(|_| has_category);
        Self {
            preference: preference.map(|preference| UrlPreference {
                preference,
                line_no: None,
            }),
            ..Self::new_without_rule(access, DecisionBasis::HttpStatus)
        }
    }

    pub(super) fn write(&self, record: &mut Vec<u8>) {
        put_u8(record, self.access as u8);
        put_u8(record, self.basis as u8);
        // Lines are counted from 1, so 0 means `None`.
        put_u32(record, self.line_no.unwrap_or(0));
        put_u8(record, self.preference.is_some().into());
        if let Some(UrlPreference {
            preference,
            line_no,
        }) = self.preference
        {
            let code = PREFERENCES.iter().position(|known| *known == preference);
            put_u8(record, code.unwrap_or_default() as u8);
            put_u32(record, line_no.unwrap_or(0));
        }
    }

    pub(super) fn read(fields: &mut FieldReader<'_>) -> Self {
        let access = UrlAccess::ALL[usize::from(fields.u8())];
        let basis = DecisionBasis::ALL[usize::from(fields.u8())];
        let read_line_no =
            |fields: &mut FieldReader<'_>| Some(fields.u32()).filter(|line_no| *line_no > 0);
        let line_no = read_line_no(fields);
        let preference = (fields.u8() != 0).then(|| UrlPreference {
            preference: PREFERENCES[usize::from(fields.u8())],
            line_no: read_line_no(fields),
        });
        Self {
            access,
            basis,
            line_no,
            preference,
        }
    }
}

/// The decisions for one row of the list: one per crawler, in the order of the crawlers. Sort records of
/// this type sort by row.
#[derive(Debug)]
pub(super) struct RowDecisions<'a> {
    pub(super) url: &'a [u8],
    /// The capture that the decisions are based on.
    pub(super) capture: Option<CaptureId>,
    decisions: FieldReader<'a>,
}

impl<'a> RowDecisions<'a> {
    /// Writes the sort record of the row with this index in the list.
    pub(super) fn write(
        record: &mut Vec<u8>,
        index: u64,
        url: &[u8],
        capture: Option<CaptureId>,
        decisions: impl Iterator<Item = Decision>,
    ) {
        record.clear();
        put_u64(record, index);
        put_bytes(record, url);
        put_u8(record, capture.is_some().into());
        if let Some(capture) = capture {
            capture.write(record);
        }
        decisions.for_each(|decision| decision.write(record));
    }

    pub(super) fn read(record: &'a [u8]) -> Self {
        let mut fields = FieldReader::new(record);
        fields.u64();
        let url = fields.bytes();
        let has_capture = fields.u8() != 0;
        let capture = has_capture.then(|| CaptureId::read(&mut fields));
        Self {
            url,
            capture,
            decisions: fields,
        }
    }

    /// Reads the decision for the next crawler.
    ///
    /// # Panics
    ///
    /// If there is no further crawler.
    pub(super) fn next_decision(&mut self) -> Decision {
        Decision::read(&mut self.decisions)
    }
}
