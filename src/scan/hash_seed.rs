//! The seed of hash tables over texts from archives.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::LazyLock;

/// A random seed, chosen once per process, so that an archive cannot be built from texts whose
/// hashes collide. Output does not depend on it: dictionary indexes follow the order of rows.
pub(crate) static HASH_SEED: LazyLock<u64> =
    LazyLock::new(|| RandomState::new().build_hasher().finish());
