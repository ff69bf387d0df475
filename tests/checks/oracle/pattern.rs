//! Patterns and paths as lists of symbols, for each dialect.

/// A symbol: an octet of a path in the normal form of its dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symbol {
    /// The octet itself.
    Plain(u8),
    /// The octet, percent-encoded in the normal form.
    Coded(u8),
    /// Any symbol that occurs in no rule.
    Other,
}

use Symbol::{Coded, Plain};

/// A part of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// One of two symbols, which may be equal.
    One(Symbol, Symbol),
    /// Any number of symbols.
    Run,
}

/// A pattern, anchored at the beginning of the path.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub items: Vec<Item>,
    /// True if the path must end where the pattern ends.
    pub is_anchored: bool,
    /// Its length in octets, including special characters.
    pub priority: usize,
}

impl Pattern {
    /// Makes a pattern of an escaped text (google-semantics §7).
    pub fn google(text: &[u8]) -> Self {
        let inner = text.strip_suffix(b"$").unwrap_or(text);
        let item = |&byte: &u8| match byte {
            b'*' => Item::Run,
            _ => Item::One(Plain(byte), Plain(byte)),
        };
        Self {
            items: inner.iter().map(item).collect(),
            is_anchored: inner.len() < text.len(),
            priority: text.len(),
        }
    }

    /// Returns the folder that an allow rule for `…/index.htm…` also allows (google-semantics §7).
    pub fn google_folder(text: &[u8]) -> Option<Self> {
        let slash = text.iter().rposition(|&byte| byte == b'/')?;
        let folder = [&text[..=slash], b"$"].concat();
        text[slash..]
            .starts_with(b"/index.htm")
            .then(|| Self::google(&folder))
    }

    /// Makes a pattern according to RFC 9309 §2.2.2 and §2.2.3, or `None` if the value does not begin with `/`.
    pub fn rfc9309(value: &[u8]) -> Option<Self> {
        if !value.starts_with(b"/") {
            return None;
        }
        let inner = value.strip_suffix(b"$").unwrap_or(value);
        let is_anchored = inner.len() < value.len();
        let (mut items, mut priority) = (Vec::new(), usize::from(is_anchored));
        for octet in octets(inner) {
            let (item, octets) = match octet {
                Octet::AsIs(b'*') => (Item::Run, 1),
                Octet::Percent(sign @ (b'*' | b'$')) => (Item::One(Plain(sign), Coded(sign)), 3),
                octet => {
                    let symbol = normal(octet);
                    let is_coded = matches!(symbol, Coded(_));
                    (Item::One(symbol, symbol), if is_coded { 3 } else { 1 })
                }
            };
            items.push(item);
            priority += octets;
        }
        Some(Self {
            items,
            is_anchored,
            priority,
        })
    }

    /// Makes a pattern according to Koster §3.2.2: a prefix without special characters.
    pub fn koster1996(value: &[u8]) -> Self {
        let symbols = koster1996_path(value).into_iter();
        Self {
            items: symbols.map(|symbol| Item::One(symbol, symbol)).collect(),
            is_anchored: false,
            priority: 0,
        }
    }

    /// Returns true if the pattern matches. Computes the positions that each part can reach, one part after
    /// the other.
    pub fn matches(&self, path: &Path) -> bool {
        let mut places = Places::none(path.len);
        places.0[0] = 1;
        for item in &self.items {
            match *item {
                Item::Run => places.fill_from_first(path.len),
                Item::One(a, b) => places.step(path.places_of(a), path.places_of(b)),
            }
            if places.is_empty() {
                return false;
            }
        }
        !self.is_anchored || places.0[path.len / 64] >> (path.len % 64) & 1 == 1
    }
}

/// A path, with the positions of each symbol.
#[derive(Debug)]
pub struct Path {
    len: usize,
    places: Vec<(Symbol, Places)>,
    nowhere: Places,
}

impl Path {
    pub fn new(symbols: &[Symbol]) -> Self {
        let nowhere = Places::none(symbols.len());
        let mut places: Vec<(Symbol, Places)> = Vec::new();
        for (i, symbol) in symbols.iter().enumerate() {
            let known = places.iter().position(|(other, _)| other == symbol);
            let nth = known.unwrap_or_else(|| {
                places.push((*symbol, nowhere.clone()));
                places.len() - 1
            });
            places[nth].1.0[i / 64] |= 1 << (i % 64);
        }
        Self {
            len: symbols.len(),
            places,
            nowhere,
        }
    }

    fn places_of(&self, symbol: Symbol) -> &Places {
        let known = self.places.iter().find(|(other, _)| *other == symbol);
        known.map_or(&self.nowhere, |(_, places)| places)
    }
}

/// A set of positions in a path, including its end, one bit each.
#[derive(Clone, Debug)]
struct Places(Vec<u64>);

impl Places {
    fn none(path_len: usize) -> Self {
        Self(vec![0; path_len / 64 + 1])
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Returns the positions after those that are in `a` or `b`.
    fn step(&mut self, a: &Self, b: &Self) {
        let mut carry = 0;
        for ((word, a), b) in self.0.iter_mut().zip(&a.0).zip(&b.0) {
            let kept = *word & (a | b);
            *word = kept << 1 | carry;
            carry = kept >> 63;
        }
    }

    /// Returns all positions from the first on.
    fn fill_from_first(&mut self, path_len: usize) {
        let mut is_after = false;
        for word in &mut self.0 {
            *word = match (is_after, *word) {
                (true, _) => u64::MAX,
                (false, 0) => 0,
                (false, places) => u64::MAX << places.trailing_zeros(),
            };
            is_after |= *word != 0;
        }
        // No position is beyond the end.
        self.0[path_len / 64] &= u64::MAX >> (63 - path_len % 64);
    }
}

/// An octet of a text.
#[derive(Clone, Copy)]
enum Octet {
    AsIs(u8),
    /// Written `%xx`.
    Percent(u8),
}

fn octets(text: &[u8]) -> Vec<Octet> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|_| byte == b'%');
        let hex = hex.filter(|hex| hex.iter().all(u8::is_ascii_hexdigit));
        let octet = hex.and_then(|hex| std::str::from_utf8(hex).ok());
        match octet.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(octet) => {
                out.push(Octet::Percent(octet));
                rest = &after[2..];
            }
            None => {
                out.push(Octet::AsIs(byte));
                rest = after;
            }
        }
    }
    out
}

/// Returns the normal form of `rfc9309`: unreserved octets are not encoded; blanks, octets above 0x7F and
/// a `%` that does not begin an escape are encoded; all others are unchanged.
fn normal(octet: Octet) -> Symbol {
    let is_unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    match octet {
        Octet::Percent(byte) if is_unreserved(byte) => Plain(byte),
        Octet::Percent(byte) => Coded(byte),
        Octet::AsIs(byte @ (b' ' | b'\t' | b'%' | 0x80..)) => Coded(byte),
        Octet::AsIs(byte) => Plain(byte),
    }
}

/// Returns a path of a URL for `google`, unchanged.
pub fn google_path(path: &[u8]) -> Vec<Symbol> {
    path.iter().map(|&byte| Plain(byte)).collect()
}

/// Returns a path of a URL in the normal form of `rfc9309`.
pub fn rfc9309_path(path: &[u8]) -> Vec<Symbol> {
    octets(path).into_iter().map(normal).collect()
}

/// Returns a path according to Koster §3.2.2: `%xx` is decoded, except `%2F`.
pub fn koster1996_path(path: &[u8]) -> Vec<Symbol> {
    let symbol = |octet: Octet| match octet {
        Octet::Percent(b'/') => Coded(b'/'),
        Octet::Percent(byte) | Octet::AsIs(byte) => Plain(byte),
    };
    octets(path).into_iter().map(symbol).collect()
}

/// Returns the path of a URL (google-semantics §5).
pub fn path_of_url(url: &[u8]) -> Vec<u8> {
    let url = url.strip_prefix(b"//").unwrap_or(url);
    let separator = |text: &[u8]| text.iter().position(|byte| b"/?;".contains(byte));
    let protocol = url.windows(3).position(|three| three == b"://");
    let from = match (separator(url), protocol) {
        (Some(early), Some(protocol)) if early < protocol => 0,
        (_, Some(protocol)) => protocol + 3,
        (_, None) => 0,
    };
    let hash = url.iter().position(|&byte| byte == b'#');
    let Some(start) = separator(&url[from..]).map(|offset| from + offset) else {
        return b"/".to_vec();
    };
    if hash.is_some_and(|hash| hash < start) {
        return b"/".to_vec();
    }
    let path = &url[start..hash.unwrap_or(url.len())];
    let path = path.split(|&byte| byte == 0).next().unwrap_or_default();
    if path.starts_with(b"/") {
        path.to_vec()
    } else {
        [b"/", path].concat()
    }
}
