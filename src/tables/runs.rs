use crate::table;
use columns::RowBatch;

table! { "One row per part: how it was written. The rows are equal for two runs over the same inputs."
row(run: &RunRow) {} {
    part: Int, "The number of the part, from 0." = run.part;
    version: Text, "The version of robots-scan." = env!("CARGO_PKG_VERSION");
    options: Text, "The options that change rows, as JSON." = &*run.options;
    psl_version: Text, "The version of the Public Suffix List: the version of the crate that contains it." = &*run.psl_version;
    agents_version: Text, "The digest of the registry of crawlers." = &*run.agents_version;
    listed_inputs: Int, "The archives of the whole list, from which the sample and the shards were taken." = u32::try_from(run.listed_inputs).unwrap_or(u32::MAX);
    sample_seed: Long null, "The seed of `--sample`; null without it." = run.sample_seed.map(u64::cast_signed);
    inputs: Int, "Archives of the part." = run.inputs;
    input_bytes: Long, "The bytes of the archives, each counted once, even if it was read several times." = run.input_bytes;
    records: Long, "Records read, of every type." = run.records;
    captures: Long, "Rows of `robots_files`." = run.captures;
    faults: Long, "Rows of `faults`." = run.faults;
}}

/// The columns of the row of a part, except the version of robots-scan.
#[derive(Clone, Debug)]
pub struct RunRow {
    /// The number of the part, from 0.
    pub part: u32,
    /// The options that change rows, as JSON.
    pub options: String,
    /// The version of the crate that contains the Public Suffix List.
    pub psl_version: String,
    /// The SHA-1 of the registry of crawlers, in hexadecimal.
    pub agents_version: String,
    /// The number of archives of the whole list.
    pub listed_inputs: u64,
    /// The seed of the sample; `None` if no sample was drawn.
    pub sample_seed: Option<u64>,
    /// The number of archives of the part.
    pub inputs: u32,
    /// The bytes of the archives, each counted once, even if it was read several times.
    pub input_bytes: u64,
    /// The number of records of all types.
    pub records: u64,
    /// The number of captures.
    pub captures: u64,
    /// The number of faults.
    pub faults: u64,
}

/// Makes a batch of one row.
pub fn runs_rows(run: &RunRow) -> RowBatch {
    let mut builder = Builder::default();
    builder.push_row(run);
    builder.take()
}
