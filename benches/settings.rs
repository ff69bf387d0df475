//! Settings of Criterion that all benches share.

use criterion::Criterion;
use std::time::Duration;

/// Short times, so that a whole run is a matter of minutes. Options of the command line win.
pub(crate) fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .sample_size(20)
        .without_plots()
        .configure_from_args()
}
