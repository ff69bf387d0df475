//! The three readings of the protocol.

pub(crate) mod audience;
pub(crate) mod koster1996;
pub(crate) mod rfc9309;

/// A reading of robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// What Google's parser does.
    Google,
    /// The internet draft that became RFC 9309.
    Rfc9309,
    /// Koster's draft 1 of November 1996.
    Koster1996,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Self; 3] = [Self::Google, Self::Rfc9309, Self::Koster1996];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Google => "google",
            Self::Rfc9309 => "rfc9309",
            Self::Koster1996 => "koster1996",
        }
    }
}
