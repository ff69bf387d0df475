//! Decompression of whole gzip members with libdeflate.
//!
//! This file contains all unsafe code of the crate. The safe binding of libdeflate does not return
//! how many compressed bytes a member took, and the next member cannot be found without that.

use std::ptr::NonNull;

use libdeflate_sys as sys;

/// The result of decompressing a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LibdeflateResult {
    /// The member is valid.
    Complete {
        compressed_bytes: usize,
        decoded_bytes: usize,
    },
    /// The output buffer is too small.
    OutputFull,
    /// The input does not start with a complete and valid member.
    Invalid,
}

/// A libdeflate decompressor, reused for all members.
#[derive(Debug)]
pub(crate) struct LibdeflateDecoder(NonNull<sys::libdeflate_decompressor>);

// SAFETY: the decompressor is plain memory that only its owner can reach. Every use takes
// `&mut self`, so two threads cannot use it at the same time.
#[expect(
    unsafe_code,
    reason = "the safe binding of libdeflate does not return the compressed length"
)]
unsafe impl Send for LibdeflateDecoder {}

impl LibdeflateDecoder {
    /// Allocates a decompressor.
    pub(crate) fn new() -> LibdeflateDecoder {
        #[expect(
            unsafe_code,
            reason = "the safe binding of libdeflate does not return the compressed length"
        )]
        // SAFETY: the function has no preconditions. The result is checked for null below.
        let raw = unsafe { sys::libdeflate_alloc_decompressor() };
        LibdeflateDecoder(NonNull::new(raw).expect("libdeflate can allocate its tables"))
    }

    /// Decompresses the gzip member at the start of `input` into `output`.
    ///
    /// The checksum and the length in the trailer are verified.
    pub(crate) fn decode_member(&mut self, input: &[u8], output: &mut [u8]) -> LibdeflateResult {
        let (mut compressed_bytes, mut decoded_bytes) = (0, 0);
        #[expect(
            unsafe_code,
            reason = "the safe binding of libdeflate does not return the compressed length"
        )]
        // SAFETY: the decompressor is live until `drop`. Both pointers are passed with the lengths
        // of their slices, and libdeflate neither reads nor writes beyond them. The two result
        // variables are valid for writes during the call.
        let result = unsafe {
            sys::libdeflate_gzip_decompress_ex(
                self.0.as_ptr(),
                input.as_ptr().cast(),
                input.len(),
                output.as_mut_ptr().cast(),
                output.len(),
                &raw mut compressed_bytes,
                &raw mut decoded_bytes,
            )
        };
        match result {
            sys::libdeflate_result_LIBDEFLATE_SUCCESS => LibdeflateResult::Complete {
                compressed_bytes,
                decoded_bytes,
            },
            sys::libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => LibdeflateResult::OutputFull,
            _ => LibdeflateResult::Invalid,
        }
    }
}

impl Drop for LibdeflateDecoder {
    fn drop(&mut self) {
        #[expect(
            unsafe_code,
            reason = "the safe binding of libdeflate does not return the compressed length"
        )]
        // SAFETY: the pointer came from `libdeflate_alloc_decompressor` and is freed only here.
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
    fn a_member_reports_its_compressed_and_decompressed_lengths() {
        let mut bytes = gzip(b"hello");
        let length = bytes.len();
        bytes.extend_from_slice(b"and more");
        let mut decoder = LibdeflateDecoder::new();
        let mut output = [0; 8];
        let complete = LibdeflateResult::Complete {
            compressed_bytes: length,
            decoded_bytes: 5,
        };
        assert_eq!(decoder.decode_member(&bytes, &mut output), complete);
        assert_eq!(&output[..5], b"hello");
    }

    #[test]
    fn a_full_output_differs_from_invalid_data() {
        let mut decoder = LibdeflateDecoder::new();
        let mut bytes = gzip(b"hello");
        assert_eq!(
            decoder.decode_member(&bytes, &mut [0; 4]),
            LibdeflateResult::OutputFull
        );
        assert_eq!(
            decoder.decode_member(&bytes[..9], &mut [0; 8]),
            LibdeflateResult::Invalid
        );
        assert_eq!(
            decoder.decode_member(b"", &mut []),
            LibdeflateResult::Invalid
        );
        let crc = bytes.len() - 8;
        bytes[crc] ^= 1;
        assert_eq!(
            decoder.decode_member(&bytes, &mut [0; 8]),
            LibdeflateResult::Invalid
        );
    }
}
