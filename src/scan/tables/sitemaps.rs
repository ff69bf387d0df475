//! The table `sitemaps`.

use super::{column::table, int};
use crate::analysis::CaptureAnalysis;
use crate::escaped_text::escape_body;

table! { "One row per sitemap line." {
    robots_id: Long, "The capture.";
    surt_host_name: Text null, "The host of the capture, as in `robots_files`.";
    line_no: Int, "The line number, from 1.";
    sitemap_raw: PlainText, "The value as written, up to a `#`.";
    sitemap_url: PlainText null, "The absolute URL in normal form, resolved against the URL of the robots.txt file; null if it cannot be resolved.";
    sitemap_host_name: Text null, "The host of the sitemap, in punycode.";
    sitemap_registered_domain: Text null, "The registered domain of the sitemap, as in `robots_files`.";
    is_absolute: Bool, "True if the URL is written as an absolute URL, as sitemaps.org requires.";
    is_valid_url: Bool, "True if `sitemap_url` is not null.";
    same_host: Bool null, "True if the sitemap is on the host of the robots.txt file; null if either host is unknown.";
    same_registered_domain: Bool null, "True if the sitemap is on the registered domain of the robots.txt file, or on its host if that has no registered domain.";
}}

impl Builder {
    /// Adds the rows of a capture.
    pub(crate) fn push(&mut self, analysis: &CaptureAnalysis<'_>) {
        let is_utf8 = analysis.is_valid_utf8();
        for sitemap in &analysis.sitemaps {
            self.robots_id.append_value(analysis.robots_id);
            let host = analysis.surt_host_name();
            self.surt_host_name
                .append_option(host.map(|host| self.texts.intern(host)));
            self.line_no.append_value(int(sitemap.line.line_no));
            self.sitemap_raw
                .append_value(escape_body(analysis.text(sitemap.line.value_raw), is_utf8));
            self.sitemap_url.append_option(sitemap.url.as_ref());
            self.sitemap_host_name.append_option(
                sitemap
                    .host
                    .as_ref()
                    .map(|host| self.texts.intern(&host.name)),
            );
            self.sitemap_registered_domain.append_option(
                sitemap
                    .host
                    .as_ref()
                    .and_then(|host| host.registered_domain.as_ref())
                    .map(|domain| self.texts.intern(domain)),
            );
            self.is_absolute.append_value(sitemap.is_absolute);
            self.is_valid_url.append_value(sitemap.url.is_some());
            self.same_host.append_option(sitemap.same_host);
            self.same_registered_domain
                .append_option(sitemap.same_registered_domain);
            self.end_rows(1);
        }
    }
}
