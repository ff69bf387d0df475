//! The table that `match` writes, `matches`.

use tables::table;

table! { of_fields "One row per URL and requested agent, in the order of the URL list. The table is not part of a dataset: `robots-scan match` writes it." {
    url: PlainText, "The URL as written in the list, without surrounding blanks; bytes that are not UTF-8 are written as `\\xHH`.";
    agent: Text, "The requested crawler name.";
    robots_id: Long null, "The capture whose rules or status decided: the last one if a redirect was followed, or the one that supplies the content of a revisit. A redirect is followed only to captures that are not later than the time of the row. The content of a revisit may come from a later capture, because its bytes are the same. Null if there is no capture for the origin of the URL.";
    access: Text, "`allowed` or `disallowed`; `unknown` if it cannot be decided.";
    line_no: Int null, "The line of the deciding rule in the file of `robots_id`; in Google's dialect the line that its parser reports. Null if no rule matches, or if a status decided.";
    basis: Text, "The basis of `access`, as in `verdicts`, in the requested dialect: `explicit`, `wildcard`, `no_group`, `no_rules`, `empty`, `html`, `binary`, `http_status`. A crawler that ignores `*` (`AdsBot-Google`) has `no_group` also for a file without groups. `http_status` with `unknown`: nothing decidable was fetched. Besides: `no_capture` (no capture of the origin of the URL at that time), `bad_url` (not an absolute URL with a host, or one that only a browser would repair, such as `https:/`, a backslash or a line end in it, or longer than 1 MiB, where it is cut), `bad_time` (a time in the list that cannot be read).";
    crawl: Text null, "The crawl of `robots_id`: join other tables `USING (crawl, robots_id)`.";
    preference: Text null, "The preference of the chosen category for this URL, by the vocabulary at the time of the capture: `allowed`, `disallowed`, `unknown` (neither), or `not_crawlable`. Null without `--category`, and where `access` is `unknown`.";
    preference_line: Int null, "The line of the statement that decides `preference`, or of the rule that disallows the URL.";
}}
