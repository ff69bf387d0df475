use crate::tables::column::table;

table! { of_history "One row per host and crawl with a capture of its robots.txt: when and where the authoritative capture was made, and the period to which it belongs. Sorted by `surt_host_name`, then by time; a capture without a time has the place of the median time of its crawl." {
    capture_no: Long delta, "Key of the row: its number, from 0. The captures of a period are consecutive.";
    surt_host_name: Text, "The host, as in `hosts`.";
    crawl: Text, "The crawl.";
    fetch_time: Time null delta, "The time at which the authoritative capture was fetched (UTC).";
    archive_no: Long delta, "The archive of the capture: its row in `archives`, together with `crawl`.";
    warc_record_offset: Long delta, "The offset of the record in the archive, as in `robots_files`.";
    warc_record_in_member: Int, "The index of the record among those that share the offset, as in `robots_files`.";
    period_id: Long delta, "The period of the capture, in `host_periods`.";
}}
