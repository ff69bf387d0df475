//! A search that goes on behind the line it is made for.

/// What a search met behind the line it was made for is known when that line
/// is read. It must always be for the same octets.
pub(super) struct Lookahead {
    /// Where it began, and what it met first, or the body's end.
    from: usize,
    met: usize,
}

impl Lookahead {
    /// A search that has not begun.
    pub(super) const NEW: Self = Self {
        from: usize::MAX,
        met: 0,
    };

    /// Where `search` finds something first between `start` and `end`, counted
    /// from `start`.
    #[inline]
    pub(super) fn find(
        &mut self,
        body: &[u8],
        start: usize,
        end: usize,
        search: impl Fn(&[u8]) -> Option<usize>,
    ) -> Option<usize> {
        if start < self.from || start > self.met {
            self.from = start;
            self.met = search(&body[start..]).map_or(body.len(), |at| start + at);
        }
        (self.met < end).then(|| self.met - start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_met_ahead_is_found_where_it_stands() {
        let body = b"a:b:\nccc\nd::e\nffffff\n:";
        let search = |text: &[u8]| text.iter().position(|&byte| byte == b':');
        for step in 1..8 {
            for len in 0..8 {
                let mut ahead = Lookahead::NEW;
                for start in (0..=body.len()).step_by(step) {
                    let end = (start + len).min(body.len());
                    let found = ahead.find(body, start, end, search);
                    assert_eq!(found, search(&body[start..end]), "{start}..{end}");
                }
            }
        }
    }
}
