//! Commands as calls of another program, the Python package: who calls, how a call ends, and its errors.

pub(crate) mod call;
pub(crate) mod call_error;
pub(crate) mod call_monitor;
pub(crate) mod caller;
pub(crate) mod exit;
