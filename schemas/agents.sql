-- One row per crawler in the registry.
CREATE TABLE agents (
  agent VARCHAR NOT NULL, -- The whole name, lower-cased, as in `groups` and `verdicts`.
  token VARCHAR NOT NULL, -- The name as its operator writes it.
  operator VARCHAR, -- The operator of the crawler.
  category VARCHAR, -- The purpose of the crawler as a category. This is an opinion, which `--agents` can replace. Null if the registry has none; a crawler that is not in the registry has no row here, and a null category in a join.
  category2 VARCHAR, -- A second category, if one is not enough.
  purpose VARCHAR, -- The purpose in words.
  fallbacks VARCHAR, -- The names whose groups the crawler obeys if no group names it, in order, lower-cased, separated by commas.
  ignores_wildcard BOOLEAN NOT NULL, -- True if the crawler does not obey groups of `*`.
  is_control_token BOOLEAN NOT NULL, -- True if no crawler sends this token: it only controls what may be done with content.
  source VARCHAR, -- The sources of the entry: codes of lists, joined by `+`.
  other_spellings VARCHAR, -- Other names of the crawler as they are written, separated by commas. They do not take part in verdicts.
  operator_page VARCHAR -- The address of the page on which the operator describes the crawler.
);
