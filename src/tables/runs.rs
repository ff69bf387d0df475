use super::{saturating_i32, saturating_i64};
use crate::table;
use columns::RowBatch;

table! { "One row per part: how it was written. The rows are equal for two runs over the same inputs." {
    part: Int, "The number of the part, from 0.";
    version: Text, "The version of robots-scan.";
    options: Text, "The options that change rows, as JSON.";
    psl_version: Text, "The version of the Public Suffix List: the version of the crate that contains it.";
    agents_version: Text, "The digest of the registry of crawlers.";
    listed_inputs: Int, "The archives of the whole list, from which the sample and the shards were taken.";
    sample_seed: Long null, "The seed of `--sample`; null without it.";
    inputs: Int, "Archives of the part.";
    input_bytes: Long, "The bytes of the archives, each counted once, even if it was read several times.";
    records: Long, "Records read, of every type.";
    captures: Long, "Rows of `robots_files`.";
    faults: Long, "Rows of `faults`.";
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
    let texts = &mut builder.texts;
    builder.part.append_value(saturating_i32(run.part));
    builder
        .version
        .append_value(texts.intern(env!("CARGO_PKG_VERSION")));
    builder.options.append_value(texts.intern(&run.options));
    builder
        .psl_version
        .append_value(texts.intern(&run.psl_version));
    builder
        .agents_version
        .append_value(texts.intern(&run.agents_version));
    let listed = u32::try_from(run.listed_inputs).unwrap_or(u32::MAX);
    builder.listed_inputs.append_value(saturating_i32(listed));
    let seed = run.sample_seed.map(u64::cast_signed);
    builder.sample_seed.append_option(seed);
    builder.inputs.append_value(saturating_i32(run.inputs));
    builder
        .input_bytes
        .append_value(saturating_i64(run.input_bytes));
    builder.records.append_value(saturating_i64(run.records));
    builder.captures.append_value(saturating_i64(run.captures));
    builder.faults.append_value(saturating_i64(run.faults));
    builder.end_rows(1);
    builder.take()
}
