-- One row per crawler of the registry.
CREATE TABLE agents (
  agent VARCHAR NOT NULL, -- The whole name, lower-cased, as in `groups` and `verdicts`.
  token VARCHAR NOT NULL, -- The name as its operator writes it.
  operator VARCHAR, -- Who runs it.
  category VARCHAR, -- What it is for; an opinion, to be overridden by `--agents`.
  category2 VARCHAR, -- A second category, where one is not enough.
  purpose VARCHAR, -- The same in words.
  fallbacks VARCHAR, -- Names whose groups it obeys if it has none of its own, in order, lower-cased, parted by commas.
  ignores_wildcard BOOLEAN NOT NULL, -- Whether it does not obey the groups of `*`.
  is_control_token BOOLEAN NOT NULL, -- Whether no crawler sends it: it only states what may be done with content.
  source VARCHAR -- Where the entry is from: codes of lists, joined by `+`.
);
