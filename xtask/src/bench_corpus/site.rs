//! The hosts of the corpus `crawl`.

/// A host that is captured.
#[derive(Clone)]
pub(super) struct Site {
    pub(super) is_https: bool,
    /// The host without `www.`.
    pub(super) name: String,
    pub(super) has_www: bool,
    pub(super) ip: String,
    pub(super) server: &'static str,
    pub(super) is_behind_cloudflare: bool,
}

impl Site {
    pub(super) fn host(&self) -> String {
        let www = if self.has_www { "www." } else { "" };
        format!("{www}{}", self.name)
    }

    pub(super) fn origin(&self) -> String {
        let scheme = if self.is_https { "https" } else { "http" };
        format!("{scheme}://{}", self.host())
    }
}
