//! Percent-encoding, for the dialects that compare normal forms.
//!
//! A path or pattern is a sequence of symbols. A symbol below 256 is an octet as such; a symbol
//! from 256 on is an octet that stays percent-encoded in the normal form ([`encoded_symbol`]).

/// A step of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatternStep {
    /// A symbol of the path that equals one of these two symbols, which may be the same.
    Symbol(u16, u16),
    /// Any number of symbols.
    Wildcard,
    /// The end of the path.
    End,
}

/// Returns the symbol of an octet that stays percent-encoded.
pub(crate) fn encoded_symbol(octet: u8) -> u16 {
    256 + u16::from(octet)
}

/// An octet of a text, written as itself or as `%xx`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathOctet {
    /// Written as itself.
    Bare(u8),
    /// Written as `%xx`.
    Escaped(u8),
}

/// Returns the octets of a text. A `%` without two hex digits is bare.
pub(crate) fn parse_octets(text: &[u8]) -> impl Iterator<Item = PathOctet> + '_ {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (octet, len) = parse_first_octet(rest)?;
        rest = &rest[len..];
        Some(octet)
    })
}

/// Returns the first octet of a text, and the number of bytes in which it is written: 1 or 3.
pub(crate) fn parse_first_octet(text: &[u8]) -> Option<(PathOctet, usize)> {
    if let [b'%', high, low, ..] = text
        && let (Some(high), Some(low)) = (parse_hex_digit(*high), parse_hex_digit(*low))
    {
        return Some((PathOctet::Escaped(high << 4 | low), 3));
    }
    text.first().map(|&octet| (PathOctet::Bare(octet), 1))
}

fn parse_hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

/// Returns true if the steps of a pattern match a path.
///
/// After a mismatch, only the last wildcard has to be tried with a longer match, so the cost is at
/// most the number of steps times the number of symbols.
pub(crate) fn matches_symbols(steps: &[PatternStep], path: &[u16]) -> bool {
    let (mut step, mut position) = (0, 0);
    let mut last_wildcard: Option<(usize, usize)> = None;
    loop {
        match steps.get(step) {
            None => return true,
            Some(PatternStep::Wildcard) => {
                step += 1;
                last_wildcard = Some((step, position));
                continue;
            }
            Some(PatternStep::End) if position == path.len() => return true,
            Some(PatternStep::Symbol(a, b))
                if path
                    .get(position)
                    .is_some_and(|symbol| symbol == a || symbol == b) =>
            {
                step += 1;
                position += 1;
                continue;
            }
            Some(_) => {}
        }
        match last_wildcard {
            Some((after, start)) if start < path.len() => {
                last_wildcard = Some((after, start + 1));
                (step, position) = (after, start + 1);
            }
            _ => return false,
        }
    }
}
