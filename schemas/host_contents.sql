-- One row per host and content: consecutive captures of a host with the same digest. Only captures whose rules were read have rows; the views find the content of revisits in it. Sorted by `surt_host_name`, then by time.
CREATE TABLE host_contents (
  surt_host_name VARCHAR NOT NULL, -- The host, as in `hosts`.
  first_capture_no BIGINT NOT NULL, -- The first capture, in `host_captures`.
  n_captures INTEGER NOT NULL, -- The number of captures, which are those from this number on.
  content_digest VARCHAR NOT NULL -- The digest of the capture whose rules apply, as in `robots_files`.
);
