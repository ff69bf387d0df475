use crate::tables::column::table;

table! { of_history "One row per archive that has a capture. Sorted by `crawl` in the order of crawls, then by `archive_no`." {
    crawl: Text, "The crawl.";
    archive_no: Long delta, "The number of the archive in the list of the crawl, from 0.";
    warc_filename: PlainText, "The archive, as in `robots_files`.";
}}
