"""Turns a dataset or a history of robots-scan into static pages to look up hosts and crawlers.

    robots-scan site history -o site

The route: `source` opens the tables of the dataset or history by the views of this program; `tables` makes the tables of the site of
them; `partitions` writes those as many small Parquet files, sorted by host or crawler; `folder` puts pages, libraries and files into
place. The pages in `web/` read the Parquet files in the browser by range requests, with the libraries that `libraries.json` pins.
"""
