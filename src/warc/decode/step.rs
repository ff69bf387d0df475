//! The result of one step of a decoder.

use crate::error::ErrorKind;

/// The result of one step of a decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecodeStep {
    /// This many bytes were decoded. Never 0.
    Bytes(usize),
    /// The member, frame or uncompressed input has ended and is valid.
    End,
    /// The member or frame cannot be decoded any further.
    Damaged(ErrorKind),
}
