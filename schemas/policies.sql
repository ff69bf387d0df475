-- One row per policy: the lines of a robots.txt file that any dialect or a preference reads, with their numbers. Files with equal lines at equal numbers have the same policy, whatever their comments and sitemaps are. Sorted by `policy_id`.
CREATE TABLE policies (
  policy_id VARCHAR NOT NULL, -- Key of the policy: a digest of its lines, in hexadecimal (docs/tables.md#keys). It is the same in every history.
  is_valid_utf8 BOOLEAN NOT NULL, -- As in `robots_files`: false if the texts have `\` doubled and invalid bytes as `\xHH`.
  n_user_agents INTEGER NOT NULL, -- Rows of `policy_groups`.
  n_rules INTEGER NOT NULL, -- Rows of `policy_rules`.
  n_directives INTEGER NOT NULL, -- Rows of `policy_directives`.
  n_verdicts INTEGER NOT NULL -- Rows of `policy_verdicts`.
);
