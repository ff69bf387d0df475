//! Percent-encoding, for the dialects that compare normal forms.
//!
//! A path or pattern is a sequence of symbols. A symbol is an octet, or an octet that stays
//! percent-encoded in the normal form ([`encoded`]). These are different symbols.

/// A step of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatternStep {
    /// One of two symbols, which may be equal.
    Symbol(u16, u16),
    /// Any number of symbols.
    Wildcard,
    /// The end of the path.
    End,
}

/// Returns the symbol of an octet that stays percent-encoded.
pub(crate) fn encoded(octet: u8) -> u16 {
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
pub(crate) fn octets(text: &[u8]) -> impl Iterator<Item = PathOctet> + '_ {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (octet, len) = first_octet(rest)?;
        rest = &rest[len..];
        Some(octet)
    })
}

/// Returns the first octet of a text, and the number of bytes that write it.
pub(crate) fn first_octet(text: &[u8]) -> Option<(PathOctet, usize)> {
    if let [b'%', high, low, ..] = text
        && let (Some(high), Some(low)) = (hex(*high), hex(*low))
    {
        return Some((PathOctet::Escaped(high << 4 | low), 3));
    }
    text.first().map(|&octet| (PathOctet::Bare(octet), 1))
}

fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

/// Returns true if the steps of a pattern match a path.
///
/// Only the last wildcard may have to match more, so the cost is at most the number of steps times
/// the number of symbols.
pub(crate) fn matches(steps: &[PatternStep], path: &[u16]) -> bool {
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
