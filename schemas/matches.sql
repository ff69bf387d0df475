-- One row per URL and requested agent, in the order of the URL list. The table is not part of a dataset: `robots-scan match` writes it.
CREATE TABLE matches (
  url VARCHAR NOT NULL, -- The URL as written in the list, without surrounding blanks; bytes that are not UTF-8 are written as `\xHH`.
  agent VARCHAR NOT NULL, -- The requested crawler name.
  robots_id BIGINT, -- The capture whose rules or status decided: the last one if a redirect was followed, or the one that supplies the content of a revisit. A redirect is followed only to captures that are not later than the time of the row. The content of a revisit may come from a later capture, because its bytes are the same. Null if there is no capture for the origin of the URL.
  access VARCHAR NOT NULL, -- `allowed` or `disallowed`; `unknown` if it cannot be decided.
  line_no INTEGER, -- The line of the deciding rule in the file of `robots_id`; in Google's dialect the line that its parser reports. Null if no rule matches, or if a status decided.
  basis VARCHAR NOT NULL, -- What `access` rests on. As in `verdicts`, for the reading that was asked: `explicit`, `wildcard`, `no_group`, `no_rules`, `http_status`. A crawler that ignores `*` (`AdsBot-Google`) has `no_group` also for a file without groups. `http_status` and `unknown`: nothing decidable was fetched. Besides: `no_capture`, none of the URL's origin at that time; `bad_url`, no absolute URL with a host, or one that only a browser would mend (`https:/`, a backslash or line end in it), or of more than 1 MiB, where it is cut; `bad_time`, a time of the list that cannot be read.
  crawl VARCHAR -- The crawl of `robots_id`: join other tables `USING (crawl, robots_id)`.
);
