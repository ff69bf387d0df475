-- One row per revisit whose content is known: a capture of the same crawl or an earlier one has it (docs/verdicts.md). The rules of that capture apply. Sorted by `capture_no`.
CREATE TABLE filled_revisits (
  capture_no BIGINT NOT NULL, -- The revisit, in `host_captures`.
  rules_period_id BIGINT NOT NULL, -- The period of the capture with the content, in `host_periods`: the columns from `fetch_status` on and the policy apply.
  rules_crawl VARCHAR NOT NULL -- The crawl of that capture.
);
