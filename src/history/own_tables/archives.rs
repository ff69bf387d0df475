use tables::table;

table! { of_fields "One row per archive that has a capture. Sorted by `crawl` in the order of crawls, then by `archive_no`." {
    crawl: Text, "The crawl.";
    archive_no: Long delta, "The number of the archive in the list of the crawl, from 0; if a sample was drawn from a list with other crawls, among the archives that were drawn.";
    warc_filename: PlainText, "The archive, as in `robots_files`.";
}}
