//! A small language for sets of rules, in which a few bytes make difficult rules.
//!
//! A line is `+pattern` (allow), `-pattern` (disallow), `=path` (a path to query), or `!` and a family
//! of rules: its kind, its size, its base. In patterns and paths, the bytes of `PLAIN` are kept,
//! and any other byte is replaced by one of `PIECES`. Hence every input is valid, and most
//! inputs contain what matchers get wrong.

use super::random::Random;
use super::sum_of;

/// Bytes that stand for themselves.
const PLAIN: &[u8] = b"/ab*$.?%2";

/// The meanings of other bytes, from `A` on.
const PIECES: [&[u8]; 26] = [
    b"%2A",
    b"%24",
    b"%2F",
    b"%2f",
    b"%61",
    b"\xc3\xa9",
    b"%C3%A9",
    b"%c3%a9",
    b"/index.html",
    b"/robots.txt",
    b" ",
    b";",
    b"ab",
    b"/a/b",
    b"**",
    b"\xff",
    b"%25",
    b"*a*b",
    b"%",
    b"/index.htm",
    b"c",
    b"robots.txt",
    b"A",
    b"*/",
    b"aaaaaaaa",
    b"%7E",
];

/// The largest number of rules.
const MAX_RULES: usize = 1500;

/// Rules and queries.
#[derive(Debug, Default)]
pub struct RuleSet {
    /// For each rule, whether it allows, and its pattern.
    pub rules: Vec<(bool, Vec<u8>)>,
    /// The paths to query. Each begins with `/`.
    pub paths: Vec<Vec<u8>>,
}

impl RuleSet {
    /// Parses a set. All bytes are valid.
    pub fn read(data: &[u8]) -> Self {
        let mut set = Self::default();
        for line in data.split(|&byte| byte == b'\n') {
            let Some((&sign, rest)) = line.split_first() else {
                continue;
            };
            match sign {
                b'+' | b'-' => set.rules.push((sign == b'+', text(rest))),
                b'!' => set.family(rest),
                b'=' => set.add_path(text(rest)),
                _ => set.rules.push((sign % 2 == 0, text(rest))),
            }
        }
        set.rules.truncate(MAX_RULES);
        set
    }

    /// Adds the rules of a family: many similar rules.
    fn family(&mut self, line: &[u8]) {
        let [kind, size, base @ ..] = line else {
            return;
        };
        let mut random = random_of(line);
        let base = text(base);
        for nth in 0..=usize::from(*size) {
            let mut pattern = base.clone();
            let bits = |nth: usize| (0..8).map(move |bit| b"ab"[nth >> bit & 1]);
            match kind.wrapping_sub(b'0') % 11 {
                0 => pattern.extend(std::iter::repeat_n(b'a', nth)),
                1 => pattern.extend(nth.to_string().bytes()),
                2 => pattern.extend(bits(nth)),
                3 => {
                    pattern.extend(b"*a".repeat(nth % 12));
                    pattern.extend(bits(nth / 12).take(3));
                }
                4 => {
                    pattern = format!("/*{nth}").into_bytes();
                    pattern.extend_from_slice(&base);
                    pattern.push(b'$');
                }
                5 => pattern.extend(nth.to_string().bytes().flat_map(|digit| [b'/', digit])),
                6 => {
                    pattern = b"*".to_vec();
                    pattern.extend(bits(nth));
                    pattern.extend_from_slice(&base);
                }
                7 => pattern.extend(format!("/%{nth:02x}*%{:02X}", 255 - nth).bytes()),
                8 => {
                    pattern.extend(bits(nth).take(4));
                    pattern.insert(base.len() + nth % 5, b"a*"[nth & 1]);
                }
                9 => {
                    // This allow rule is overruled.
                    pattern.extend(bits(nth));
                    self.rules.push((true, pattern.clone()));
                    self.rules
                        .push((false, [pattern.as_slice(), b"*"].concat()));
                    continue;
                }
                _ => {
                    pattern.extend(random_letters(&mut random, b"ab/*", 7));
                    pattern.extend(random_letters(&mut random, b"$", 2));
                    self.add_path(
                        [base.as_slice(), &random_letters(&mut random, b"ab/", 9)].concat(),
                    );
                }
            }
            self.rules.push((nth % 3 == 1, pattern));
        }
    }

    fn add_path(&mut self, mut path: Vec<u8>) {
        if !path.starts_with(b"/") {
            path.insert(0, b'/');
        }
        self.paths.push(path);
    }

    /// Adds paths that the rules match, and paths that they miss by one octet, up to `max` paths.
    pub fn add_paths_near_rules(&mut self, max: usize) {
        self.paths.truncate(max / 2);
        for path in [&b"/"[..], b"/robots.txt", b"/index.html", b"/a"] {
            self.add_path(path.to_vec());
        }
        let rules = std::mem::take(&mut self.rules);
        let every = rules.len().div_ceil(max.div_ceil(6).max(1)).max(1);
        for (_, pattern) in rules.iter().step_by(every) {
            let inner = pattern.strip_suffix(b"$").unwrap_or(pattern);
            let filled = |run: &[u8]| {
                let parts = inner.split(|&byte| byte == b'*');
                parts.collect::<Vec<_>>().join(run)
            };
            let path = filled(b"");
            self.add_path(filled(b"a/b"));
            self.add_path([path.as_slice(), b"b"].concat());
            self.add_path(path[..path.len().saturating_sub(1)].to_vec());
            self.add_path([b"/x", path.as_slice()].concat());
            self.add_path(pattern.clone());
            self.add_path(path);
        }
        self.rules = rules;
        self.paths.truncate(max);
    }

    /// Returns the set as a robots.txt for all crawlers.
    pub fn body(&self) -> Vec<u8> {
        let mut body = b"User-agent: *\n".to_vec();
        for (is_allow, pattern) in &self.rules {
            let key: &[u8] = if *is_allow { b"Allow: " } else { b"Disallow: " };
            body.extend_from_slice(key);
            body.extend_from_slice(pattern);
            body.push(b'\n');
        }
        body
    }
}

/// Returns pseudorandom numbers that depend only on a line.
fn random_of(line: &[u8]) -> Random {
    Random::new(sum_of(line).into())
}

/// Returns fewer than `below` random letters.
fn random_letters(random: &mut Random, letters: &[u8], below: usize) -> Vec<u8> {
    let len = random.below(below);
    (0..len)
        .map(|_| letters[random.below(letters.len())])
        .collect()
}

/// Returns the meaning of the bytes of a line.
fn text(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    for byte in line {
        if PLAIN.contains(byte) {
            out.push(*byte)
        } else {
            out.extend_from_slice(PIECES[usize::from(byte.wrapping_sub(b'A')) % 26])
        }
    }
    out
}
