//! Policies and sets of preferences: their keys, their lines, and their rows, each stored once.

pub mod keyed_rows;
pub mod policy_file;
pub(crate) mod preference_set;
pub mod row_key;
pub mod verdict_class;
