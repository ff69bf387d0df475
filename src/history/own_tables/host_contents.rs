use tables::table;

table! { of_fields "One row per host and content: consecutive captures of a host with the same digest. Only captures whose rules were read have rows; the views find the content of revisits in it. Sorted by `surt_host_name`, then by time." {
    surt_host_name: Text, "The host, as in `hosts`.";
    first_capture_no: Long delta, "The first capture, in `host_captures`.";
    n_captures: Int, "The number of captures, which are those from this number on.";
    content_digest: PlainText, "The digest of the capture whose rules apply, as in `robots_files`.";
}}
