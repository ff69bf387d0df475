//! Counts the bytes of inputs that were read, each byte once.
//!
//! Slices overlap where a member crosses a boundary, and damaged bytes are searched again. Instead
//! of the bytes that were read, the furthest offset is counted, so that the sum is the size of the
//! input for any number of threads.

/// The part of the current input that was counted.
#[derive(Debug, Default)]
pub(super) struct InputCoverage {
    bytes: u64,
}

impl InputCoverage {
    /// Counts the bytes up to the offset `reached` of an input. Returns the number of new bytes.
    pub(super) fn advance(&mut self, size: Option<u64>, reached: u64) -> u64 {
        let new = reached
            .min(size.unwrap_or(u64::MAX))
            .saturating_sub(self.bytes);
        self.bytes += new;
        new
    }

    /// Counts the rest of an input whose size is known, and begins the next input. Returns the
    /// number of new bytes.
    pub(super) fn finish(&mut self, size: Option<u64>) -> u64 {
        let rest = size.map_or(0, |size| size.saturating_sub(self.bytes));
        self.bytes = 0;
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_of_an_input_is_counted_once() {
        let mut coverage = InputCoverage::default();
        for size in [Some(100), None] {
            let new = [40, 30, 70, 70].map(|reached| coverage.advance(size, reached));
            assert_eq!(new, [40, 0, 30, 0]);
            assert_eq!(coverage.finish(size), size.map_or(0, |size| size - 70));
        }
        assert_eq!(coverage.advance(Some(5), u64::MAX), 5);
        assert_eq!(coverage.finish(Some(5)), 0);
    }
}
