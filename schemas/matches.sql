-- One row per URL and agent asked for, in the order of the list of URLs. It is no part of a dataset: `robots-scan match` writes it.
CREATE TABLE matches (
  url VARCHAR NOT NULL, -- The URL as it stands in the list, without blanks around it; bytes that are not UTF-8 as `\xHH`.
  agent VARCHAR NOT NULL, -- The crawler's name, as asked.
  robots_id BIGINT, -- The capture that held the rules, or whose status decided: where a redirect was followed, the one at its end; where a revisit was filled, the one that fills it. A redirect is followed only to captures that are not later than the row's time; what fills a revisit may be later, as its bytes are the same. Null if the data has no capture for the URL's origin.
  access VARCHAR NOT NULL, -- `allowed` or `disallowed`; `unknown` where it cannot be told.
  line_no INTEGER, -- The line of the rule that decided, in the file of `robots_id`; under Google's rules the one that its parser reports. Null where no rule matches, and where a status decided.
  basis VARCHAR NOT NULL, -- What `access` rests on. As in `verdicts`, for the reading that was asked: `explicit`, `wildcard`, `no_group`, `no_rules`, `http_status`. A crawler that ignores `*` (`AdsBot-Google`) has `no_group` also for a file without groups. `http_status` and `unknown`: nothing decidable was fetched. Besides: `no_capture`, none of the URL's origin at that time; `bad_url`, no absolute URL with a host, or one that only a browser would mend (`https:/`, a backslash or line end in it), or of more than 1 MiB, where it is cut; `bad_time`, a time of the list that cannot be read.
  crawl VARCHAR -- The crawl of `robots_id`: join other tables `USING (crawl, robots_id)`.
);
