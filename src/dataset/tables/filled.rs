//! Fills columns that are null in files because other columns give their values.
//!
//! Views compute them in SQL, as the expressions beside the columns state. Here they are computed
//! for rows that are handed over without files. If you change one, change the other:
//! `jobs/test_streams.py` compares them.

use super::Table;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, BooleanArray, Int32Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use std::sync::Arc;

/// Fills the columns that are null in files because other columns give their values. `rows` have
/// the stored columns of the table.
///
/// # Errors
///
/// Returns an error if the texts of a column exceed 2 GiB.
pub fn fill_null_columns(table: Table, rows: RecordBatch) -> Result<RecordBatch, ArrowError> {
    let columns: &[(&str, ComputeColumn)] = match table {
        Table::RobotsFiles => &[
            ("url_host_registry_suffix", registry_suffix),
            ("url_host_private_domain", private_domain),
        ],
        Table::Groups => &[
            ("key_raw", agent_key_raw),
            ("agent_raw", agent_raw),
            ("token_valid", token_valid),
        ],
        Table::Rules => &[
            ("path_raw", path_raw),
            ("path_bytes", path_bytes),
            ("key_raw", rule_key_raw),
        ],
        Table::Directives => &[("directive_raw", directive_raw)],
        Table::Sitemaps => &[
            ("sitemap_raw", sitemap_raw),
            ("sitemap_registered_domain", sitemap_registered_domain),
        ],
        _ => return Ok(rows),
    };
    let schema = rows.schema();
    let mut arrays = rows.columns().to_vec();
    for (name, compute) in columns {
        arrays[schema.index_of(name)?] = compute(&FileRows(&rows));
    }
    RecordBatch::try_new(schema, arrays)
}

/// Computes a column from stored columns.
type ComputeColumn = fn(&FileRows<'_>) -> ArrayRef;

/// Rows as they are in files, with the stored columns of a table.
struct FileRows<'a>(&'a RecordBatch);

impl<'a> FileRows<'a> {
    fn column(&self, name: &str) -> &'a ArrayRef {
        let column = self.0.column_by_name(name);
        column.expect("rows have the columns of their table")
    }

    fn texts(&self, name: &str) -> &'a StringArray {
        self.column(name).as_string()
    }

    /// Returns the texts of a column, and for nulls what `other` returns for the row.
    fn coalesce<'t>(
        &self,
        name: &str,
        other: impl Fn(usize) -> Option<&'t str>,
    ) -> impl Iterator<Item = Option<&'t str>>
    where
        'a: 't,
    {
        let stored = self.texts(name).iter().enumerate();
        stored.map(move |(row, text)| text.or_else(|| other(row)))
    }

    /// Returns the texts of a column, and for nulls those of the column `other`.
    fn coalesce_columns(&self, name: &str, other: &str) -> ArrayRef {
        let other = self.texts(other);
        text_array(self.coalesce(name, |row| text_at(other, row)))
    }
}

fn text_array<'t>(texts: impl Iterator<Item = Option<&'t str>>) -> ArrayRef {
    Arc::new(texts.collect::<StringArray>())
}

fn text_at(texts: &StringArray, row: usize) -> Option<&str> {
    texts.is_valid(row).then(|| texts.value(row))
}

fn agent_key_raw(rows: &FileRows<'_>) -> ArrayRef {
    text_array(rows.coalesce("key_raw", |_| Some("User-agent")))
}

fn agent_raw(rows: &FileRows<'_>) -> ArrayRef {
    rows.coalesce_columns("agent_raw", "agent")
}

fn token_valid(rows: &FileRows<'_>) -> ArrayRef {
    let stored = rows.column("token_valid").as_boolean();
    let agent = rows.texts("agent");
    let agents = rows.coalesce("agent_raw", |row| text_at(agent, row));
    let valid = stored.iter().zip(agents).map(|(stored, agent)| {
        stored.or_else(|| agent.map(|agent| robots::is_product_token(agent.as_bytes())))
    });
    Arc::new(valid.collect::<BooleanArray>())
}

fn path_raw(rows: &FileRows<'_>) -> ArrayRef {
    rows.coalesce_columns("path_raw", "path")
}

fn path_bytes(rows: &FileRows<'_>) -> ArrayRef {
    let stored = rows.column("path_bytes").as_primitive::<Int32Type>().iter();
    let bytes = stored.zip(rows.texts("path")).map(|(stored, path)| {
        stored.or_else(|| path.map(|path| super::saturating_i32(path.len() as u32)))
    });
    Arc::new(bytes.collect::<Int32Array>())
}

fn rule_key_raw(rows: &FileRows<'_>) -> ArrayRef {
    let allow = rows.column("allow").as_boolean();
    text_array(rows.coalesce("key_raw", |row| {
        Some(if allow.value(row) {
            "Allow"
        } else {
            "Disallow"
        })
    }))
}

fn directive_raw(rows: &FileRows<'_>) -> ArrayRef {
    rows.coalesce_columns("directive_raw", "directive")
}

fn sitemap_raw(rows: &FileRows<'_>) -> ArrayRef {
    rows.coalesce_columns("sitemap_raw", "sitemap_url")
}

fn sitemap_registered_domain(rows: &FileRows<'_>) -> ArrayRef {
    let urls = rows.texts("sitemap_url");
    let domain = |row| {
        let host = url_host(text_at(urls, row)?);
        Some(host.strip_prefix("www.").unwrap_or(host))
    };
    let domains = rows.coalesce("sitemap_registered_domain", domain);
    text_array(domains.map(|domain| domain.filter(|domain| !domain.is_empty())))
}

/// Returns the host of a URL in normal form, without a final dot; empty if it has none.
fn url_host(url: &str) -> &str {
    let Some((_, rest)) = url.split_once("://") else {
        return "";
    };
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.find(']') {
        Some(end) if host.starts_with('[') => &host[..=end],
        _ => host.split(':').next().unwrap_or_default(),
    };
    host.strip_suffix('.').unwrap_or(host)
}

fn registry_suffix(rows: &FileRows<'_>) -> ArrayRef {
    let domains = rows.texts("url_host_registered_domain");
    let suffix = |row| Some(text_at(domains, row)?.split_once('.')?.1);
    text_array(rows.coalesce("url_host_registry_suffix", suffix))
}

fn private_domain(rows: &FileRows<'_>) -> ArrayRef {
    let domains = rows.texts("url_host_registered_domain");
    let private = rows.coalesce("url_host_private_domain", |row| text_at(domains, row));
    text_array(private.map(|domain| domain.filter(|domain| !domain.is_empty())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::rows_from_body;
    use robots::ParseOptions;

    #[test]
    fn columns_that_are_null_in_files_are_filled() {
        let body = b"User-agent: Bot/1.0\nDisallow: /a\nALLOW: /%e3\nHost: x\n\
            Sitemap: http://www.a.com./s.xml\n";
        let column = |table, name: &str| {
            let rows = rows_from_body(body, ParseOptions::default(), table).unwrap();
            let column = rows.column_by_name(name).unwrap();
            column
                .as_string::<i32>()
                .iter()
                .map(|text| text.unwrap_or("null").to_owned())
                .collect()
        };
        let column = |table, name| -> Vec<String> { column(table, name) };
        assert_eq!(column(Table::Groups, "key_raw"), ["User-agent"]);
        assert_eq!(column(Table::Groups, "agent_raw"), ["Bot/1.0"]);
        assert_eq!(column(Table::Rules, "key_raw"), ["Disallow", "ALLOW"]);
        assert_eq!(column(Table::Rules, "path_raw"), ["/a", "/%e3"]);
        assert_eq!(column(Table::Directives, "directive_raw"), ["Host"]);
        assert_eq!(
            column(Table::Sitemaps, "sitemap_registered_domain"),
            ["a.com"]
        );
    }

    #[test]
    fn the_host_of_a_url_has_no_user_port_or_final_dot() {
        for (url, host) in [
            ("https://a.com/x", "a.com"),
            ("https://u:p@a.com.:8080?x", "a.com"),
            ("https://[::1]:80/", "[::1]"),
            ("mailto:a@b", ""),
        ] {
            assert_eq!(url_host(url), host, "{url}");
        }
    }
}
