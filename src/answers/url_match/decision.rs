//! The decision for a URL and a crawler, and how decisions are stored in sort records.

use errors::Error;
use robots::{Access, Basis, Preference, UrlPreference};
use sort::{Field, GroupKey, Reader, Record, Rest, codes, record, written_as};

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
    /// The basis of the verdict for the crawler.
    Verdict(Basis),
    NoCapture,
    BadUrl,
    BadTime,
    /// Only over histories: the capture has another origin than the URL.
    OtherOrigin,
}

record! {
    /// The decision for one URL and one crawler.
    pub(super) struct Decision {
        pub(super) access: UrlAccess,
        pub(super) basis: DecisionBasis,
        pub(super) line_no: Option<u32>,
        /// The preference in the chosen category; `None` if none was chosen, or if the access is unknown.
        pub(super) preference: Option<DecidedPreference>,
    }
}

/// The preference that is decided for a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DecidedPreference(pub(super) UrlPreference);

written_as! { DecidedPreference as (u8, Option<u32>): DecidedPreference::code, DecidedPreference::from_code }

/// The preferences, by their codes in sort records. `None` means that the URL may not be fetched, so that
/// no preference is stated.
const PREFERENCES: [Option<Preference>; 4] = [
    None,
    Some(Preference::Unknown),
    Some(Preference::Allowed),
    Some(Preference::Disallowed),
];

codes! { UrlAccess: Allowed, Disallowed, Unknown }

written_as! { DecisionBasis as u8: DecisionBasis::code, DecisionBasis::from_code }

impl DecidedPreference {
    fn code(self) -> (u8, Option<u32>) {
        let mut known = PREFERENCES.iter();
        let code = known.position(|known| *known == self.0.preference);
        (code.unwrap_or_default() as u8, self.0.line_no)
    }

    fn from_code((code, line_no): (u8, Option<u32>)) -> Self {
        let preference = PREFERENCES[usize::from(code)];
        Self(UrlPreference {
            preference,
            line_no,
        })
    }
}

impl UrlAccess {
    pub(super) const ALL: [Self; 3] = [Self::Allowed, Self::Disallowed, Self::Unknown];

    pub(super) fn new(access: Access) -> Self {
        if access.is_allowed {
            Self::Allowed
        } else {
            Self::Disallowed
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

/// The bases of URLs that no capture decides. Their codes follow those of verdicts.
const OTHER_BASES: [DecisionBasis; 4] = [
    DecisionBasis::NoCapture,
    DecisionBasis::BadUrl,
    DecisionBasis::BadTime,
    DecisionBasis::OtherOrigin,
];

impl DecisionBasis {
    /// The number of codes.
    pub(super) const CODE_COUNT: usize = Basis::ALL.len() + OTHER_BASES.len();

    /// Returns a number that is less than [`CODE_COUNT`](Self::CODE_COUNT).
    pub(super) fn code(self) -> u8 {
        let place = match self {
            Self::Verdict(basis) => return basis as u8,
            Self::NoCapture => 0,
            Self::BadUrl => 1,
            Self::BadTime => 2,
            Self::OtherOrigin => 3,
        };
        Basis::ALL.len() as u8 + place
    }

    pub(super) fn from_code(code: u8) -> Self {
        let code = usize::from(code);
        match Basis::ALL.get(code) {
            Some(basis) => Self::Verdict(*basis),
            None => OTHER_BASES[code - Basis::ALL.len()],
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            // The verdict of a file may be unknown, but a single URL is decided by its groups.
            Self::Verdict(Basis::TooComplex) => Basis::Explicit.name(),
            Self::Verdict(basis) => basis.name(),
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
            preference: preference.map(|preference| {
                DecidedPreference(UrlPreference {
                    preference,
                    line_no: None,
                })
            }),
            ..Self::new_without_rule(access, DecisionBasis::Verdict(Basis::HttpStatus))
        }
    }
}

record! {
    /// A URL of the list, and what is written about the captures by which it is decided.
    pub(super) struct PlannedUrl<'a> {
        pub(super) url: &'a [u8],
        /// The reason why no capture decides it.
        pub(super) basis: Option<DecisionBasis>,
        pub(super) plan: &'a [u8],
    }
}

record! {
    /// The decisions for a URL by one ruling.
    pub(super) struct RulingDecisions<'a> {
        /// The number of the ruling among those that decide the URL. Captures that decide alike share one.
        pub(super) ruling_no: u32,
        /// The URL, in one record of each row of the list.
        pub(super) planned: Option<PlannedUrl<'a>>,
        /// One [`Decision`] per crawler, in the order of the crawlers.
        pub(super) decisions: Rest<'a>,
    }
}

/// Decisions for the row of the list with this index.
pub(super) type SortedDecision = (u64, RulingDecisions<'static>);

/// Replaces `out` with the decisions for the crawlers.
pub(super) fn write_decisions(decisions: impl Iterator<Item = Decision>, out: &mut Vec<u8>) {
    out.clear();
    decisions.for_each(|decision| decision.write(out));
}

/// A row of the list with all of its decisions.
#[derive(Default)]
pub(super) struct DecidedRow {
    pub(super) url: Vec<u8>,
    basis: Option<DecisionBasis>,
    plan: Vec<u8>,
    /// The numbers of the rulings that decide the row. Captures that decide alike share one.
    ruling_nos: Vec<u32>,
    /// The decisions of each of these rulings, one after the other: one per crawler, in the order of the crawlers.
    decisions: Vec<Decision>,
}

impl DecidedRow {
    /// Replaces the row with the next one. Returns false at the end.
    ///
    /// # Errors
    ///
    /// Those of reading.
    pub(super) fn read_next(
        &mut self,
        reader: &mut Reader<'_, SortedDecision>,
        row: &mut GroupKey<u64>,
    ) -> Result<bool, Error> {
        if !reader.next_group(row)? {
            return Ok(false);
        }
        self.ruling_nos.clear();
        self.decisions.clear();
        while let Some(decided) = reader.next_of(row)? {
            if let Some(planned) = decided.planned {
                self.url.clear();
                self.url.extend_from_slice(planned.url);
                self.plan.clear();
                self.plan.extend_from_slice(planned.plan);
                self.basis = planned.basis;
            }
            if !decided.decisions.0.is_empty() {
                self.ruling_nos.push(decided.ruling_no);
                self.decisions
                    .extend(decided.decisions.values::<Decision>());
            }
        }
        Ok(true)
    }

    /// Returns what is written about the captures; `None` for a malformed row.
    pub(super) fn plan<P: Record>(&self) -> Option<P::Of<'_>> {
        (!self.plan.is_empty()).then(|| sort::read::<P>(&self.plan))
    }

    /// Returns the decision that no capture makes; `None` if a capture decides the row.
    pub(super) fn undecided(&self) -> Option<Decision> {
        let unknown = |basis| Decision::new_without_rule(UrlAccess::Unknown, basis);
        self.basis.map(unknown)
    }

    /// Returns the decision for a crawler by the capture with this number.
    pub(super) fn decision(&self, ruling_no: u32, crawler: usize) -> Option<Decision> {
        let i = self
            .ruling_nos
            .iter()
            .position(|known| *known == ruling_no)?;
        let crawlers = self.decisions.len() / self.ruling_nos.len();
        self.decisions.get(i * crawlers + crawler).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_basis_has_a_code_of_its_own() {
        for code in 0..DecisionBasis::CODE_COUNT as u8 {
            assert_eq!(DecisionBasis::from_code(code).code(), code);
        }
    }
}
