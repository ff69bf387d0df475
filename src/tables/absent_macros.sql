
-- These macros need a history, and say so.
CREATE OR REPLACE MACRO hosts_at(crawl) AS TABLE SELECT error('hosts_at needs a history: robots-scan history DATASET -o HISTORY, then duckdb -init HISTORY/views.sql') AS history;
COMMENT ON MACRO TABLE hosts_at IS 'Only in the views of a history';
CREATE OR REPLACE MACRO verdicts_at(crawl) AS TABLE SELECT error('verdicts_at needs a history: robots-scan history DATASET -o HISTORY, then duckdb -init HISTORY/views.sql') AS history;
COMMENT ON MACRO TABLE verdicts_at IS 'Only in the views of a history';
CREATE OR REPLACE MACRO groups_at(host, crawl) AS TABLE SELECT error('groups_at needs a history: robots-scan history DATASET -o HISTORY, then duckdb -init HISTORY/views.sql') AS history;
COMMENT ON MACRO TABLE groups_at IS 'Only in the views of a history';
CREATE OR REPLACE MACRO rules_at(host, crawl) AS TABLE SELECT error('rules_at needs a history: robots-scan history DATASET -o HISTORY, then duckdb -init HISTORY/views.sql') AS history;
COMMENT ON MACRO TABLE rules_at IS 'Only in the views of a history';
CREATE OR REPLACE MACRO captures_of(host) AS TABLE SELECT error('captures_of needs a history: robots-scan history DATASET -o HISTORY, then duckdb -init HISTORY/views.sql') AS history;
COMMENT ON MACRO TABLE captures_of IS 'Only in the views of a history';
CREATE OR REPLACE MACRO periods_of(host) AS TABLE SELECT error('periods_of needs a history: robots-scan history DATASET -o HISTORY, then duckdb -init HISTORY/views.sql') AS history;
COMMENT ON MACRO TABLE periods_of IS 'Only in the views of a history';
CREATE OR REPLACE MACRO trend(agent := 'GPTBot', crawl := NULL, any_name := false) AS TABLE SELECT error('trend needs a history: robots-scan history DATASET -o HISTORY, then duckdb -init HISTORY/views.sql') AS history;
COMMENT ON MACRO TABLE trend IS 'Only in the views of a history';
CREATE OR REPLACE MACRO hosts_first_blocking(agent := 'GPTBot', crawl := NULL, any_name := false) AS TABLE SELECT error('hosts_first_blocking needs a history: robots-scan history DATASET -o HISTORY, then duckdb -init HISTORY/views.sql') AS history;
COMMENT ON MACRO TABLE hosts_first_blocking IS 'Only in the views of a history';
CREATE OR REPLACE MACRO changes_of(host) AS TABLE SELECT error('changes_of needs a history: robots-scan history DATASET -o HISTORY, then duckdb -init HISTORY/views.sql') AS history;
COMMENT ON MACRO TABLE changes_of IS 'Only in the views of a history';
CREATE OR REPLACE MACRO survival_of_blocks(agent := 'GPTBot', step_days := 90, any_name := false) AS TABLE SELECT error('survival_of_blocks needs a history: robots-scan history DATASET -o HISTORY, then duckdb -init HISTORY/views.sql') AS history;
COMMENT ON MACRO TABLE survival_of_blocks IS 'Only in the views of a history';
CREATE OR REPLACE MACRO domains_ever_blocking(agent := 'GPTBot', crawl := NULL, any_name := false) AS TABLE SELECT error('domains_ever_blocking needs a history: robots-scan history DATASET -o HISTORY, then duckdb -init HISTORY/views.sql') AS history;
COMMENT ON MACRO TABLE domains_ever_blocking IS 'Only in the views of a history';
CREATE OR REPLACE MACRO first_block_of_hosts(agent := 'GPTBot', top := 1000, any_name := false) AS TABLE SELECT error('first_block_of_hosts needs a history: robots-scan history DATASET -o HISTORY, then duckdb -init HISTORY/views.sql') AS history;
COMMENT ON MACRO TABLE first_block_of_hosts IS 'Only in the views of a history';
