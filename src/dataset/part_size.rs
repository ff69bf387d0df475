//! The size of a part, which is the unit of commit and resume.

use serde::{Deserialize, Serialize};

/// The size of a part of a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartSize {
    /// At most this number of bytes of inputs.
    Bytes(u64),
    /// This number of inputs. The division then does not depend on sizes, which are unknown before
    /// an object is fetched.
    Inputs(u64),
}
