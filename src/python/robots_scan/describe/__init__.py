"""Describes a dataset or a history of robots-scan for catalogues and for readers who find it.

    robots-scan describe out.parquet --name "A study" --creator "Doe, Jane" --license CC-BY-4.0

The route: `dataset` opens the tables and checks them with `verify`; `card`, `tables`, `croissant`, `citation` and `licenses` each return
the text of one file, from the facts of the dataset and the choices of the `publisher`; `checksums` lists the digests of all files; `folder`
writes the files. `statements` has the sentences that more than one file says. Descriptions of tables and columns are the comments of the
views, so that they exist once, in the code of the tables.
"""
