use super::value::Constant;
use crate::table;

table! { per_fault "One row per range of an archive, or row of a table of bodies, that could not be read."
row(warc_filename: &str, fault: &Fault) {} {
    warc_filename: Text, "The archive, as in `robots_files`." = warc_filename;
    warc_record_offset: Long, "The offset at which the damage begins; for a table of bodies, the number of the row, from 0." = fault.offset;
    bytes_skipped: Long, "The number of bytes from there to the offset at which reading resumed; 0 for damage within a member of many records." = fault.bytes_skipped;
    code: Text, "The permanent code of the fault." = Constant(fault.code);
    detail: Text, "A description of the fault." = &*fault.detail;
}}

/// A range of an archive, or a row of a table of bodies, that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The offset in the archive at which the damage begins, in bytes; for a table of bodies, the number of the row,
    /// from 0.
    pub offset: u64,
    /// The number of bytes from there to the offset at which reading resumed.
    pub bytes_skipped: u64,
    /// The code, such as `corrupt`, which never changes its meaning.
    pub code: &'static str,
    /// The description, in one line.
    pub detail: String,
}
