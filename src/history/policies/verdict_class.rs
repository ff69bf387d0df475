//! A verdict with its basis, as a number.

use robots::{Basis, Verdict};
use sort::written_as;

/// The number of classes.
pub const CLASS_COUNT: usize = Verdict::ALL.len() * Basis::ALL.len();

/// A pair of a verdict and a basis, numbered from 0 in the order of [`Verdict::ALL`], then of [`Basis::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VerdictClass(u8);

written_as! { VerdictClass as u8: VerdictClass::number, VerdictClass::from_number }

impl VerdictClass {
    /// `unknown`, `too_complex`: the class for every crawler but `*` if the verdicts of named crawlers are not
    /// stored.
    pub const UNKNOWN_NAMES: Self = Self::new(Verdict::Unknown, Basis::TooComplex);

    /// `allow_all`, `no_group`: the class for a crawler that is not named and ignores `*`.
    pub const ALLOWED_WITHOUT_GROUP: Self = Self::new(Verdict::AllowAll, Basis::NoGroup);

    /// Returns the class of a verdict and a basis.
    pub const fn new(verdict: Verdict, basis: Basis) -> Self {
        Self(verdict as u8 * Basis::ALL.len() as u8 + basis as u8)
    }

    /// Returns all classes in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..CLASS_COUNT as u8).map(Self)
    }

    fn from_number(number: u8) -> Self {
        Self(number.min(CLASS_COUNT as u8 - 1))
    }

    fn number(self) -> u8 {
        self.0
    }

    /// Returns the place of the class among [`all`](Self::all).
    pub fn index(self) -> usize {
        self.0.into()
    }

    pub fn verdict(self) -> Verdict {
        Verdict::ALL[usize::from(self.0) / Basis::ALL.len()]
    }

    pub fn basis(self) -> Basis {
        Basis::ALL[usize::from(self.0) % Basis::ALL.len()]
    }

    /// Returns true if the verdict is another one than `unknown`.
    pub fn is_known(self) -> bool {
        self.verdict() != Verdict::Unknown
    }

    /// Returns true if the verdict is that of a group that names the crawler, also if the rules of the group are too
    /// complex.
    pub fn is_of_group(self) -> bool {
        matches!(self.basis(), Basis::Explicit | Basis::TooComplex)
    }

    /// Returns true if the verdict follows from the HTTP status.
    pub fn is_by_status(self) -> bool {
        self.basis() == Basis::HttpStatus
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_has_its_verdict_and_its_basis() {
        let pairs = Verdict::ALL
            .into_iter()
            .flat_map(|verdict| Basis::ALL.map(|basis| (verdict, basis)));
        for ((verdict, basis), class) in pairs.zip(VerdictClass::all()) {
            assert_eq!(VerdictClass::new(verdict, basis), class);
            assert_eq!((class.verdict(), class.basis()), (verdict, basis));
        }
        assert_eq!(VerdictClass::all().count(), CLASS_COUNT);
    }
}
