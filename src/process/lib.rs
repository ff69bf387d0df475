//! The threads and the open files of this process, and a seed of hashes.

pub mod open_files;
mod thread_pool;

pub use thread_pool::start_thread_pool;

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

/// The seed of hashes of input: random, chosen once per process, so that an archive cannot be built from texts whose
/// hashes collide. Output does not depend on it.
pub static HASH_SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0_u8));
