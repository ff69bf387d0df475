//! Records as bytes, which order as their values do.

pub(crate) mod record;
