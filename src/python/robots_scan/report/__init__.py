"""Turns a dataset of robots-scan into one HTML page of charts, without scripts and requests.

    robots-scan report out.parquet -o report.html

The route: `dataset` opens the tables and the questions of this program; every module of `sections` asks some of them and returns
figures (`figure`); a history, if one is given, answers the section about time (`sections.history`); `chart` draws a figure as SVG;
`page` writes the HTML. Numbers come from the questions, the macros that `FROM questions()` lists, and the page shows the call of each.
`evidence` has the queries for the hosts behind a number, which also count them where a question has only a share.
"""
