use super::column::Expression::{self, PerDialect, Same};
use super::record_rows::RowInput;
use crate::table;
use capture::analysis::{CaptureAnalysis, SitemapLine};
use escapes::escape_body;

table! { per_capture "One row per sitemap line."
row(analysis: &CaptureAnalysis<'_>, sitemap: &SitemapLine<'_>) {
    let raw = escape_body(analysis.text(sitemap.line.value_raw), analysis.is_valid_utf8());
    let is_equal = sitemap.url.as_deref() == Some(&*raw);
    let host = sitemap.host.as_deref();
} {
    robots_id: Long delta, "The capture." = analysis.robots_id;
    line_no: Int delta, "The line number, from 1." = sitemap.line.line_no;
    sitemap_raw: PlainText null, "In files null where it equals `sitemap_url`. The value as written, up to a `#`." = (!is_equal).then_some(raw) => Same("coalesce(sitemap_raw, sitemap_url)");
    sitemap_url: PlainText null, "The absolute URL in normal form, resolved against the URL of the robots.txt file; null if it cannot be resolved." = sitemap.url.as_deref();
    sitemap_registry_suffix: Text null, "The public suffix of the host of the sitemap, as in `robots_files`; empty if the list has no suffix for the host, and null without a host." = host.map(|host| host.registry_suffix().unwrap_or_default());
    is_absolute: Bool, "True if the URL is written as an absolute URL, as sitemaps.org requires." = sitemap.is_absolute;
    same_host: Bool null, "True if the sitemap is on the host of the robots.txt file; null if either host is unknown." = sitemap.same_host;
    same_registered_domain: Bool null, "True if the sitemap is on the registered domain of the robots.txt file, or on its host if that has no registered domain." = sitemap.same_registered_domain;
} derived {
    sitemap_host_name: Text null, "The host of the sitemap, in punycode." => HOST_NAME;
    sitemap_registered_domain: Text null, "The registered domain of the sitemap, as in `robots_files`." => REGISTERED_DOMAIN;
    is_valid_url: Bool, "True if `sitemap_url` is not null." => Same("sitemap_url IS NOT NULL");
}}

/// An SQL expression for the host in `sitemap_url`, without a final dot. The pattern allows for the
/// colons of an IPv6 address in brackets. In Spark, backslashes in a literal are doubled.
macro_rules! host_name {
    (duckdb) => {
        r"nullif(regexp_replace(regexp_extract(sitemap_url, '^[a-z]+://([^/?]*@)?(\[[0-9a-f:.]+\]|[^/:?\[]*)', 2), '[.]$', ''), '')"
    };
    (spark) => {
        r"nullif(regexp_replace(regexp_extract(sitemap_url, '^[a-z]+://([^/?]*@)?(\\[[0-9a-f:.]+\\]|[^/:?\\[]*)', 2), '[.]$', ''), '')"
    };
}

const HOST_NAME: Expression = PerDialect {
    duckdb: host_name!(duckdb),
    spark: host_name!(spark),
};

/// An SQL expression for the registered domain of the sitemap.
macro_rules! registered_domain {
    ($dialect:ident) => {
        concat!(
            "CASE WHEN sitemap_registry_suffix <> '' THEN nullif(regexp_extract(substr(",
            host_name!($dialect),
            ", 1, greatest(length(",
            host_name!($dialect),
            ") - length(sitemap_registry_suffix) - 1, 0)), '[^.]+$', 0), '') || '.' || sitemap_registry_suffix END"
        )
    };
}

const REGISTERED_DOMAIN: Expression = PerDialect {
    duckdb: registered_domain!(duckdb),
    spark: registered_domain!(spark),
};

impl Builder {
    pub(crate) fn push(&mut self, capture: &RowInput<'_>) {
        for sitemap in &capture.analysis.sitemaps {
            self.push_row(capture.analysis, sitemap);
        }
    }
}
