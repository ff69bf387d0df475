//! The table `shares`: hosts and domains of each crawl, by their verdict for each crawler.

pub(crate) mod share_counter;
pub(crate) mod share_row;
