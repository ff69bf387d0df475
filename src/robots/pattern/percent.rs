//! Paths and patterns as sequences of symbols, for the dialects that compare
//! normal forms.
//!
//! A symbol is an octet, or an octet that is percent-encoded in the normal
//! form ([`encoded`]); the two are different symbols.

/// A step of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatternStep {
    /// One of two symbols, which may be the same.
    One(u16, u16),
    /// Any run of symbols.
    Run,
    /// The end of the path.
    End,
}

/// The symbol of an octet that stays percent-encoded.
pub(crate) fn encoded(octet: u8) -> u16 {
    256 + u16::from(octet)
}

/// An octet of a text: as it stands, or written `%xx`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathOctet {
    /// As it stands.
    Bare(u8),
    /// As `%xx`.
    Escaped(u8),
}

/// The octets of a text; a `%` without two hex digits is bare.
pub(crate) fn octets(text: &[u8]) -> impl Iterator<Item = PathOctet> + '_ {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (octet, len) = first_octet(rest)?;
        rest = &rest[len..];
        Some(octet)
    })
}

/// The first octet of a text, and the bytes that it takes there.
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

/// Whether steps match a path from its start.
///
/// The last run is the only one that may have to grow, so this takes at most
/// steps times path.
pub(crate) fn matches(steps: &[PatternStep], path: &[u16]) -> bool {
    let (mut step, mut at) = (0, 0);
    let mut last_run: Option<(usize, usize)> = None;
    loop {
        match steps.get(step) {
            None => return true,
            Some(PatternStep::Run) => {
                step += 1;
                last_run = Some((step, at));
                continue;
            }
            Some(PatternStep::End) if at == path.len() => return true,
            Some(PatternStep::One(a, b))
                if path
                    .get(at)
                    .is_some_and(|symbol| symbol == a || symbol == b) =>
            {
                step += 1;
                at += 1;
                continue;
            }
            Some(_) => {}
        }
        match last_run {
            Some((after, from)) if from < path.len() => {
                last_run = Some((after, from + 1));
                (step, at) = (after, from + 1);
            }
            _ => return false,
        }
    }
}
