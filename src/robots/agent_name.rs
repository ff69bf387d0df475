//! Names of crawlers in user-agent lines.
//!
//! Google's parser and RFC 9309 compare *product tokens*. Google's parser cuts a name at the first
//! byte that a product token cannot contain, so that `MJ12bot` becomes `MJ`. A *whole name* keeps
//! such bytes. [`AgentVerdict::verdict`](crate::AgentVerdict::verdict) compares whole names.

/// Returns the product token that Google's parser reads from the value of a user-agent line: the
/// longest prefix of the bytes `A-Z a-z _ -` (google-semantics §6 in docs/developers/specifications.md).
///
/// A `*` alone or before a blank is the token `*`; `*foo` has an empty token. The result is a
/// slice of `value`; its case is not changed.
pub fn product_token(value: &[u8]) -> &[u8] {
    if is_wildcard(value) {
        return &value[..1];
    }
    let len = value
        .iter()
        .take_while(|&&byte| is_token_byte(byte))
        .count();
    &value[..len]
}

/// Returns true if `value` is a product token according to RFC 9309 §2.2.1: `*`, or letters, `_`
/// and `-` only.
pub fn is_product_token(value: &[u8]) -> bool {
    value == b"*" || (!value.is_empty() && value.iter().copied().all(is_token_byte))
}

/// Appends the whole name in the value of a user-agent line to `out`, in lower case.
///
/// The value is cut at the first of `/ , ; ( *` and trimmed, runs of blanks become one space, and a
/// last word of digits and dots after another word, which is a version, is dropped: `Brightbot 1.0`
/// is `brightbot`, but `008` is the name of a crawler. If the value is `*`, or begins with `*` and
/// a blank, the name is `*`. An empty name matches no crawler.
pub fn push_whole_name(value: &[u8], out: &mut Vec<u8>) {
    if is_wildcard(value) {
        out.push(b'*');
        return;
    }
    let len = value
        .iter()
        .position(|byte| b"/,;(*".contains(byte))
        .unwrap_or(value.len());
    let begin = out.len();
    let mut last_word_start = begin;
    for word in value[..len]
        .split(|&byte| is_blank(byte))
        .filter(|word| !word.is_empty())
    {
        if out.len() > begin {
            out.push(b' ');
        }
        last_word_start = out.len();
        out.extend(word.iter().map(u8::to_ascii_lowercase));
    }
    let is_version_byte = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    if last_word_start > begin && out[last_word_start..].iter().all(is_version_byte) {
        // The version, and the space before it.
        out.truncate(last_word_start - 1);
    }
}

/// Returns true if the value of a user-agent line is `*`, or begins with `*` and white space.
pub(crate) fn is_wildcard(value: &[u8]) -> bool {
    value.first() == Some(&b'*') && value.get(1).is_none_or(|&byte| is_blank(byte))
}

/// Returns true for the white space of the C locale, which Google's parser trims.
#[inline]
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r')
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'-'
}
