//! A search whose result is reused for the following lines.

/// The result of the last search in a body.
///
/// The next match of a rare byte may be many lines ahead. Its offset is kept, so that the lines
/// before it are not searched again. All searches with one `Lookahead` must be for the same bytes.
pub(super) struct Lookahead {
    /// The offset at which the search began.
    search_start: usize,
    /// The offset of the first match, or the length of the body.
    found_offset: usize,
}

impl Lookahead {
    /// A lookahead without a previous search.
    pub(super) const NEW: Self = Self {
        search_start: usize::MAX,
        found_offset: 0,
    };

    /// Returns the position of the first match of `search` in `body[start..end]`, relative to
    /// `start`.
    #[inline]
    pub(super) fn find(
        &mut self,
        body: &[u8],
        start: usize,
        end: usize,
        search: impl Fn(&[u8]) -> Option<usize>,
    ) -> Option<usize> {
        if start < self.search_start || start > self.found_offset {
            self.search_start = start;
            self.found_offset =
                search(&body[start..]).map_or(body.len(), |position| start + position);
        }
        (self.found_offset < end).then(|| self.found_offset - start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reused_search_finds_what_a_new_search_finds() {
        let body = b"a:b:\nccc\nd::e\nffffff\n:";
        let search = |text: &[u8]| text.iter().position(|&byte| byte == b':');
        for step in 1..8 {
            for len in 0..8 {
                let mut lookahead = Lookahead::NEW;
                for start in (0..=body.len()).step_by(step) {
                    let end = (start + len).min(body.len());
                    let found = lookahead.find(body, start, end, search);
                    assert_eq!(found, search(&body[start..end]), "{start}..{end}");
                }
            }
        }
    }
}
