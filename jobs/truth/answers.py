"""The answers to the research questions over the crawls of crawl.toml, worked out on paper.

They follow from crawl.toml, agents.csv and the definitions in docs/, never from an output of the program. A difference between an
answer here and the program is resolved by the definitions, not by copying the output.

An answer is a macro call and a table. `old` and `new` are the crawls, `-` is null, and a number may be a fraction or a sum, so that the
arithmetic stays visible; it is rounded to six digits. Rows are in order. The columns low and high may be left out: they must then be
null, since the crawls are not samples. `line 2 of target` is a line of a text in crawl.toml.

The sheet. Every host of the crawls, with the verdict of '*' and of every name in its rules. D: disallow_all, A: allow_all,
P: partial, ?: unknown. In brackets: the basis, or the line of crawl.toml that explains it. A host without a registered domain is a
domain of its own.

    domain         host      old                                        new
    example.com    b1 .. b5  gptbot D, * A [no_group]; b1 to b4 only    the same; b1 to b5
    example.co.uk  news      gptbot, ccbot, google-extended D, * P      the same with claudebot, perplexitybot D
                   shop      * P                                        the same
    example.org    wiki      * D                                        the same
                   lab       403: A                                     the same
    example.net    paper     * P                                        gptbot, google-extended D, * P
                   signal    (not in this crawl)                        * A [rule]
    example.de     target    ccbot D, * A [rule]                        the same
                   delay     semrushbot P, * P                          the same
    single         garden    googlebot A, googlebot-news D, * D         the same
                   down      503: D                                     404: A
                   page      A [html]                                   the same
                   empty     A [empty]                                  the same
                   notes     A [no_rules]                               the same
                   moved     the rules of target                        the same
                   away      ?                                          ?
                   192.0.2.7 gptbot D, chatgpt-user A, * D              the same
                   names     gptbot, mj12bot, kangaroo bot D,           the same
                             * A [no_group]
                   usage     (not in this crawl)                        gptbot D, * P
                   both      (not in this crawl)                        * A [rule]
                   managed   (not in this crawl)                        gptbot, ccbot D, * P
                   second    (not in this crawl)                        the rules of managed
                   invite    gptbot, claudebot A, * P                   the same
                   fallback  googlebot D, * A [no_group]                the same
                   twice     * P                                        gptbot D, * P
                   kept      ccbot D, * A [no_group]                    the same (a revisit)
                   lost      (not in this crawl)                        ?
                   busy      (not in this crawl)                        429: D
                   gone      * A [rule]                                 (not in this crawl)

Denominators, as hosts and domains. A host of a domain with n hosts in the denominator has the weight 1/n.

    captured     old 25 and 19: com 4, co.uk 2, org 2, net 1, de 2, and 14 singles
                 new 32 and 24: com 5, co.uk 2, org 2, net 2, de 2, and 19 singles
    decided      old 24 and 18: without away
                 new 30 and 22: without away, lost
    successful   old 22 and 17: without lab, down, away; org has only wiki
                 new 27 and 20: without lab, down, away, lost, busy; org has only wiki
    rules        old 19 and 14: and without page, empty, notes
                 new 24 and 17: and without page, empty, notes

Rule sets with more than one host: the blogs (4 and 5 hosts), target and moved (2), managed and second (2, new), and the empty rule set
of page, empty and notes (3). Statuses, away and lost have no rule set.
"""

from dataclasses import dataclass

CRAWLS = {"old": "CC-TRUTH-2024-10", "new": "CC-MAIN-2025-38"}

SHARES = "hosts | of_hosts | share | domains | of_domains | share_of_domains | largest_domain | largest_ruleset"
BLOCKING = ("hosts | domains | blocked_by_name | blocked_by_wildcard | blocked_by_status | domains_blocked_by_name | "
            "domains_blocked_by_wildcard | domains_blocked_by_status | largest_domain | largest_ruleset")


@dataclass
class Answer:
    """The expected answer to one call of a macro."""

    question: str
    call: str
    table: str
    omitted: tuple = ()  # Columns that paper cannot know, such as a hash.
    in_any_order: bool = False  # Rows are tied, and a hash decides their order.
    defect: str = ""  # A known defect of the macro. The test fails when it is fixed, so that this is removed.
    defect_columns: tuple = ()  # The columns that are wrong because of it,
    defect_rows: str = ""  # in rows with this cell; empty for all rows.


ANSWERS = []


def answer(question, call, table, **options):
    ANSWERS.append(Answer(question, call, table, **options))


# ---- blocking of one crawler --------------------------------------------------------------------------------------------------------

# GPTBot, old: by name b1 to b4, news, 192.0.2.7, names = 7; weights 1 + 1/2 + 1 + 1. Through '*' wiki, garden; 192.0.2.7 names GPTBot.
# By status down. Partial: shop, paper, delay, twice; weights 1/2 + 1 + 1/2 + 1. The blogs are 4 of the 7.
# New: by name b1 to b5, news, paper, 192.0.2.7, names, usage, managed, second, twice = 13; weights 1 + 1/2 + 1/2 + 6. By status busy.
# Partial: shop, delay.
answer("q01", "share_of_hosts_blocking()", f"""
crawl | {BLOCKING} | partial | domains_partial
old | 24 | 18 | 7/24 | 2/24 | 1/24 | 3.5/18 | 1.5/18 | 1/18 | 4/7 | 4/7 | 4/24 | 3/18
new | 30 | 22 | 13/30 | 2/30 | 1/30 | 8/22 | 1.5/22 | 1/22 | 5/13 | 5/13 | 2/30 | 1/22
""")

# Googlebot-News obeys its own group, otherwise that of Googlebot, so garden and fallback block it by name. Through '*': wiki, 192.0.2.7.
# Partial: every host with a partial '*': old news, shop, paper, delay, invite, twice; weights 1 + 1 + 1/2 + 2. New: news, shop, paper,
# delay, usage, managed, second, invite, twice; weights 1 + 1/2 + 1/2 + 5.
answer("q01", "share_of_hosts_blocking(agent := 'Googlebot-News')", f"""
crawl | {BLOCKING} | partial | domains_partial
old | 24 | 18 | 2/24 | 2/24 | 1/24 | 2/18 | 1.5/18 | 1/18 | 1/2 | 1/2 | 6/24 | 4.5/18
new | 30 | 22 | 2/30 | 2/30 | 1/30 | 2/22 | 1.5/22 | 1/22 | 1/2 | 1/2 | 9/30 | 7/22
""")

# gptbot as above, and invite names it without a block: ratio 7/8 and 13/14. ccbot, old: news, target, moved, kept; weights
# 1/2 + 1/2 + 2; new also managed, second. googlebot is named by garden (allowed) and fallback (blocked). google-extended: news, and in
# the new crawl paper. claudebot, new: blocked by news, allowed by invite. googlebot-news: garden. 'kangaroo bot' is not in the registry.
answer("q02", "most_blocked_agents()", f"""
crawl | agent | operator | category | named | ratio | {SHARES}
old | gptbot | OpenAI | ai_training | 8 | 7/8 | 7 | 24 | 7/24 | 4 | 18 | 3.5/18 | 4/7 | 4/7
old | ccbot | Common Crawl | ai_training | 4 | 1 | 4 | 24 | 4/24 | 4 | 18 | 3/18 | 1/4 | 2/4
old | googlebot | Google | search_engine | 2 | 1/2 | 1 | 24 | 1/24 | 1 | 18 | 1/18 | 1 | 1
old | google-extended | Google | ai_training | 1 | 1 | 1 | 24 | 1/24 | 1 | 18 | 0.5/18 | 1 | 1
old | googlebot-news | Google | search_engine | 1 | 1 | 1 | 24 | 1/24 | 1 | 18 | 1/18 | 1 | 1
old | kangaroo bot | - | - | 1 | 1 | 1 | 24 | 1/24 | 1 | 18 | 1/18 | 1 | 1
old | mj12bot | Majestic | seo | 1 | 1 | 1 | 24 | 1/24 | 1 | 18 | 1/18 | 1 | 1
new | gptbot | OpenAI | ai_training | 14 | 13/14 | 13 | 30 | 13/30 | 9 | 22 | 8/22 | 5/13 | 5/13
new | ccbot | Common Crawl | ai_training | 6 | 1 | 6 | 30 | 6/30 | 6 | 22 | 5/22 | 1/6 | 2/6
new | google-extended | Google | ai_training | 2 | 1 | 2 | 30 | 2/30 | 2 | 22 | 1/22 | 1/2 | 1/2
new | claudebot | Anthropic | ai_training | 2 | 1/2 | 1 | 30 | 1/30 | 1 | 22 | 0.5/22 | 1 | 1
new | googlebot | Google | search_engine | 2 | 1/2 | 1 | 30 | 1/30 | 1 | 22 | 1/22 | 1 | 1
new | googlebot-news | Google | search_engine | 1 | 1 | 1 | 30 | 1/30 | 1 | 22 | 1/22 | 1 | 1
new | kangaroo bot | - | - | 1 | 1 | 1 | 30 | 1/30 | 1 | 22 | 1/22 | 1 | 1
new | mj12bot | Majestic | seo | 1 | 1 | 1 | 30 | 1/30 | 1 | 22 | 1/22 | 1 | 1
new | perplexitybot | Perplexity | ai_search | 1 | 1 | 1 | 30 | 1/30 | 1 | 22 | 0.5/22 | 1 | 1
""")

# ranks.csv (see LISTS). Up to 1,000: example.com itself was not captured; names blocks GPTBot by name, twice in the new crawl only.
# Up to 10,000: news. Up to 1,000,000: away is unknown; busy is in the new crawl, with 429. In the old crawl, away is captured and
# nothing of the bucket is known, so it has no shares.
answer("q03", "blocking_by_rank(list := '{lists}/ranks.csv')", f"""
crawl | up_to_rank | in_list | captured | {BLOCKING}
old | 1000 | 3 | 2 | 2 | 2 | 1/2 | 0 | 0 | 1/2 | 0 | 0 | 1 | 1
old | 10000 | 1 | 1 | 1 | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 1 | 1
old | 1000000 | 2 | 1 | 0 | 0 | - | - | - | - | - | - | - | -
new | 1000 | 3 | 2 | 2 | 2 | 1 | 0 | 0 | 1 | 0 | 0 | 1/2 | 1/2
new | 10000 | 1 | 1 | 1 | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 1 | 1
new | 1000000 | 2 | 2 | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 1 | - | -
""")

# The same hosts in a web graph: twice has two ranks, of which 1,000 counts.
answer("q44", "blocking_by_webgraph_rank(ranks := '{lists}/host-ranks.txt', agent := 'GPTBot')", f"""
crawl | up_to_rank | in_graph | captured | {BLOCKING}
old | 1000 | 3 | 2 | 2 | 2 | 1/2 | 0 | 0 | 1/2 | 0 | 0 | 1 | 1
old | 10000 | 1 | 1 | 1 | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 1 | 1
old | 1000000 | 2 | 1 | 0 | 0 | - | - | - | - | - | - | - | -
new | 1000 | 3 | 2 | 2 | 2 | 1 | 0 | 0 | 1 | 0 | 0 | 1/2 | 1/2
new | 10000 | 1 | 1 | 1 | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 1 | 1
new | 1000000 | 2 | 2 | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 1 | - | -
""")

# host_index (see LISTS), for CCBot. Old: 6 news by name; 5 b1 (allowed), wiki (through '*'), away (unknown); 4 down by status; 3 was not
# captured. New: 6 news; 5 b1 (allowed) and managed (by name); 4 was not captured.
answer("q04", "blocking_by_centrality(index := '{lists}/host-index/crawl=*/*.parquet')", f"""
crawl | centrality | in_index | {BLOCKING}
old | 6 | 1 | 1 | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 1 | 1
old | 5 | 3 | 2 | 2 | 0 | 1/2 | 0 | 0 | 1/2 | 0 | - | -
old | 4 | 1 | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 1 | - | -
old | 3 | 1 | 0 | 0 | - | - | - | - | - | - | - | -
new | 6 | 1 | 1 | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 1 | 1
new | 5 | 2 | 2 | 2 | 1/2 | 0 | 0 | 1/2 | 0 | 0 | 1 | 1
new | 4 | 1 | 0 | 0 | - | - | - | - | - | - | - | -
""")

# Old, by name: any host of com, co.uk, 192.0.2.7, names; every host of com, 192.0.2.7, names. Through '*': any of org, garden; every of
# garden. New, by name: any of com, co.uk, net and 6 singles; every of com and 6 singles.
answer("q05", "hosts_or_registered_domains()", """
crawl | reason | hosts | domains | hosts_of_largest_domain | hosts_blocked | domains_blocked | domains_any_host_blocked | domains_every_host_blocked | largest_domain | low | high
old | name | 24 | 18 | 4 | 7/24 | 3.5/18 | 4/18 | 3/18 | 4/7 | - | -
old | status | 24 | 18 | 4 | 1/24 | 1/18 | 1/18 | 1/18 | 1 | - | -
old | wildcard | 24 | 18 | 4 | 2/24 | 1.5/18 | 2/18 | 1/18 | 1/2 | - | -
new | name | 30 | 22 | 5 | 13/30 | 8/22 | 9/22 | 7/22 | 5/13 | - | -
new | status | 30 | 22 | 5 | 1/30 | 1/22 | 1/22 | 1/22 | 1 | - | -
new | wildcard | 30 | 22 | 5 | 2/30 | 1.5/22 | 2/22 | 1/22 | 1/2 | - | -
""")

# The hosts of .example: old garden (through '*'), down (status), names (by name) and 9 others; new names, usage, managed, second, twice
# (by name), garden, busy and 9 others; managed and second have one rule set. An IP address has no top-level domain.
answer("q06", "blocking_by_tld(min_hosts := 1)", f"""
crawl | url_host_tld | {BLOCKING}
old | com | 4 | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 1 | 1
old | - | 1 | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 1 | 1
old | uk | 2 | 1 | 1/2 | 0 | 0 | 1/2 | 0 | 0 | 1 | 1
old | example | 12 | 12 | 1/12 | 1/12 | 1/12 | 1/12 | 1/12 | 1/12 | 1 | 1
old | de | 2 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | - | -
old | org | 2 | 1 | 0 | 1/2 | 0 | 0 | 1/2 | 0 | - | -
old | net | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | - | -
new | com | 5 | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 1 | 1
new | - | 1 | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 1 | 1
new | net | 2 | 1 | 1/2 | 0 | 0 | 1/2 | 0 | 0 | 1 | 1
new | uk | 2 | 1 | 1/2 | 0 | 0 | 1/2 | 0 | 0 | 1 | 1
new | example | 16 | 16 | 5/16 | 1/16 | 1/16 | 5/16 | 1/16 | 1/16 | 1/5 | 2/5
new | de | 2 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | - | -
new | org | 2 | 1 | 0 | 1/2 | 0 | 0 | 1/2 | 0 | - | -
""")

# ---- outcomes and access ------------------------------------------------------------------------------------------------------------

# Old: with rules 19 hosts; weights com 1, co.uk 1, org 1/2 (lab is 403), net 1, de 1, 9 singles = 13.5. Without rules: empty, notes, both
# with the empty rule set. page is not a robots.txt. The rest has no rule set, so that largest_ruleset is 0.
# New: weights of the 24 with rules: com 1, co.uk 1, org 1/2, net 1, de 1, 12 singles = 16.5.
answer("q07", "outcome_funnel()", f"""
crawl | outcome | {SHARES}
old | robots.txt with rules | 19 | 25 | 19/25 | 14 | 19 | 13.5/19 | 4/19 | 4/19
old | robots.txt without rules | 2 | 25 | 2/25 | 2 | 19 | 2/19 | 1/2 | 1
old | defer_visits | 1 | 25 | 1/25 | 1 | 19 | 1/19 | 1 | 0
old | forbidden | 1 | 25 | 1/25 | 1 | 19 | 0.5/19 | 1 | 0
old | not a robots.txt | 1 | 25 | 1/25 | 1 | 19 | 1/19 | 1 | 1
old | redirect | 1 | 25 | 1/25 | 1 | 19 | 1/19 | 1 | 0
new | robots.txt with rules | 24 | 32 | 24/32 | 17 | 24 | 16.5/24 | 5/24 | 5/24
new | robots.txt without rules | 2 | 32 | 2/32 | 2 | 24 | 2/24 | 1/2 | 1
new | defer_visits | 1 | 32 | 1/32 | 1 | 24 | 1/24 | 1 | 0
new | forbidden | 1 | 32 | 1/32 | 1 | 24 | 0.5/24 | 1 | 0
new | not a robots.txt | 1 | 32 | 1/32 | 1 | 24 | 1/24 | 1 | 1
new | notfound | 1 | 32 | 1/32 | 1 | 24 | 1/24 | 1 | 0
new | redirect | 1 | 32 | 1/32 | 1 | 24 | 1/24 | 1 | 0
new | revisit without content | 1 | 32 | 1/32 | 1 | 24 | 1/24 | 1 | 0
""")

# GPTBot. Old, allowed: invite by name; shop, paper, target, delay, moved, twice, gone through '*'; lab by status; page, empty, notes,
# fallback, kept by no rule. Domains: co.uk, org, net, de and 9 singles; weights 1/2 + 1/2 + 1 + 1 + 9. de has 2 of the 14 hosts, and 3
# have the empty rule set. Disallowed: the 7, 2 and 1 of question 1; weights 3.5 + 1.5 + 1.
# New, allowed: invite; shop, signal, target, delay, moved, both; lab, down; page, empty, notes, fallback, kept. Weights
# 1/2 + 1/2 + 1/2 + 1 + 9. Disallowed: 13, 2 and 1; weights 8 + 1.5 + 1.
answer("q08", "access_in_three()", f"""
crawl | access | {SHARES} | by_name | by_wildcard | by_status | by_no_rule
old | allow | 14 | 25 | 14/25 | 13 | 19 | 12/19 | 2/14 | 3/14 | 1 | 7 | 1 | 5
old | disallow | 10 | 25 | 10/25 | 7 | 19 | 6/19 | 4/10 | 4/10 | 7 | 2 | 1 | 0
old | unknown | 1 | 25 | 1/25 | 1 | 19 | 1/19 | 1 | 0 | 0 | 0 | 1 | 0
new | allow | 14 | 32 | 14/32 | 13 | 24 | 11.5/24 | 2/14 | 3/14 | 1 | 6 | 2 | 5
new | disallow | 16 | 32 | 16/32 | 12 | 24 | 10.5/24 | 5/16 | 5/16 | 13 | 2 | 1 | 0
new | unknown | 2 | 32 | 2/32 | 2 | 24 | 2/24 | 1/2 | 0 | 0 | 0 | 2 | 0
""")

# ---- changes --------------------------------------------------------------------------------------------------------------------------

# From the older crawl to the newer one, although the names sort the other way. 24 hosts (all of the older crawl but gone) in 18 domains:
# com 4, co.uk 2, org 2, net 1, de 2, and 13 singles.
answer("q09", "changes_between_crawls()", """
from_crawl | to_crawl | verdict_before | basis_before | verdict_after | basis_after | hosts | of_hosts | share | domains | share_of_domains | largest_domain
# b1 to b4, news, 192.0.2.7, names
old | new | disallow_all | explicit | disallow_all | explicit | 7 | 24 | 7/24 | 4 | 3.5/18 | 4/7
# fallback, kept
old | new | allow_all | no_group | allow_all | no_group | 2 | 24 | 2/24 | 2 | 2/18 | 1/2
# target, moved
old | new | allow_all | wildcard | allow_all | wildcard | 2 | 24 | 2/24 | 2 | 1.5/18 | 1/2
# wiki, garden
old | new | disallow_all | wildcard | disallow_all | wildcard | 2 | 24 | 2/24 | 2 | 1.5/18 | 1/2
# paper, twice
old | new | partial | wildcard | disallow_all | explicit | 2 | 24 | 2/24 | 2 | 2/18 | 1/2
# shop, delay
old | new | partial | wildcard | partial | wildcard | 2 | 24 | 2/24 | 2 | 1/18 | 1/2
# empty, invite, page, lab, notes, down, away
old | new | allow_all | empty | allow_all | empty | 1 | 24 | 1/24 | 1 | 1/18 | 1
old | new | allow_all | explicit | allow_all | explicit | 1 | 24 | 1/24 | 1 | 1/18 | 1
old | new | allow_all | html | allow_all | html | 1 | 24 | 1/24 | 1 | 1/18 | 1
old | new | allow_all | http_status | allow_all | http_status | 1 | 24 | 1/24 | 1 | 0.5/18 | 1
old | new | allow_all | no_rules | allow_all | no_rules | 1 | 24 | 1/24 | 1 | 1/18 | 1
old | new | disallow_all | http_status | allow_all | http_status | 1 | 24 | 1/24 | 1 | 1/18 | 1
old | new | unknown | http_status | unknown | http_status | 1 | 24 | 1/24 | 1 | 1/18 | 1
""")

# Old: b1 to b4, news, 192.0.2.7, names, invite, in 5 domains. New: 14 hosts, of which b5, paper, usage, managed, second, twice are new;
# b5 is of a domain that named GPTBot before.
answer("q10", "first_crawl_naming()", """
crawl | hosts_in_crawl | hosts_naming | first_named | cumulative | domains_first_named | domains_cumulative
old | 25 | 8 | 8 | 8 | 5 | 5
new | 32 | 14 | 6 | 14 | 5 | 10
""")

# Within the newer crawl: b1 (two digests) and b2 (one); busy has no content. Between the crawls: 18 hosts with rules in both: b1 to b4, news, shop, wiki,
# paper, target, delay, garden, moved, 192.0.2.7, names, invite, fallback, twice, kept, in 13 domains. news, paper and twice have changed;
# weights 1/2 + 1 + 1. The statement that invite added is not a rule.
answer("q30", "change_rates()", """
crawl | urls_seen_again | bytes_changed | crawl_before | hosts_seen_again | rules_changed | domains_seen_again | domains_rules_changed | largest_domain
old | 0 | - | - | - | - | - | - | -
new | 2 | 1/2 | old | 18 | 3/18 | 13 | 2.5/13 | 1/3
""")

# Decided in both crawls: the 24 hosts of question 9 without away, in 17 domains. Old: as in question 1, without gone. New, by name:
# b1 to b4, news, paper, 192.0.2.7, names, twice; weights 1 + 1/2 + 1 + 3, since signal, the other host of net, is only in the newer crawl.
# down has no longer a status that blocks.
answer("q39", "hosts_decided_in_every_crawl()", f"""
crawl | {BLOCKING} | all_hosts | all_hosts_blocked_by_name | all_domains_blocked_by_name
old | 23 | 17 | 7/23 | 2/23 | 1/23 | 3.5/17 | 1.5/17 | 1/17 | 4/7 | 4/7 | 24 | 7/24 | 3.5/18
new | 23 | 17 | 9/23 | 2/23 | 0 | 5.5/17 | 1.5/17 | 0 | 4/9 | 4/9 | 30 | 13/30 | 8/22
""")

# ---- AI crawlers ------------------------------------------------------------------------------------------------------------------------

# Old: 3 (gptbot, ccbot, google-extended) news; 1 b1 to b4, 192.0.2.7, names, target, moved, kept, weights 1 + 1 + 1 + 1/2 + 1 + 1; 0 the
# other 14 in co.uk, org, net, de and 9 singles, weights 1/2 + 1 + 1 + 1/2 + 9, of which 3 have the empty rule set.
# New: 5 news; 2 paper, managed, second; 1 b1 to b5, 192.0.2.7, names, usage, twice, target, moved, kept; 0 the other 14 in co.uk, org,
# net, de and 9 singles, weights 1/2 + 1 + 1/2 + 1/2 + 9.
answer("q11", "number_of_ai_agents_blocked()", f"""
crawl | agents_blocked | {SHARES} | share_this_many_or_more | share_of_domains_this_many_or_more
old | 0 | 14 | 24 | 14/24 | 13 | 18 | 12/18 | 2/14 | 3/14 | 1 | 1
old | 1 | 9 | 24 | 9/24 | 6 | 18 | 5.5/18 | 4/9 | 4/9 | 10/24 | 6/18
old | 3 | 1 | 24 | 1/24 | 1 | 18 | 0.5/18 | 1 | 1 | 1/24 | 0.5/18
new | 0 | 14 | 30 | 14/30 | 13 | 22 | 11.5/22 | 2/14 | 3/14 | 1 | 1
new | 1 | 12 | 30 | 12/30 | 8 | 22 | 7.5/22 | 5/12 | 5/12 | 16/30 | 10.5/22
new | 2 | 3 | 30 | 3/30 | 3 | 22 | 2.5/22 | 1/3 | 2/3 | 4/30 | 3/22
new | 5 | 1 | 30 | 1/30 | 1 | 22 | 0.5/22 | 1 | 1 | 1/30 | 0.5/22
""")

# Training: GPTBot, CCBot, Google-Extended, ClaudeBot. Search: PerplexityBot, Applebot, which obeys the group of Googlebot. Assistants:
# ChatGPT-User, and PageReader, which ignores '*'. One blocked crawler of a purpose is enough.
# Old: all three wiki, garden (ChatGPT-User through '*'), down (status), weights 1/2 + 2; training and search 192.0.2.7, which allows
# ChatGPT-User by name; only search fallback; only training
# b1 to b4, news, target, moved, names, kept, weights 1 + 1/2 + 1/2 + 3; nothing shop, lab, paper, delay, page, empty, notes, invite,
# twice, gone, weights 1/2 + 1/2 + 1 + 1/2 + 6.
# New: all three wiki, garden, busy; training and search news (PerplexityBot by name) and 192.0.2.7; only search fallback; only training
# b1 to b5, paper, target, moved, names, usage, managed, second, twice, kept, weights 1 + 1/2 + 1/2 + 7; nothing shop, lab, signal, delay,
# down, page, empty, notes, both, invite, weights 4 * 1/2 + 6.
answer("q12", "training_or_search()", f"""
crawl | training_blocked | search_blocked | assistant_blocked | {SHARES}
old | false | false | false | 10 | 24 | 10/24 | 10 | 18 | 8.5/18 | 1/10 | 3/10
old | true | false | false | 9 | 24 | 9/24 | 6 | 18 | 5/18 | 4/9 | 4/9
old | true | true | true | 3 | 24 | 3/24 | 3 | 18 | 2.5/18 | 1/3 | 1/3
old | false | true | false | 1 | 24 | 1/24 | 1 | 18 | 1/18 | 1 | 1
old | true | true | false | 1 | 24 | 1/24 | 1 | 18 | 1/18 | 1 | 1
new | true | false | false | 14 | 30 | 14/30 | 10 | 22 | 9/22 | 5/14 | 5/14
new | false | false | false | 10 | 30 | 10/30 | 10 | 22 | 8/22 | 1/10 | 3/10
new | true | true | true | 3 | 30 | 3/30 | 3 | 22 | 2.5/22 | 1/3 | 1/3
new | true | true | false | 2 | 30 | 2/30 | 2 | 22 | 1.5/22 | 1/2 | 1/2
new | false | true | false | 1 | 30 | 1/30 | 1 | 22 | 1/22 | 1 | 1
""")

# Only garden blocks '*' and allows Googlebot. The empty Disallow decides no path, so the first line of the group is the evidence.
answer("q13", "walled_gardens()", """
crawl | hosts | domains | surt_host_name | url_host_name | googlebot | googlebot_line | url | hosts_with_ruleset
old | 1 | 1 | example,garden | garden.example | allow_all | 4 | https://garden.example/robots.txt | 1
new | 1 | 1 | example,garden | garden.example | allow_all | 4 | https://garden.example/robots.txt | 1
""")

# '*' is blocked by its rules on wiki, garden, 192.0.2.7: 3 hosts with the weight 1/2 + 1 + 1 = 2.5.
answer("q14", "bias_against_agents()", """
crawl | agent | hosts | hosts_blocking_all | against_everybody | domains_against_everybody | share | share_of_domains | largest_domain | largest_ruleset
old | gptbot | 7 | 3 | 7/3 | 3.5/2.5 | 7/24 | 3.5/18 | 4/7 | 4/7
old | ccbot | 4 | 3 | 4/3 | 3/2.5 | 4/24 | 3/18 | 1/4 | 2/4
old | google-extended | 1 | 3 | 1/3 | 0.5/2.5 | 1/24 | 0.5/18 | 1 | 1
old | googlebot | 1 | 3 | 1/3 | 1/2.5 | 1/24 | 1/18 | 1 | 1
old | googlebot-news | 1 | 3 | 1/3 | 1/2.5 | 1/24 | 1/18 | 1 | 1
old | kangaroo bot | 1 | 3 | 1/3 | 1/2.5 | 1/24 | 1/18 | 1 | 1
old | mj12bot | 1 | 3 | 1/3 | 1/2.5 | 1/24 | 1/18 | 1 | 1
new | gptbot | 13 | 3 | 13/3 | 8/2.5 | 13/30 | 8/22 | 5/13 | 5/13
new | ccbot | 6 | 3 | 6/3 | 5/2.5 | 6/30 | 5/22 | 1/6 | 2/6
new | google-extended | 2 | 3 | 2/3 | 1/2.5 | 2/30 | 1/22 | 1/2 | 1/2
new | claudebot | 1 | 3 | 1/3 | 0.5/2.5 | 1/30 | 0.5/22 | 1 | 1
new | googlebot | 1 | 3 | 1/3 | 1/2.5 | 1/30 | 1/22 | 1 | 1
new | googlebot-news | 1 | 3 | 1/3 | 1/2.5 | 1/30 | 1/22 | 1 | 1
new | kangaroo bot | 1 | 3 | 1/3 | 1/2.5 | 1/30 | 1/22 | 1 | 1
new | mj12bot | 1 | 3 | 1/3 | 1/2.5 | 1/30 | 1/22 | 1 | 1
new | perplexitybot | 1 | 3 | 1/3 | 0.5/2.5 | 1/30 | 0.5/22 | 1 | 1
""")

# Old: the 3 pairs of news, and gptbot with mj12bot on names; 'kangaroo bot' is not in the registry. ccbot is blocked by 4 hosts, gptbot
# by 7. New: the 10 pairs of news; ccbot with gptbot also on managed and second; google-extended with gptbot also on paper.
answer("q15", "agents_blocked_together()", """
crawl | agent_a | agent_b | hosts | domains | share_of_rarer | largest_domain | largest_ruleset
old | ccbot | google-extended | 1 | 1 | 1/1 | 1 | 1
old | ccbot | gptbot | 1 | 1 | 1/4 | 1 | 1
old | google-extended | gptbot | 1 | 1 | 1/1 | 1 | 1
old | gptbot | mj12bot | 1 | 1 | 1/1 | 1 | 1
new | ccbot | gptbot | 3 | 3 | 3/6 | 1/3 | 2/3
new | google-extended | gptbot | 2 | 2 | 2/2 | 1/2 | 1/2
new | ccbot | claudebot | 1 | 1 | 1/1 | 1 | 1
new | ccbot | google-extended | 1 | 1 | 1/2 | 1 | 1
new | ccbot | perplexitybot | 1 | 1 | 1/1 | 1 | 1
new | claudebot | google-extended | 1 | 1 | 1/1 | 1 | 1
new | claudebot | gptbot | 1 | 1 | 1/1 | 1 | 1
new | claudebot | perplexitybot | 1 | 1 | 1/1 | 1 | 1
new | google-extended | perplexitybot | 1 | 1 | 1/1 | 1 | 1
new | gptbot | mj12bot | 1 | 1 | 1/1 | 1 | 1
new | gptbot | perplexitybot | 1 | 1 | 1/1 | 1 | 1
""")

# invite allows gptbot and claudebot everything, 192.0.2.7 chatgpt-user. gptbot is named by 8 and 14 hosts, claudebot by invite and, in the new crawl, news.
answer("q34", "invitations()", f"""
crawl | agent | operator | category | named | ratio | {SHARES}
old | gptbot | OpenAI | ai_training | 8 | 1/8 | 1 | 24 | 1/24 | 1 | 18 | 1/18 | 1 | 1
old | chatgpt-user | OpenAI | ai_assistant | 1 | 1 | 1 | 24 | 1/24 | 1 | 18 | 1/18 | 1 | 1
old | claudebot | Anthropic | ai_training | 1 | 1 | 1 | 24 | 1/24 | 1 | 18 | 1/18 | 1 | 1
new | gptbot | OpenAI | ai_training | 14 | 1/14 | 1 | 30 | 1/30 | 1 | 22 | 1/22 | 1 | 1
new | claudebot | Anthropic | ai_training | 2 | 1/2 | 1 | 30 | 1/30 | 1 | 22 | 1/22 | 1 | 1
new | chatgpt-user | OpenAI | ai_assistant | 1 | 1 | 1 | 30 | 1/30 | 1 | 22 | 1/22 | 1 | 1
""")

# Old: both news; only ccbot target, moved, kept, weights 1/2 + 2; only gptbot b1 to b4, 192.0.2.7, names; neither as the row 0 of
# question 11. New: both news, managed, second; only ccbot the same three; only gptbot b1 to b5, paper, 192.0.2.7, names, usage, twice,
# weights 1 + 1/2 + 4.
answer("q40", "pair_of_agents()", f"""
crawl | blocked | {SHARES}
old | both | 1 | 24 | 1/24 | 1 | 18 | 0.5/18 | 1 | 1
old | neither | 14 | 24 | 14/24 | 13 | 18 | 12/18 | 2/14 | 3/14
old | only ccbot | 3 | 24 | 3/24 | 3 | 18 | 2.5/18 | 1/3 | 2/3
old | only gptbot | 6 | 24 | 6/24 | 3 | 18 | 3/18 | 4/6 | 4/6
new | both | 3 | 30 | 3/30 | 3 | 22 | 2.5/22 | 1/3 | 2/3
new | neither | 14 | 30 | 14/30 | 13 | 22 | 11.5/22 | 2/14 | 3/14
new | only ccbot | 3 | 30 | 3/30 | 3 | 22 | 2.5/22 | 1/3 | 2/3
new | only gptbot | 10 | 30 | 10/30 | 6 | 22 | 5.5/22 | 5/10 | 5/10
""")

# With blocks for any reason. Old: both news, wiki, garden, 192.0.2.7, down; only gptbot b1 to b4, names; only ccbot target, moved, kept;
# neither 11 hosts in co.uk, org, net, de and 7 singles, weights 1/2 + 1/2 + 1 + 1/2 + 7. New: both news, managed, second, wiki, garden,
# 192.0.2.7, busy, weights 1/2 + 2 + 1/2 + 3; only gptbot b1 to b5, paper, names, usage, twice, weights 1 + 1/2 + 3; neither weights 4 * 1/2 + 7.
answer("q40", "pair_of_agents(any_reason := true)", f"""
crawl | blocked | {SHARES}
old | both | 5 | 24 | 5/24 | 5 | 18 | 4/18 | 1/5 | 1/5
old | neither | 11 | 24 | 11/24 | 11 | 18 | 9.5/18 | 1/11 | 3/11
old | only ccbot | 3 | 24 | 3/24 | 3 | 18 | 2.5/18 | 1/3 | 2/3
old | only gptbot | 5 | 24 | 5/24 | 2 | 18 | 2/18 | 4/5 | 4/5
new | both | 7 | 30 | 7/30 | 7 | 22 | 6/22 | 1/7 | 2/7
new | neither | 11 | 30 | 11/30 | 11 | 22 | 9/22 | 1/11 | 3/11
new | only ccbot | 3 | 30 | 3/30 | 3 | 22 | 2.5/22 | 1/3 | 2/3
new | only gptbot | 9 | 30 | 9/30 | 5 | 22 | 4.5/22 | 5/9 | 5/9
""")

# The registry has 4 training crawlers. Old: any 10 hosts (24 without the row 0 of question 11); at least two news; all none. New: any 16;
# at least two news, paper, managed, second; all news. '*': wiki, garden, 192.0.2.7.
answer("q41", "agents_of_category(category := 'ai_training', at_least := 2)", f"""
crawl | blocked | agents | {SHARES}
old | any | 4 | 10 | 24 | 10/24 | 7 | 18 | 6/18 | 4/10 | 4/10
old | at least 2 | 4 | 1 | 24 | 1/24 | 1 | 18 | 0.5/18 | 1 | 1
old | all | 4 | 0 | 24 | 0 | 0 | 18 | 0 | - | -
old | * by its rules | 4 | 3 | 24 | 3/24 | 3 | 18 | 2.5/18 | 1/3 | 1/3
new | any | 4 | 16 | 30 | 16/30 | 12 | 22 | 10.5/22 | 5/16 | 5/16
new | at least 2 | 4 | 4 | 30 | 4/30 | 4 | 22 | 3/22 | 1/4 | 2/4
new | all | 4 | 1 | 30 | 1/30 | 1 | 22 | 0.5/22 | 1 | 1
new | * by its rules | 4 | 3 | 30 | 3/30 | 3 | 22 | 2.5/22 | 1/3 | 1/3
""")

# The AI crawlers of the registry. GPTBot as in question 1. '*' alone gives old 6 partial hosts, news, shop, paper, delay, invite, twice,
# with the weights 3/2 + 3 = 4.5; new 9, also usage, managed, second, with 4/2 + 5 = 7; and through '*' wiki, garden, 192.0.2.7 with 2.5.
# A host with a group for the crawler is subtracted from these.
# CCBot, old: news, target, moved, kept; weights 1/2 + 1/2 + 2; partial without news. New: also managed, second; 3 partial hosts less,
# weights 1/2 + 2. Google-Extended, old: news; new: news, paper; both partial before. ClaudeBot, old: invite allows it; new: also news
# blocks it. PerplexityBot, new: news. Applebot obeys the group of Googlebot: garden allows it, fallback blocks it, so '*' remains for wiki,
# 192.0.2.7. ChatGPT-User: 192.0.2.7 allows it, so '*' remains for wiki, garden. PageReader ignores '*', so only down and busy block it.
answer("q45", "blocking_by_agent()", f"""
crawl | agent | operator | category | hosts_naming | hosts_blocked_by_name | {BLOCKING} | partial | domains_partial
old | gptbot | OpenAI | ai_training | 8 | 7 | 24 | 18 | 7/24 | 2/24 | 1/24 | 3.5/18 | 1.5/18 | 1/18 | 4/7 | 4/7 | 4/24 | 3/18
old | ccbot | Common Crawl | ai_training | 4 | 4 | 24 | 18 | 4/24 | 3/24 | 1/24 | 3/18 | 2.5/18 | 1/18 | 1/4 | 2/4 | 5/24 | 4/18
old | applebot | Apple | ai_search | 2 | 1 | 24 | 18 | 1/24 | 2/24 | 1/24 | 1/18 | 1.5/18 | 1/18 | 1 | 1 | 6/24 | 4.5/18
old | google-extended | Google | ai_training | 1 | 1 | 24 | 18 | 1/24 | 3/24 | 1/24 | 0.5/18 | 2.5/18 | 1/18 | 1 | 1 | 5/24 | 4/18
old | chatgpt-user | OpenAI | ai_assistant | 1 | 0 | 24 | 18 | 0 | 2/24 | 1/24 | 0 | 1.5/18 | 1/18 | - | - | 6/24 | 4.5/18
old | claudebot | Anthropic | ai_training | 1 | 0 | 24 | 18 | 0 | 3/24 | 1/24 | 0 | 2.5/18 | 1/18 | - | - | 5/24 | 3.5/18
old | pagereader | Nobody | ai_assistant | 0 | 0 | 24 | 18 | 0 | 0 | 1/24 | 0 | 0 | 1/18 | - | - | 0 | 0
old | perplexitybot | Perplexity | ai_search | 0 | 0 | 24 | 18 | 0 | 3/24 | 1/24 | 0 | 2.5/18 | 1/18 | - | - | 6/24 | 4.5/18
new | gptbot | OpenAI | ai_training | 14 | 13 | 30 | 22 | 13/30 | 2/30 | 1/30 | 8/22 | 1.5/22 | 1/22 | 5/13 | 5/13 | 2/30 | 1/22
new | ccbot | Common Crawl | ai_training | 6 | 6 | 30 | 22 | 6/30 | 3/30 | 1/30 | 5/22 | 2.5/22 | 1/22 | 1/6 | 2/6 | 6/30 | 4.5/22
new | google-extended | Google | ai_training | 2 | 2 | 30 | 22 | 2/30 | 3/30 | 1/30 | 1/22 | 2.5/22 | 1/22 | 1/2 | 1/2 | 7/30 | 6/22
new | applebot | Apple | ai_search | 2 | 1 | 30 | 22 | 1/30 | 2/30 | 1/30 | 1/22 | 1.5/22 | 1/22 | 1 | 1 | 9/30 | 7/22
new | claudebot | Anthropic | ai_training | 2 | 1 | 30 | 22 | 1/30 | 3/30 | 1/30 | 0.5/22 | 2.5/22 | 1/22 | 1 | 1 | 7/30 | 5.5/22
new | perplexitybot | Perplexity | ai_search | 1 | 1 | 30 | 22 | 1/30 | 3/30 | 1/30 | 0.5/22 | 2.5/22 | 1/22 | 1 | 1 | 8/30 | 6.5/22
new | chatgpt-user | OpenAI | ai_assistant | 1 | 0 | 30 | 22 | 0 | 2/30 | 1/30 | 0 | 1.5/22 | 1/22 | - | - | 9/30 | 7/22
new | pagereader | Nobody | ai_assistant | 0 | 0 | 30 | 22 | 0 | 0 | 1/30 | 0 | 0 | 1/22 | - | - | 0 | 0
""")

# CCBot is the only archive, its second category. Of the seo crawlers, names names and blocks MJ12bot, and delay names SemrushBot.
answer("q45", "blocking_by_agent(category := ['archive', 'seo'], top := 2)", f"""
crawl | agent | operator | category | hosts_naming | hosts_blocked_by_name | {BLOCKING} | partial | domains_partial
old | ccbot | Common Crawl | ai_training | 4 | 4 | 24 | 18 | 4/24 | 3/24 | 1/24 | 3/18 | 2.5/18 | 1/18 | 1/4 | 2/4 | 5/24 | 4/18
old | mj12bot | Majestic | seo | 1 | 1 | 24 | 18 | 1/24 | 3/24 | 1/24 | 1/18 | 2.5/18 | 1/18 | 1 | 1 | 6/24 | 4.5/18
new | ccbot | Common Crawl | ai_training | 6 | 6 | 30 | 22 | 6/30 | 3/30 | 1/30 | 5/22 | 2.5/22 | 1/22 | 1/6 | 2/6 | 6/30 | 4.5/22
new | mj12bot | Majestic | seo | 1 | 1 | 30 | 22 | 1/30 | 3/30 | 1/30 | 1/22 | 2.5/22 | 1/22 | 1 | 1 | 9/30 | 7/22
""")

# ai_training as in question 41, and archive is CCBot as in question 2. No host blocks an AI crawler of another category, except news
# (new) PerplexityBot, and it blocks those of ai_training, too. search_engine: garden blocks Googlebot-News, fallback blocks Googlebot.
# seo: names blocks MJ12bot.
answer("q46", "blocking_by_category()", f"""
crawl | category | agents | {SHARES}
old | (any ai) | 8 | 10 | 24 | 10/24 | 7 | 18 | 6/18 | 4/10 | 4/10
old | ai_training | 4 | 10 | 24 | 10/24 | 7 | 18 | 6/18 | 4/10 | 4/10
old | archive | 1 | 4 | 24 | 4/24 | 4 | 18 | 3/18 | 1/4 | 2/4
old | search_engine | 2 | 2 | 24 | 2/24 | 2 | 18 | 2/18 | 1/2 | 1/2
old | seo | 2 | 1 | 24 | 1/24 | 1 | 18 | 1/18 | 1 | 1
old | advertising | 1 | 0 | 24 | 0 | 0 | 18 | 0 | - | -
old | ai_assistant | 2 | 0 | 24 | 0 | 0 | 18 | 0 | - | -
old | ai_search | 2 | 0 | 24 | 0 | 0 | 18 | 0 | - | -
new | (any ai) | 8 | 16 | 30 | 16/30 | 12 | 22 | 10.5/22 | 5/16 | 5/16
new | ai_training | 4 | 16 | 30 | 16/30 | 12 | 22 | 10.5/22 | 5/16 | 5/16
new | archive | 1 | 6 | 30 | 6/30 | 6 | 22 | 5/22 | 1/6 | 2/6
new | search_engine | 2 | 2 | 30 | 2/30 | 2 | 22 | 2/22 | 1/2 | 1/2
new | ai_search | 2 | 1 | 30 | 1/30 | 1 | 22 | 0.5/22 | 1 | 1
new | seo | 2 | 1 | 30 | 1/30 | 1 | 22 | 1/22 | 1 | 1
new | advertising | 1 | 0 | 30 | 0 | 0 | 22 | 0 | - | -
new | ai_assistant | 2 | 0 | 30 | 0 | 0 | 22 | 0 | - | -
""")

# ---- files ------------------------------------------------------------------------------------------------------------------------------

# Of 19 and 24 hosts with rules in 14 and 17 domains; com 4 and 5, co.uk 2, org 1, net 1 and 2, de 2.
# '*', old: news, shop, wiki, paper, target, delay, garden, moved, 192.0.2.7, invite, twice, gone; new: also signal, usage, both, managed,
# second, and not gone. Their domains have '*' on all of their hosts. gptbot, new: com 1, co.uk 1/2, net 1/2, 7 singles.
answer("q16", "most_addressed_names()", f"""
crawl | agent | tracked | {SHARES}
old | * | true | 12 | 19 | 12/19 | 10 | 14 | 10/14 | 2/12 | 2/12
old | gptbot | true | 8 | 19 | 8/19 | 5 | 14 | 4.5/14 | 4/8 | 4/8
old | ccbot | true | 4 | 19 | 4/19 | 4 | 14 | 3/14 | 1/4 | 2/4
old | googlebot | true | 2 | 19 | 2/19 | 2 | 14 | 2/14 | 1/2 | 1/2
old | chatgpt-user | true | 1 | 19 | 1/19 | 1 | 14 | 1/14 | 1 | 1
old | claudebot | true | 1 | 19 | 1/19 | 1 | 14 | 1/14 | 1 | 1
old | google-extended | true | 1 | 19 | 1/19 | 1 | 14 | 0.5/14 | 1 | 1
old | googlebot-news | true | 1 | 19 | 1/19 | 1 | 14 | 1/14 | 1 | 1
old | kangaroo bot | false | 1 | 19 | 1/19 | 1 | 14 | 1/14 | 1 | 1
old | mj12bot | true | 1 | 19 | 1/19 | 1 | 14 | 1/14 | 1 | 1
old | semrushbot | true | 1 | 19 | 1/19 | 1 | 14 | 0.5/14 | 1 | 1
new | * | true | 16 | 24 | 16/24 | 13 | 17 | 13/17 | 2/16 | 2/16
new | gptbot | true | 14 | 24 | 14/24 | 10 | 17 | 9/17 | 5/14 | 5/14
new | ccbot | true | 6 | 24 | 6/24 | 6 | 17 | 5/17 | 1/6 | 2/6
new | claudebot | true | 2 | 24 | 2/24 | 2 | 17 | 1.5/17 | 1/2 | 1/2
new | google-extended | true | 2 | 24 | 2/24 | 2 | 17 | 1/17 | 1/2 | 1/2
new | googlebot | true | 2 | 24 | 2/24 | 2 | 17 | 2/17 | 1/2 | 1/2
new | chatgpt-user | true | 1 | 24 | 1/24 | 1 | 17 | 1/17 | 1 | 1
new | googlebot-news | true | 1 | 24 | 1/24 | 1 | 17 | 1/17 | 1 | 1
new | kangaroo bot | false | 1 | 24 | 1/24 | 1 | 17 | 1/17 | 1 | 1
new | mj12bot | true | 1 | 24 | 1/24 | 1 | 17 | 1/17 | 1 | 1
new | perplexitybot | true | 1 | 24 | 1/24 | 1 | 17 | 0.5/17 | 1 | 1
new | semrushbot | true | 1 | 24 | 1/24 | 1 | 17 | 0.5/17 | 1 | 1
""")

# Only names has such names: a version, digits and a blank. Lines, old: b1 to b4 4, news 3, target, delay, moved 3, garden 2, 192.0.2.7 2,
# names 3, invite 2, fallback, kept 2 = 21 on 14 hosts. New: b1 to b5 5, news 5, paper 2, target, delay, moved 3, garden 2, 192.0.2.7 2,
# names 3, usage 1, managed, second 4, invite 2, fallback, twice, kept 3 = 32 on 20 hosts.
answer("q17", "names_rfc9309_cannot_match()", f"""
crawl | {SHARES} | hosts_naming | lines | share_of_lines
old | 1 | 19 | 1/19 | 1 | 14 | 1/14 | 1 | 1 | 14 | 21 | 3/21
new | 1 | 24 | 1/24 | 1 | 17 | 1/17 | 1 | 1 | 20 | 32 | 3/32
""")

# Of 22 and 27 successful hosts in 17 and 20 domains. Google knows and does not obey crawl-delay, host, clean-param, content-signal and
# content-usage (kUnsupportedTags in reporting_robots.cc, the last two since February 2026): news 1 line, delay 4, and in the new crawl signal 1,
# both 2, managed, second, invite, usage, twice 1 each. Their weights are co.uk 1/2, de 1/2, net 1/2 and 6 singles. names: 'MJ12bot' and 'Kangaroo Bot' have invalid octets, 'GPTBot/1.2' a version; read strictly, each addresses no crawler,
# so the verdict of that crawler changes. '*' has two groups on managed and second.
answer("q18", "anomalies_found()", f"""
crawl | code | severity | {SHARES} | changed | changed_largest_domain | lines
old | unsupported_directive | info | 2 | 22 | 2/22 | 2 | 17 | 1/17 | 1/2 | 1/2 | 0 | - | 5
old | html_body | error | 1 | 22 | 1/22 | 1 | 17 | 1/17 | 1 | 1 | 0 | - | 1
old | invalid_token_chars | warning | 1 | 22 | 1/22 | 1 | 17 | 1/17 | 1 | 1 | 1 | 1 | 2
old | relative_sitemap | warning | 1 | 22 | 1/22 | 1 | 17 | 0.5/17 | 1 | 1 | 0 | - | 1
old | sitemap_other_domain | info | 1 | 22 | 1/22 | 1 | 17 | 0.5/17 | 1 | 1 | 0 | - | 1
old | token_with_version | warning | 1 | 22 | 1/22 | 1 | 17 | 1/17 | 1 | 1 | 1 | 1 | 1
old | unknown_directive | info | 1 | 22 | 1/22 | 1 | 17 | 0.5/17 | 1 | 1 | 0 | - | 1
new | unsupported_directive | info | 9 | 27 | 9/27 | 9 | 20 | 7.5/20 | 1/9 | 2/9 | 0 | - | 13
new | agent_in_many_groups | info | 2 | 27 | 2/27 | 2 | 20 | 2/20 | 1/2 | 1 | 0 | - | 2
new | html_body | error | 1 | 27 | 1/27 | 1 | 20 | 1/20 | 1 | 1 | 0 | - | 1
new | invalid_token_chars | warning | 1 | 27 | 1/27 | 1 | 20 | 1/20 | 1 | 1 | 1 | 1 | 2
new | relative_sitemap | warning | 1 | 27 | 1/27 | 1 | 20 | 0.5/20 | 1 | 1 | 0 | - | 1
new | signal_outside_group | warning | 1 | 27 | 1/27 | 1 | 20 | 1/20 | 1 | 1 | 0 | - | 1
new | sitemap_other_domain | info | 1 | 27 | 1/27 | 1 | 20 | 0.5/20 | 1 | 1 | 0 | - | 1
new | token_with_version | warning | 1 | 27 | 1/27 | 1 | 20 | 1/20 | 1 | 1 | 1 | 1 | 1
new | unknown_directive | info | 1 | 27 | 1/27 | 1 | 20 | 0.5/20 | 1 | 1 | 0 | - | 1
""")

# crawl-delay: news (1 line), delay (2). New: content-signal on signal 1, both 2, managed 1, second 1, invite 1; content-usage on usage,
# twice.
answer("q19", "other_directives()", f"""
crawl | directive | known | {SHARES} | lines
old | crawl-delay | true | 2 | 19 | 2/19 | 2 | 14 | 1/14 | 1/2 | 1/2 | 3
old | clean-param | true | 1 | 19 | 1/19 | 1 | 14 | 0.5/14 | 1 | 1 | 1
old | frobnicate | false | 1 | 19 | 1/19 | 1 | 14 | 0.5/14 | 1 | 1 | 1
old | host | true | 1 | 19 | 1/19 | 1 | 14 | 0.5/14 | 1 | 1 | 1
new | content-signal | true | 5 | 24 | 5/24 | 5 | 17 | 4.5/17 | 1/5 | 2/5 | 6
new | content-usage | true | 2 | 24 | 2/24 | 2 | 17 | 2/17 | 1/2 | 1/2 | 2
new | crawl-delay | true | 2 | 24 | 2/24 | 2 | 17 | 1/17 | 1/2 | 1/2 | 3
new | clean-param | true | 1 | 24 | 1/24 | 1 | 17 | 0.5/17 | 1 | 1 | 1
new | frobnicate | false | 1 | 24 | 1/24 | 1 | 17 | 0.5/17 | 1 | 1 | 1
new | host | true | 1 | 24 | 1/24 | 1 | 17 | 0.5/17 | 1 | 1 | 1
""")

# ---- preferences ------------------------------------------------------------------------------------------------------------------------

# The older crawl has no statements. ai-train=no: signal and both by themselves, managed and second by Cloudflare. ai-train=yes: both,
# invite. search=yes: signal; managed and second. train-ai=n: usage, twice.
answer("q20", "stated_preferences()", f"""
crawl | mechanism | pref_key | pref_value | from_template | {SHARES}
new | content-signal | ai-train | no | false | 2 | 27 | 2/27 | 2 | 20 | 1.5/20 | 1/2 | 1/2
new | content-signal | ai-train | no | true | 2 | 27 | 2/27 | 2 | 20 | 2/20 | 1/2 | 1
new | content-signal | ai-train | yes | false | 2 | 27 | 2/27 | 2 | 20 | 2/20 | 1/2 | 1/2
new | content-signal | search | yes | true | 2 | 27 | 2/27 | 2 | 20 | 2/20 | 1/2 | 1
new | content-usage | train-ai | n | false | 2 | 27 | 2/27 | 2 | 20 | 2/20 | 1/2 | 1/2
new | content-signal | search | yes | false | 1 | 27 | 1/27 | 1 | 20 | 0.5/20 | 1 | 1
""")

# ai-train=no for '*': signal and both, which allow GPTBot; managed, second, which block it by name. In both, the statement before all
# groups does not count. train-ai=n: usage for all paths, twice for some. invite has its statement for GPTBot and ClaudeBot, not for '*'.
answer("q21", "contradictions()", f"""
crawl | agent | mechanism | category | preference | {BLOCKING} | partial | domains_partial | allowed | domains_allowed
new | gptbot | content-signal | ai-train | disallow_all | 4 | 4 | 2/4 | 0 | 0 | 2/4 | 0 | 0 | 1/2 | 1 | 0 | 0 | 2/4 | 2/4
new | gptbot | content-usage | train-ai | disallow_all | 1 | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 1 | 1 | 0 | 0 | 0 | 0
new | gptbot | content-usage | train-ai | mixed | 1 | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 1 | 1 | 0 | 0 | 0 | 0
""")

# For '*'. ai-train: disallowed by signal, both, managed, second, unknown to invite, whose group for '*' states nothing. ai-input is unknown
# in all five. search: allowed by signal, managed, second, unknown in both and invite. usage disallows train-ai, twice for some paths; in
# September 2025, train-genai was a part of train-ai, and bots and search were the other categories. Two of the hosts are of the template.
answer("q42", "effective_preferences()", f"""
crawl | agent | mechanism | category | preference | {SHARES} | from_template
new | * | content-signal | ai-input | unknown_all | 5 | 27 | 5/27 | 5 | 20 | 4.5/20 | 1/5 | 2/5 | 2/5
new | * | content-signal | ai-train | disallow_all | 4 | 27 | 4/27 | 4 | 20 | 3.5/20 | 1/4 | 2/4 | 2/4
new | * | content-signal | ai-train | unknown_all | 1 | 27 | 1/27 | 1 | 20 | 1/20 | 1 | 1 | 0
new | * | content-signal | search | allow_all | 3 | 27 | 3/27 | 3 | 20 | 2.5/20 | 1/3 | 2/3 | 2/3
new | * | content-signal | search | unknown_all | 2 | 27 | 2/27 | 2 | 20 | 2/20 | 1/2 | 1/2 | 0
new | * | content-usage | bots | unknown_all | 2 | 27 | 2/27 | 2 | 20 | 2/20 | 1/2 | 1/2 | 0
new | * | content-usage | search | unknown_all | 2 | 27 | 2/27 | 2 | 20 | 2/20 | 1/2 | 1/2 | 0
new | * | content-usage | train-ai | disallow_all | 1 | 27 | 1/27 | 1 | 20 | 1/20 | 1 | 1 | 0
new | * | content-usage | train-ai | mixed | 1 | 27 | 1/27 | 1 | 20 | 1/20 | 1 | 1 | 0
new | * | content-usage | train-genai | disallow_all | 1 | 27 | 1/27 | 1 | 20 | 1/20 | 1 | 1 | 0
new | * | content-usage | train-genai | mixed | 1 | 27 | 1/27 | 1 | 20 | 1/20 | 1 | 1 | 0
""")

# Of 21 and 26 hosts in 16 and 19 domains: successful without page. Only notes has such comments.
answer("q43", "comments_reserving_rights()", f"""
crawl | phrase | {SHARES}
old | EU directive 2019/790 | 1 | 21 | 1/21 | 1 | 16 | 1/16 | 1 | 1
old | text and data mining | 1 | 21 | 1/21 | 1 | 16 | 1/16 | 1 | 1
old | reserves rights | 0 | 21 | 0 | 0 | 16 | 0 | - | -
old | all rights reserved | 1 | 21 | 1/21 | 1 | 16 | 1/16 | 1 | 1
new | EU directive 2019/790 | 0 | 26 | 0 | 0 | 19 | 0 | - | -
new | text and data mining | 1 | 26 | 1/26 | 1 | 19 | 1/19 | 1 | 1
new | reserves rights | 1 | 26 | 1/26 | 1 | 19 | 1/19 | 1 | 1
new | all rights reserved | 0 | 26 | 0 | 0 | 19 | 0 | - | -
""")

# ---- templates and rule sets ------------------------------------------------------------------------------------------------------------

# Of the 7 and 13 hosts that block GPTBot by name, in 4 and 9 domains: managed and second have a template and a rule set of two domains.
# The blogs share a rule set within one domain.
answer("q22", "blocks_from_templates(min_domains := 2)", f"""
crawl | template | shared_rules | {SHARES}
old | - | false | 7 | 7 | 1 | 4 | 4 | 1 | 4/7 | 4/7
new | - | false | 11 | 13 | 11/13 | 7 | 9 | 7/9 | 5/11 | 5/11
new | cloudflare_managed | true | 2 | 13 | 2/13 | 2 | 9 | 2/9 | 1/2 | 1
""")

# target and moved, weights 1/2 + 1; managed and second. The blogs are of one domain, and the files without rules are not counted. The
# order of the two sets of the newer crawl is that of a hash.
answer("q23", "most_common_rule_sets()", """
crawl | template | hosts_with_template | hosts | of_hosts | share | domains | of_domains | share_of_domains | largest_domain | example
old | - | 0 | 2 | 19 | 2/19 | 2 | 14 | 1.5/14 | 1/2 | https://moved.example/robots.txt
new | - | 0 | 2 | 24 | 2/24 | 2 | 17 | 1.5/17 | 1/2 | https://moved.example/robots.txt
new | cloudflare_managed | 2 | 2 | 24 | 2/24 | 2 | 17 | 2/17 | 1/2 | https://managed.example/robots.txt
""", omitted=("ruleset_id",), in_any_order=True)

# news has 1 line on its host, and in the new crawl one on another host of its domain; shop a relative one (its own domain) and a foreign one. Both are all hosts of co.uk.
answer("q24", "sitemap_adoption()", f"""
crawl | {SHARES} | hosts_relative | hosts_foreign | lines | relative | foreign_domain
old | 2 | 22 | 2/22 | 1 | 17 | 1/17 | 1 | 1/2 | 1 | 1 | 3 | 1/3 | 1/3
new | 2 | 27 | 2/27 | 1 | 20 | 1/20 | 1 | 1/2 | 1 | 1 | 4 | 1/4 | 1/4
""")

# news: 5 seconds for '*'. delay: 10 seconds for '*' and 60 for SemrushBot; the longest counts. Quantiles are values that occur.
answer("q25", "crawl_delays()", f"""
crawl | {SHARES} | for_all | median | p90 | p99 | longest | domains_median | domains_p90
old | 2 | 19 | 2/19 | 2 | 14 | 1/14 | 1/2 | 1/2 | 2 | 5 | 60 | 60 | 60 | 5 | 60
new | 2 | 24 | 2/24 | 2 | 17 | 1/17 | 1/2 | 1/2 | 2 | 5 | 60 | 60 | 60 | 5 | 60
""")

# http and https of shop differ in both crawls; twice with and without www is equal in the older crawl and differs in the newer one.
answer("q27", "variants_disagree()", """
crawl | hosts | disagree | share | domains | share_of_domains | largest_domain | low | high
old | 2 | 1 | 1/2 | 2 | 1/2 | 1 | - | -
new | 2 | 2 | 1 | 2 | 1 | 1/2 | - | -
""")

# Old: behind cloudflare lab (403). Of the 24 others down asks to come back, and page is a web page, which is
# not counted as blocked; weights 19 - 1/2. New: behind cloudflare lab
# (403), managed, second; behind akamai busy (429); of the 28 others page is a web page; weights 24 - 1/2 - 3.
answer("q28", "blocked_at_the_edge()", f"""
crawl | waf_hint | {SHARES} | forbidden | come_back_later | web_page | blocked | domains_blocked
old | - | 24 | 25 | 24/25 | 19 | 19 | 18.5/19 | 4/24 | 4/24 | 0 | 1 | 1 | 1/24 | 1/19
old | cloudflare | 1 | 25 | 1/25 | 1 | 19 | 0.5/19 | 1 | 0 | 1 | 0 | 0 | 1 | 1
new | - | 28 | 32 | 28/32 | 21 | 24 | 20.5/24 | 5/28 | 5/28 | 0 | 0 | 1 | 0 | 0
new | cloudflare | 3 | 32 | 3/32 | 3 | 24 | 2.5/24 | 1/3 | 2/3 | 1 | 0 | 0 | 1/3 | 1/3
new | akamai | 1 | 32 | 1/32 | 1 | 24 | 1/24 | 1 | 0 | 0 | 1 | 0 | 1 | 1
""")

# host_index (see LISTS), for CCBot: 600 pages in each crawl.
answer("q29", "archived_pages_of_blocking_hosts(index := '{lists}/host-index/crawl=*/*.parquet')", """
crawl | verdict | hosts | domains | pages | share_of_pages | largest_host
old | blocked by name | 1 | 1 | 400 | 400/600 | 1
old | allow_all | 1 | 1 | 100 | 100/600 | 1
old | blocked by * | 1 | 1 | 50 | 50/600 | 1
old | unknown | 1 | 1 | 30 | 30/600 | 1
old | blocked by status | 1 | 1 | 20 | 20/600 | 1
old | not captured | 1 | - | 0 | 0 | -
new | blocked by name | 2 | 2 | 390 | 390/600 | 380/390
new | allow_all | 1 | 1 | 120 | 120/600 | 1
new | not captured | 1 | - | 90 | 90/600 | 1
""")

# '/', old: b1 to b4, news, wiki, target, garden, moved, 192.0.2.7, names, fallback, kept = 13; weights com 1, co.uk 1/2, org 1 (lab has no
# rules), de 1/2, 6 singles. New: b1 to b5, news, wiki, paper, target, and 10 singles = 19; weights 1 + 1/2 + 1 + 1/2 + 1/2 + 10.
# A path counts once per host, even if two groups have it.
answer("q31", "most_hidden_paths()", f"""
crawl | path | {SHARES}
old | / | 13 | 19 | 13/19 | 10 | 14 | 9/14 | 4/13 | 4/13
# paper, invite; delay, twice
old | /private/ | 2 | 19 | 2/19 | 2 | 14 | 2/14 | 1/2 | 1/2
old | /tmp/ | 2 | 19 | 2/19 | 2 | 14 | 1.5/14 | 1/2 | 1/2
# news, shop, shop, news
old | /admin/ | 1 | 19 | 1/19 | 1 | 14 | 0.5/14 | 1 | 1
old | /cart/ | 1 | 19 | 1/19 | 1 | 14 | 0.5/14 | 1 | 1
old | /checkout/ | 1 | 19 | 1/19 | 1 | 14 | 0.5/14 | 1 | 1
old | /search? | 1 | 19 | 1/19 | 1 | 14 | 0.5/14 | 1 | 1
new | / | 19 | 24 | 19/24 | 15 | 17 | 13.5/17 | 5/19 | 5/19
# managed, second; paper, invite; delay, twice
new | /account/ | 2 | 24 | 2/24 | 2 | 17 | 2/17 | 1/2 | 1
new | /private/ | 2 | 24 | 2/24 | 2 | 17 | 1.5/17 | 1/2 | 1/2
new | /tmp/ | 2 | 24 | 2/24 | 2 | 17 | 1.5/17 | 1/2 | 1/2
# news, shop, shop, usage, news
new | /admin/ | 1 | 24 | 1/24 | 1 | 17 | 0.5/17 | 1 | 1
new | /cart/ | 1 | 24 | 1/24 | 1 | 17 | 0.5/17 | 1 | 1
new | /checkout/ | 1 | 24 | 1/24 | 1 | 17 | 0.5/17 | 1 | 1
new | /raw/ | 1 | 24 | 1/24 | 1 | 17 | 1/17 | 1 | 1
new | /search? | 1 | 24 | 1/24 | 1 | 17 | 0.5/17 | 1 | 1
""")

# Captures except revisits: 27 of 19 domains, 35 of 22 (24 without kept and lost). busy has two.
# names: rfc9309 accepts none of its names, google reads 'GPTBot' and 'MJ', koster1996 reads 'gptbot' and 'mj12bot': all three differ.
# managed, second: koster1996 obeys the first group of '*' only, so '*' may fetch everything. Statuses: 403 allows in google and rfc9309 and
# disallows in koster1996; 429 disallows in google, allows in rfc9309 and decides nothing in koster1996; 503 disallows in google and rfc9309
# and decides nothing in koster1996. lab is one of two captures of org.
answer("q32", "dialects_that_disagree()", """
crawl | dialects | captures | differ | share | domains | share_of_domains | by_rules | by_rules_for_all | domains_by_rules | domains_by_rules_for_all | by_status | largest_domain | largest_ruleset | low | high
# names, lab, down
old | google, koster1996 | 27 | 3 | 3/27 | 19 | 2.5/19 | 1 | 0 | 1/19 | 0 | 2 | 1 | 1 | - | -
# names
old | google, rfc9309 | 27 | 1 | 1/27 | 19 | 1/19 | 1 | 0 | 1/19 | 0 | 0 | 1 | 1 | - | -
# names, lab, down
old | rfc9309, koster1996 | 27 | 3 | 3/27 | 19 | 2.5/19 | 1 | 0 | 1/19 | 0 | 2 | 1 | 1 | - | -
# names, managed, second, lab, busy
new | google, koster1996 | 35 | 6 | 6/35 | 22 | 4.5/22 | 3 | 2 | 3/22 | 2/22 | 3 | 1/3 | 2/3 | - | -
# names, busy
new | google, rfc9309 | 35 | 3 | 3/35 | 22 | 2/22 | 1 | 0 | 1/22 | 0 | 2 | 1 | 1 | - | -
# names, managed, second, lab, busy
new | rfc9309, koster1996 | 35 | 6 | 6/35 | 22 | 4.5/22 | 3 | 2 | 3/22 | 2/22 | 3 | 1/3 | 2/3 | - | -
""")

# ---- evidence and denominators ------------------------------------------------------------------------------------------------------------

# The record is that of target.example.de: the 11th capture of the older crawl and the 15th of the newer one.
answer("q33", "provenance(agent := 'CCBot', host := 'moved.example')", """
crawl | surt_host_name | url_host_name | agent | verdict | basis | line_no | line | url | fetch_time | fetch_status
old | example,moved | moved.example | ccbot | disallow_all | explicit | 2 | line 2 of target | https://target.example.de/robots.txt | 2024-03-01 00:10:00 | 200
new | example,moved | moved.example | ccbot | disallow_all | explicit | 2 | line 2 of target | https://target.example.de/robots.txt | 2025-09-10 12:14:00 | 200
""", omitted=("content_digest", "warc_filename", "warc_record_offset", "warc_record_length", "warc_record_in_member"))

# The revisit of the newer crawl leads to the record of the older one, its 26th capture.
answer("q33", "provenance(agent := 'CCBot', host := 'www.kept.example')", """
crawl | surt_host_name | url_host_name | agent | verdict | basis | line_no | line | url | fetch_time | fetch_status
old | example,kept | kept.example | ccbot | disallow_all | explicit | 2 | line 2 of ccbot | https://kept.example/robots.txt | 2024-03-01 00:25:00 | 200
new | example,kept | kept.example | ccbot | disallow_all | explicit | 2 | line 2 of ccbot | https://kept.example/robots.txt | 2024-03-01 00:25:00 | 200
""", omitted=("content_digest", "warc_filename", "warc_record_offset", "warc_record_length", "warc_record_in_member"))

# archives_listed is null, as these archives are no sample.
# Captures with rules, old: the 19 hosts without moved, and the second captures of shop and twice. New: the 24 hosts without moved and kept,
# and the second captures of shop, b1, b2, twice. Decided by a file: old without lab, down; new without lab, down, busy; lab is of org, which
# has wiki.
answer("q35", "denominators()", """
crawl | is_sample | first_capture | last_capture | captures | captures_of_robots_txt | revisits | captures_with_rules | urls | hosts | hosts_with_rules | hosts_decided | hosts_decided_by_file | domains | domains_with_rules | domains_decided | domains_decided_by_file | hosts_of_largest_domain | archives_read | archives_listed
old | false | 2024-03-01 00:00:00 | 2024-03-01 00:26:00 | 27 | 27 | 0 | 20 | 27 | 25 | 19 | 24 | 22 | 19 | 14 | 18 | 17 | 4 | 1 | -
new | false | 2025-09-10 12:00:00 | 2025-09-10 12:36:00 | 37 | 37 | 2 | 26 | 34 | 32 | 24 | 30 | 27 | 24 | 17 | 22 | 20 | 5 | 1 | -
""")

# labels.csv (see LISTS) labels domains. blog: com. news: co.uk and net; old news (by name), shop, paper, weights 1/2 of co.uk and 0 of net;
# new news, paper (by name), shop, signal. The weights are 1 and 3: old (1 + 3 * 1/3) / 4 and (1 + 3 * 1/4) / 4; new (1 + 3 * 1/2) / 4.
answer("q36", "blocking_by_label(labels := '{lists}/labels.csv')", f"""
crawl | label | in_list | weight | {BLOCKING}
old | (weighted) | - | 4 | - | - | 2/4 | 0 | 0 | 1.75/4 | 0 | 0 | - | -
old | blog | 1 | 1 | 4 | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 1 | 1
old | news | 3 | 3 | 3 | 2 | 1/3 | 0 | 0 | 1/4 | 0 | 0 | 1 | 1
new | (weighted) | - | 4 | - | - | 2.5/4 | 0 | 0 | 2.5/4 | 0 | 0 | - | -
new | blog | 1 | 1 | 5 | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 1 | 1
new | news | 3 | 3 | 4 | 2 | 1/2 | 0 | 0 | 1/2 | 0 | 0 | 1/2 | 1/2
""")

# hosts.csv (see LISTS) labels hosts, without weights. first: twice (partial, then by name), wiki (through '*'); second: wiki, busy.
answer("q36", "blocking_by_label(labels := '{lists}/hosts.csv')", f"""
crawl | label | in_list | weight | {BLOCKING}
old | first | 2 | - | 2 | 2 | 0 | 1/2 | 0 | 0 | 1/2 | 0 | - | -
old | second | 2 | - | 1 | 1 | 0 | 1 | 0 | 0 | 1 | 0 | - | -
new | first | 2 | - | 2 | 2 | 1/2 | 1/2 | 0 | 1/2 | 1/2 | 0 | 1 | 1
new | second | 2 | - | 2 | 2 | 0 | 1/2 | 1/2 | 0 | 1/2 | 1/2 | - | -
""")

# Of the hosts with a known verdict, behind cloudflare: lab, and in the new crawl managed, second; behind akamai busy. Among the others wiki is
# the only host of org, so that its weight is 1.
answer("q37", "blocking_by_software(kind := 'firewall', min_hosts := 1)", f"""
crawl | software | {BLOCKING}
old | - | 23 | 18 | 7/23 | 2/23 | 1/23 | 3.5/18 | 2/18 | 1/18 | 4/7 | 4/7
old | cloudflare | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | - | -
new | - | 26 | 19 | 11/26 | 2/26 | 0 | 6/19 | 2/19 | 0 | 5/11 | 5/11
new | cloudflare | 3 | 3 | 2/3 | 0 | 0 | 2/3 | 0 | 0 | 1/2 | 1
new | akamai | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 1 | - | -
""")

# By the header Server: page is behind Apache, cloudflare and AkamaiGHost are as above, and the rest is nginx.
answer("q37", "blocking_by_software(kind := 'server', min_hosts := 1)", f"""
crawl | software | {BLOCKING}
old | nginx | 22 | 17 | 7/22 | 2/22 | 1/22 | 3.5/17 | 2/17 | 1/17 | 4/7 | 4/7
old | apache | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | - | -
old | cloudflare | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | - | -
new | nginx | 25 | 18 | 11/25 | 2/25 | 0 | 6/18 | 2/18 | 0 | 5/11 | 5/11
new | cloudflare | 3 | 3 | 2/3 | 0 | 0 | 2/3 | 0 | 0 | 1/2 | 1
new | akamaighost | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 1 | - | -
new | apache | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | - | -
""")

# By template: managed and second have Cloudflare's.
answer("q37", "blocking_by_software(kind := 'template', min_hosts := 1)", f"""
crawl | software | {BLOCKING}
old | - | 24 | 18 | 7/24 | 2/24 | 1/24 | 3.5/18 | 1.5/18 | 1/18 | 4/7 | 4/7
new | - | 28 | 20 | 11/28 | 2/28 | 1/28 | 6/20 | 1.5/20 | 1/20 | 5/11 | 5/11
new | cloudflare_managed | 2 | 2 | 1 | 0 | 0 | 1 | 0 | 0 | 1/2 | 1
""")

# Crawlers named, rules and groups of the hosts with rules. Old: b1 to b4 1/1/1, news 3/3/2, shop 0/2/1, wiki, paper, twice, gone 0/1/1,
# target, delay, moved 1/2/2, garden, 192.0.2.7 2/3/3, names 3/3/3, invite 2/2/2, fallback, kept 1/1/1. New: b1 to b5 1/1/1, news 5/3/2,
# shop 0/2/1, wiki, signal, both 0/1/1, paper 2/2/2, target, delay, moved, usage, twice 1/2/2, garden, 192.0.2.7 2/3/3, names 3/3/3,
# managed, second 2/4/4, invite 2/2/2, fallback, kept 1/1/1.
# Of n values the quantile q is the one with the number ceil(q n): of 19 the 10th, 18th and 19th; of 24 the 12th, 22nd and 24th.
# Domains have the median of their hosts, old: com 1/1/1, co.uk 1.5/2.5/1.5, org 0/1/1, net 0/1/1, de 1/2/2, and the singles; of 14 the 7th
# and 13th. New: com 1/1/1, co.uk 2.5/2.5/1.5, org 0/1/1, net 1/1.5/1.5, de 1/2/2, and the singles; of 17 the 9th and 16th.
answer("q38", "policy_sizes()", """
crawl | measure | hosts | mean | median | p90 | p99 | largest | domains | domains_mean | domains_median | domains_p90 | largest_domain
old | crawlers named | 19 | 21/19 | 1 | 3 | 3 | 3 | 14 | 15.5/14 | 1 | 2 | 4/19
old | groups | 19 | 30/19 | 1 | 3 | 3 | 3 | 14 | 23.5/14 | 1 | 3 | 4/19
old | rules | 19 | 32/19 | 1 | 3 | 3 | 3 | 14 | 24.5/14 | 1 | 3 | 4/19
new | crawlers named | 24 | 32/24 | 1 | 2 | 5 | 5 | 17 | 23.5/17 | 1 | 2.5 | 5/24
new | groups | 24 | 44/24 | 2 | 3 | 4 | 4 | 17 | 35/17 | 2 | 4 | 5/24
new | rules | 24 | 46/24 | 2 | 3 | 4 | 4 | 17 | 36/17 | 2 | 4 | 5/24
""")

# Sizes in bytes, counted from crawl.toml, in order. Old, 21 hosts (the successful ones without page): 0 empty, 24 gone, 26 wiki, 30 twice, kept,
# 34 paper, fallback, 47 b4, 54 b1 to b3, 55 target, moved, 86 invite, 94 192.0.2.7, 99 garden, 106 names, 108 notes, 122 shop, 166 delay,
# 206 news; the 11th and 19th are 54 and 122. Domains have the median of their hosts: com 54, co.uk 164, de 110.5; of 16 the 8th is com's.
# New, 26 hosts: 0 empty, 26 wiki, 30 kept, 34 fallback, 41 notes, 47 b1 (its later capture), b4, 54 b2, b3, b5, 55 target, moved,
# 62 signal, 81 both, 88 usage, 94 paper, 192.0.2.7, 97 twice, 99 garden, 106 names, 115 invite, 122 shop, 166 delay, 228 managed, second,
# 302 news; the 13th and 24th are 62 and 228. Domains: com 54, co.uk 212, net 78, de 110.5; of 19 the 10th is that of usage.
answer("q26", "file_sizes()", """
crawl | hosts | domains | largest_domain | median_bytes | p90_bytes | max_bytes | domains_median_bytes | empty | domains_empty | up_to_100_kib | domains_up_to_100_kib | over_500_kib | domains_over_500_kib | truncated
old | 21 | 16 | 4/21 | 54 | 122 | 206 | 54 | 1/21 | 1/16 | 1 | 1 | 0 | 0 | 0
new | 26 | 19 | 5/26 | 62 | 228 | 302 | 88 | 1/26 | 1/19 | 1 | 1 | 0 | 0 | 0
""")

# ---- lists ------------------------------------------------------------------------------------------------------------------------------

# The lists that questions 3 and 36 join. example.com itself, example.fr and sold.example were not captured.
LISTS = {
    "ranks.csv": """1,example.com
5,names.example
1000,www.twice.example
1001,news.example.co.uk
200000,away.example
300000,busy.example
""",
    "host-ranks.txt": """#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev
1\t9.5\t3\t0.1\tcom.example
5\t9.0\t1\t0.3\texample.names
1000\t8.0\t2\t0.2\texample.twice.www
1001\t7.5\t4\t0.1\tuk.co.example.news
2000\t7.0\t7\t0.1\texample.twice
200000\t6.5\t5\t0.1\texample.away
300000\t6.0\t6\t0.1\texample.busy
""",
    "labels.csv": """domain,label,weight
example.com,blog,1
example.co.uk,news,3
example.net,news,3
example.fr,news,3
""",
    "hosts.csv": """host,label
www.twice.example,first
wiki.example.org,first
wiki.example.org,second
busy.example,second
""",
}

# The host index that questions 4 and 29 join: surt_host_name, url_host_registered_domain, url_host_tld, hcrank10, fetch_200.
HOST_INDEX = {
    "CC-TRUTH-2024-10": [
        ("com,example,b1", "example.com", "com", 5.5, 100),
        ("uk,co,example,news", "example.co.uk", "uk", 6.2, 400),
        ("org,example,wiki", "example.org", "org", 5.1, 50),
        ("example,away", None, "example", 5.9, 30),
        ("example,down", None, "example", 4.0, 20),
        ("example,unfetched", None, "example", 3.3, 0),
    ],
    "CC-MAIN-2025-38": [
        ("com,example,b1", "example.com", "com", 5.5, 120),
        ("uk,co,example,news", "example.co.uk", "uk", 6.2, 380),
        ("example,managed", None, "example", 5.0, 10),
        ("example,nowhere", None, "example", 4.2, 90),
    ],
    # A crawl that the dataset does not have.
    "CC-MAIN-2023-06": [("com,example,b1", "example.com", "com", 5.5, 999)],
}
