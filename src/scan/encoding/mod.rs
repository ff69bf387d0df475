//! Column chunks of Parquet, from columns of [`Rows`](crate::rows::Rows).
//!
//! The crate `parquet` writes files, footers and page headers; the pages
//! themselves are laid out here, after its format's document "Encodings". Its
//! own writer takes Arrow arrays, hashes every value of every row, and compares
//! each with the least and the greatest; here a value is asked for once for a
//! batch, and what repeats costs a look into a table.
//!
//! A page holds the rows of a slab. Values stand in a dictionary, texts that
//! seldom repeat and those of a dictionary that has grown too large as they
//! are; numbers of dictionaries have whole bytes where they are large, so that
//! the compressor sees what repeats.

mod chunk;
mod dictionary;
mod pack;
mod statistics;
#[cfg(test)]
mod tests;

pub(crate) use chunk::{Chunk, ChunkEncoder, Scratch};
