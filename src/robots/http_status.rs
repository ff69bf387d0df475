//! The effect of the HTTP status of a robots.txt response in each dialect.

use crate::dialect::Dialect;

/// The outcome of a fetch according to RFC 9309 §2.3.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchOutcome {
    /// 2xx: the body is the robots.txt (§2.3.1.1).
    Successful,
    /// 3xx (§2.3.1.2).
    Redirect,
    /// 4xx (§2.3.1.3).
    Unavailable,
    /// Everything else, including an unreadable status (§2.3.1.4).
    Unreachable,
}

/// The class of a fetch in Common Crawl's robots.txt statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchClass {
    /// 200.
    Success,
    /// 400, 404, 410.
    NotFound,
    /// 401.
    Unauthorized,
    /// 403.
    Forbidden,
    /// 429 and 5xx.
    DeferVisits,
    /// 3xx.
    Redirect,
    /// All others, including 204 and 206.
    Other,
}

/// The action of a crawler after the fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusEffect {
    /// Parses the body as robots.txt.
    Parse,
    /// Treats every path as allowed.
    AllowAll,
    /// Treats every path as disallowed.
    DisallowAll,
    /// Follows the redirect.
    Follow,
    /// Decides nothing until a later fetch.
    Defer,
}

/// The HTTP status of a robots.txt response, and whether the response has a redirect target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpStatus {
    /// The status code, or `None` if it is missing or unreadable.
    pub code: Option<u16>,
    /// True if the response has a `Location` header that can be followed.
    pub has_location: bool,
}

impl HttpStatus {
    /// Returns the outcome according to RFC 9309 §2.3.1.
    pub fn outcome(self) -> FetchOutcome {
        match self.code {
            Some(200..=299) => FetchOutcome::Successful,
            Some(300..=399) => FetchOutcome::Redirect,
            Some(400..=499) => FetchOutcome::Unavailable,
            _ => FetchOutcome::Unreachable,
        }
    }

    /// Returns the class to which Common Crawl's robots.txt statistics assign the status.
    pub fn fetch_class(self) -> FetchClass {
        match self.code {
            Some(200) => FetchClass::Success,
            Some(300..=399) => FetchClass::Redirect,
            Some(400 | 404 | 410) => FetchClass::NotFound,
            Some(401) => FetchClass::Unauthorized,
            Some(403) => FetchClass::Forbidden,
            Some(429 | 500..=599) => FetchClass::DeferVisits,
            _ => FetchClass::Other,
        }
    }

    /// Returns the action that a dialect prescribes for the status.
    pub fn effect(self, dialect: Dialect) -> StatusEffect {
        match dialect {
            Dialect::Google => self.effect_google(),
            Dialect::Rfc9309 => self.effect_rfc9309(),
            Dialect::Koster1996 => self.effect_koster1996(),
        }
    }

    /// Returns the effect according to Google's documentation, "HTTP results": 429 and an
    /// unreadable status are server errors, which disallow all paths. Every other 4xx means that
    /// there is no robots.txt, which allows all paths.
    pub fn effect_google(self) -> StatusEffect {
        match self.code {
            Some(429) => StatusEffect::DisallowAll,
            _ => self.effect_rfc9309(),
        }
    }

    /// Returns the effect according to RFC 9309 §2.3.1: every 4xx, including 429, allows all paths.
    /// Undefined codes mean "unreachable", which disallows all paths.
    pub fn effect_rfc9309(self) -> StatusEffect {
        match self.outcome() {
            FetchOutcome::Successful => StatusEffect::Parse,
            FetchOutcome::Redirect => self.follow_or_defer(),
            FetchOutcome::Unavailable => StatusEffect::AllowAll,
            FetchOutcome::Unreachable => StatusEffect::DisallowAll,
        }
    }

    /// Returns the effect according to Koster 1996 §3.1: 401 and 403 disallow all paths, 404 allows
    /// all paths, a redirect is followed, and everything else is a temporary failure.
    pub fn effect_koster1996(self) -> StatusEffect {
        match self.code {
            Some(200..=299) => StatusEffect::Parse,
            Some(300..=399) => self.follow_or_defer(),
            Some(401 | 403) => StatusEffect::DisallowAll,
            Some(404) => StatusEffect::AllowAll,
            _ => StatusEffect::Defer,
        }
    }

    /// Returns the effect of a 3xx status: [`StatusEffect::Follow`] if it is a redirect with a
    /// target, otherwise [`StatusEffect::Defer`]. A 304 is not a redirect.
    fn follow_or_defer(self) -> StatusEffect {
        if self.has_location && self.code != Some(304) {
            StatusEffect::Follow
        } else {
            StatusEffect::Defer
        }
    }
}

impl FetchOutcome {
    /// Returns the name that the tables store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Successful => "successful",
            Self::Redirect => "redirect",
            Self::Unavailable => "unavailable",
            Self::Unreachable => "unreachable",
        }
    }
}

impl FetchClass {
    /// Returns the name that the tables store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::NotFound => "notfound",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::DeferVisits => "defer_visits",
            Self::Redirect => "redirect",
            Self::Other => "other",
        }
    }
}

impl StatusEffect {
    /// Returns the name that the tables store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Parse => "parse",
            Self::AllowAll => "allow_all",
            Self::DisallowAll => "disallow_all",
            Self::Follow => "follow",
            Self::Defer => "defer",
        }
    }
}
