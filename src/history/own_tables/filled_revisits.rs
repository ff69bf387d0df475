use tables::table;

table! { of_fields "One row per revisit whose content is known: a capture of the same crawl or an earlier one has it (docs/verdicts.md). The rules of that capture apply. Sorted by `capture_no`." {
    capture_no: Long delta, "The revisit, in `host_captures`.";
    rules_period_id: Long, "The period of the capture with the content, in `host_periods`: the columns from `fetch_status` on and the policy apply.";
    rules_crawl: Text, "The crawl of that capture.";
}}
