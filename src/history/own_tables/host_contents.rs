use tables::table;

table! { of_fields "One row per period and content: consecutive captures of a period with the same digest. Only captures whose rules were read have rows. Sorted by `surt_host_name`, then by `content_no`." {
    surt_host_name: Text, "The host, as in `hosts`.";
    content_no: Int, "Key of the content, together with `surt_host_name`: its number among those of the host in the order of time, from 0.";
    period_no: Int, "The period, in `host_periods`.";
    content_digest: PlainText, "The digest of the capture whose rules apply, as in `robots_files`.";
}}
