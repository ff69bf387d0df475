//! Arguments that are probably mistaken for one another: a URL and the name of a crawler, a body and its URL.
//!
//! Any text could be a body, a name or a URL, so exchanged arguments would give a wrong answer instead of an error.

use crate::error;
use crate::text::Text;
use pyo3::prelude::*;

const ARGUMENT_ORDER_HINT: &str = "the name of the crawler comes first, then the URL";

/// Refuses a name of a crawler that is a URL or a path.
pub(crate) fn check_agent(agent: &str) -> PyResult<()> {
    match is_address(agent.as_bytes()) {
        false => Ok(()),
        true => {
            let text = format!("'{agent}' is a URL, not the name of a crawler");
            Err(error::usage_error(&text, Some(ARGUMENT_ORDER_HINT)))
        }
    }
}

/// Refuses a URL that is neither absolute nor a path.
pub(crate) fn check_url(url: &Text) -> PyResult<()> {
    if is_url(url.as_bytes()) {
        Ok(())
    } else {
        Err(not_a_url_error(&url.to_str()))
    }
}

/// Refuses the arguments of a row if they are exchanged. An unusual name or URL alone is not an error,
/// because columns contain such values.
pub(crate) fn check_row(agent: &[u8], url: &[u8]) -> PyResult<()> {
    if is_address(agent) && !is_url(url) {
        Err(not_a_url_error(&String::from_utf8_lossy(url)))
    } else {
        Ok(())
    }
}

/// Refuses a body that is a URL or a path, or resembles the name of a file or a host.
pub(crate) fn check_body(body: &str) -> PyResult<()> {
    let body = body.trim();
    if body.contains(['\n', '\r']) || !is_address(body.as_bytes()) && !is_file_name(body) {
        return Ok(());
    }
    let text = format!("'{body}' is a URL or a path, not the content of a robots.txt file");
    let hint = "read the file first; bytes are always content";
    Err(error::usage_error(&text, Some(hint)))
}

fn not_a_url_error(url: &str) -> PyErr {
    let text = format!("'{url}' is neither an absolute URL nor a path that begins with '/'");
    error::usage_error(&text, Some(ARGUMENT_ORDER_HINT))
}

/// Returns true if a text begins like a path, or like a URL with a host.
fn is_address(text: &[u8]) -> bool {
    let authority = find_scheme_end(text).is_some_and(|end| text[end..].starts_with(b"://"));
    text.starts_with(b"/") || authority
}

/// Returns true if a line resembles the name of a file or a host. A line with a colon, other than that after the letter
/// of a drive, is a directive. A line without a colon has no effect if it is the whole body.
fn is_file_name(line: &str) -> bool {
    let path = match line.as_bytes() {
        [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic() => &line[2..],
        _ => line,
    };
    let is_word = !path.contains([' ', '\t', '#', '<']) && path.contains(['.', '/', '\\']);
    let is_text_file = path.to_ascii_lowercase().ends_with(".txt");
    !path.contains(':') && (is_word || is_text_file)
}

/// Returns true if a text is empty, a path, or an absolute URL.
fn is_url(text: &[u8]) -> bool {
    text.is_empty() || text.starts_with(b"/") || find_scheme_end(text).is_some()
}

/// Returns the index of the colon after the scheme of an absolute URL (RFC 3986 §3.1); `None` for other texts.
fn find_scheme_end(text: &[u8]) -> Option<usize> {
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let end = text.iter().position(|byte| !is_scheme(byte))?;
    let is_absolute = text[end] == b':' && text[0].is_ascii_alphabetic();
    is_absolute.then_some(end)
}
