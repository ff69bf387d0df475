//! The one place of unsafe code: libdeflate, a whole gzip member at a time.
//!
//! The safe crate over libdeflate does not tell how many bytes a member took,
//! and without that the next member cannot be found.

use std::ptr::NonNull;

use libdeflate_sys as sys;

/// What became of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inflated {
    /// The member is sound: it took `taken` bytes and gave `made`.
    Whole { taken: usize, made: usize },
    /// The output is too small.
    NoSpace,
    /// The bytes are not a member, or not the whole of one.
    Bad,
}

/// A decompressor of libdeflate, its tables used again for every member.
#[derive(Debug)]
pub(crate) struct Deflate(NonNull<sys::libdeflate_decompressor>);

// SAFETY: the decompressor is plain memory that only its owner reaches; every
// use goes through `&mut self`, so no two threads use it at once.
#[expect(
    unsafe_code,
    reason = "libdeflate has no safe binding that tells the bytes taken"
)]
unsafe impl Send for Deflate {}

impl Deflate {
    /// Allocates a decompressor.
    pub(crate) fn new() -> Deflate {
        #[expect(
            unsafe_code,
            reason = "libdeflate has no safe binding that tells the bytes taken"
        )]
        // SAFETY: the function has no preconditions; null is checked below.
        let raw = unsafe { sys::libdeflate_alloc_decompressor() };
        Deflate(NonNull::new(raw).expect("libdeflate gets the memory for its tables"))
    }

    /// Inflates the gzip member at the start of `input` into `output`.
    ///
    /// The checksum and the length in the trailer are verified.
    pub(crate) fn member(&mut self, input: &[u8], output: &mut [u8]) -> Inflated {
        let (mut taken, mut made) = (0, 0);
        #[expect(
            unsafe_code,
            reason = "libdeflate has no safe binding that tells the bytes taken"
        )]
        // SAFETY: the decompressor is live until `drop`; both pointers come with the
        // lengths of their slices, and libdeflate neither reads nor writes beyond
        // these; the two results are valid for writing during the call.
        let result = unsafe {
            sys::libdeflate_gzip_decompress_ex(
                self.0.as_ptr(),
                input.as_ptr().cast(),
                input.len(),
                output.as_mut_ptr().cast(),
                output.len(),
                &raw mut taken,
                &raw mut made,
            )
        };
        match result {
            sys::libdeflate_result_LIBDEFLATE_SUCCESS => Inflated::Whole { taken, made },
            sys::libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => Inflated::NoSpace,
            _ => Inflated::Bad,
        }
    }
}

impl Drop for Deflate {
    fn drop(&mut self) {
        #[expect(
            unsafe_code,
            reason = "libdeflate has no safe binding that tells the bytes taken"
        )]
        // SAFETY: the pointer came from `libdeflate_alloc_decompressor` and is freed once.
        unsafe {
            sys::libdeflate_free_decompressor(self.0.as_ptr());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::gzip;

    #[test]
    fn a_member_tells_what_it_took_and_what_it_gave() {
        let mut bytes = gzip(b"hello");
        let length = bytes.len();
        bytes.extend_from_slice(b"and more");
        let mut deflate = Deflate::new();
        let mut output = [0; 8];
        let whole = Inflated::Whole {
            taken: length,
            made: 5,
        };
        assert_eq!(deflate.member(&bytes, &mut output), whole);
        assert_eq!(&output[..5], b"hello");
    }

    #[test]
    fn too_little_space_and_bad_bytes_are_told_apart() {
        let mut deflate = Deflate::new();
        let mut bytes = gzip(b"hello");
        assert_eq!(deflate.member(&bytes, &mut [0; 4]), Inflated::NoSpace);
        assert_eq!(deflate.member(&bytes[..9], &mut [0; 8]), Inflated::Bad);
        assert_eq!(deflate.member(b"", &mut []), Inflated::Bad);
        let crc = bytes.len() - 8;
        bytes[crc] ^= 1;
        assert_eq!(deflate.member(&bytes, &mut [0; 8]), Inflated::Bad);
    }
}
