use tables::table;

table! { of_fields "One row per host and crawl with a capture of its robots.txt: when and where the authoritative capture was made, and the period to which it belongs. The captures of a crawl are in files of their own, and do not change when later crawls are added. Sorted by crawl in the order of crawls, then by `host_no`." {
    capture_no: Long delta, "Key of the row: the position of the crawl times 2^32, plus the number of the row among those of the crawl, from 0. It is `host_id` in `hosts`.";
    crawl: Text, "The crawl.";
    host_no: Long delta, "The host, as in `host_periods`.";
    fetch_time: Time null delta, "The time at which the authoritative capture was fetched (UTC).";
    archive_no: Long delta, "The archive of the capture: its row in `archives`, together with `crawl`.";
    warc_record_offset: Long delta, "The offset of the record in the archive, as in `robots_files`.";
    warc_record_in_member: Int, "The index of the record among those that share the offset, as in `robots_files`.";
    period_no: Int, "The period of the capture, in `host_periods`, together with `host_no`.";
    content_no: Int null, "The content of the capture, in `host_contents`: its number among those of the host; null if no body was read.";
}}
