//! A verdict with its basis, as a number.

use sort::sort_key::put_bytes;

/// The verdicts, in the order of their numbers in a class.
const VERDICTS: [&str; 4] = ["disallow_all", "partial", "allow_all", "unknown"];

/// The bases, in the order of their numbers in a class.
const BASES: [&str; 9] = [
    "explicit",
    "wildcard",
    "no_group",
    "no_rules",
    "empty",
    "html",
    "binary",
    "http_status",
    "too_complex",
];

/// The number of classes.
pub const CLASS_COUNT: usize = VERDICTS.len() * BASES.len();

/// A pair of a verdict and a basis, numbered from 0 in the order of [`VERDICTS`], then of [`BASES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct VerdictClass(u8);

impl VerdictClass {
    /// `unknown`, `too_complex`: the class for every crawler but `*` if the verdicts of named crawlers are not
    /// stored.
    pub const UNKNOWN_NAMES: Self = Self::new(3, 8);

    /// `allow_all`, `no_group`: the class for a crawler that is not named and ignores `*`.
    pub const ALLOWED_WITHOUT_GROUP: Self = Self::new(2, 2);

    const fn new(verdict: u8, basis: u8) -> Self {
        Self(verdict * BASES.len() as u8 + basis)
    }

    /// Returns the class with these names. An unknown verdict counts as `unknown`, and an unknown basis as
    /// `too_complex`; no release writes such names.
    pub fn from_names(verdict: &[u8], basis: &[u8]) -> Self {
        let find = |names: &[&str], name: &[u8]| {
            let found = names.iter().position(|known| known.as_bytes() == name);
            found.unwrap_or(names.len() - 1) as u8
        };
        Self::new(find(&VERDICTS, verdict), find(&BASES, basis))
    }

    /// Returns the class with this number; the last class if there is no such number.
    pub fn from_number(number: u8) -> Self {
        Self(number.min(CLASS_COUNT as u8 - 1))
    }

    /// Returns the number of the class in records.
    pub fn number(self) -> u8 {
        self.0
    }

    fn verdict(self) -> usize {
        usize::from(self.0) / BASES.len()
    }

    fn basis(self) -> usize {
        usize::from(self.0) % BASES.len()
    }

    /// Returns true if the verdict is another one than `unknown`.
    pub fn is_known(self) -> bool {
        VERDICTS[self.verdict()] != "unknown"
    }

    /// Returns true if the verdict is that of a group that names the crawler, also if the rules of the group are too
    /// complex.
    pub fn is_of_group(self) -> bool {
        matches!(BASES[self.basis()], "explicit" | "too_complex")
    }

    /// Returns true if the verdict follows from the HTTP status.
    pub fn is_by_status(self) -> bool {
        BASES[self.basis()] == "http_status"
    }

    /// Appends the names of the verdict and of the basis.
    pub fn put_names(self, out: &mut Vec<u8>) {
        put_bytes(out, VERDICTS[self.verdict()].as_bytes());
        put_bytes(out, BASES[self.basis()].as_bytes());
    }
}
