//! The dialects: three readings of the robots exclusion protocol.

pub(crate) mod audience;
pub(crate) mod grouping;
pub(crate) mod koster1996;
pub(crate) mod rfc9309;

/// A reading of the robots exclusion protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// The behaviour of Google's parser.
    Google,
    /// The internet draft that became RFC 9309.
    Rfc9309,
    /// Koster's draft of November 1996.
    Koster1996,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Self; 3] = [Self::Google, Self::Rfc9309, Self::Koster1996];

    /// Returns the name that the tables and the command line use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Google => "google",
            Self::Rfc9309 => "rfc9309",
            Self::Koster1996 => "koster1996",
        }
    }
}
