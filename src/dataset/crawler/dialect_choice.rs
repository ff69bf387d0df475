//! The choice of rules by which a robots.txt is evaluated for a crawler.

use robots::Dialect;

/// The rules to apply: the default rules of robots-scan, or one dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialectChoice {
    /// Google's rules, but product tokens are compared as a whole, and the
    /// fallbacks of the registry of crawlers apply.
    Default,
    /// One dialect, without fallbacks.
    Dialect(Dialect),
}

impl DialectChoice {
    /// Returns the name of the choice as it appears in input and output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Dialect(dialect) => dialect.name(),
        }
    }

    /// Returns the dialect that determines the effect of an HTTP status.
    pub fn dialect(self) -> Dialect {
        match self {
            Self::Default => Dialect::Google,
            Self::Dialect(dialect) => dialect,
        }
    }
}
