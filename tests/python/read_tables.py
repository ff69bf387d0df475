"""Reads tables with the only reader that is installed, as its users would: without views, and with its own options for folders.

usage: read_tables.py READER < TABLES > ANSWERS

TABLES is JSON: for each table its path, its partitions, and for each text column a value of it. ANSWERS has for each table the number of
rows, the type of each partition, and for each text column its minimum, its maximum and the number of rows with the value. A table that
cannot be read has an error instead. `test_readers.py` compares them.
"""

import json
import sys


def read_with_duckdb(tables):
    import duckdb

    con = duckdb.connect()
    for name, table in tables.items():
        files = table["path"] + ("/**/*.parquet" if table["is_folder"] else "")
        con.execute(f"CREATE OR REPLACE VIEW t AS FROM read_parquet('{files}')")
        kinds = {row[0]: row[1] for row in con.execute("DESCRIBE t").fetchall()}
        answers = {}
        for column, value in table["columns"].items():
            bounds = con.execute(f'SELECT min("{column}"), max("{column}") FROM t').fetchone()
            answers[column] = [*bounds, con.execute(f'SELECT count(*) FROM t WHERE "{column}" = ?', [value]).fetchone()[0]]
        yield name, con.execute("SELECT count(*) FROM t").fetchone()[0], kinds, answers


def read_with_polars(tables):
    import polars

    for name, table in tables.items():
        frame = polars.scan_parquet(table["path"])
        kinds = {column: str(kind) for column, kind in frame.collect_schema().items()}
        answers = {}
        for column, value in table["columns"].items():
            of_column = polars.col(column)
            bounds = frame.select(of_column.min().alias("min"), of_column.max().alias("max")).collect().row(0)
            answers[column] = [*bounds, frame.filter(of_column == value).select(polars.len()).collect().item()]
        yield name, frame.select(polars.len()).collect().item(), kinds, answers


def read_with_datafusion(tables):
    import pyarrow
    from datafusion import SessionContext

    for name, table in tables.items():
        context = SessionContext()
        context.register_parquet("t", table["path"], table_partition_cols=[(key, pyarrow.string()) for key in table["partitions"]])

        def answer(query, context=context):
            return list(context.sql(query).to_pylist()[0].values())

        kinds = {field.name: str(field.type) for field in context.sql("SELECT * FROM t LIMIT 0").schema()}
        answers = {}
        for column, value in table["columns"].items():
            literal = value.replace("'", "''")
            # One question each: DataFusion 55 answers both in one query wrongly, since it then filters rows by one of them only.
            answers[column] = [*answer(f'SELECT min("{column}") AS low FROM t'), *answer(f'SELECT max("{column}") AS high FROM t')]
            answers[column] += answer(f"SELECT count(*) AS n FROM t WHERE \"{column}\" = '{literal}'")
        yield name, answer("SELECT count(*) AS n FROM t")[0], kinds, answers


def read_with_pyarrow(tables):
    from pyarrow import compute, dataset

    for name, table in tables.items():
        source = dataset.dataset(table["path"], partitioning="hive" if table["partitions"] else None)
        kinds = {field.name: str(field.type) for field in source.schema}
        answers = {}
        for column, value in table["columns"].items():
            bounds = compute.min_max(source.to_table(columns=[column])[column]).as_py()
            answers[column] = [bounds["min"], bounds["max"], source.count_rows(filter=dataset.field(column) == value)]
        yield name, source.count_rows(), kinds, answers


def read_with_pyspark(tables):
    from pyspark.sql import SparkSession, functions

    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.bindAddress", "127.0.0.1")
    spark = spark.config("spark.driver.host", "127.0.0.1").config("spark.sql.shuffle.partitions", "1").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    for name, table in tables.items():
        frame = spark.read.parquet(table["path"]).repartition(1) if not table["columns"] else spark.read.parquet(table["path"])
        columns = list(table["columns"])
        bounds = [function(column).alias(f"{function.__name__} {column}") for column in columns for function in (functions.min, functions.max)]
        rows, *bounds = frame.agg(functions.count(functions.lit(1)), *bounds).first()
        # One job for all filters.
        counts = {}
        if columns:
            filtered = [frame.filter(functions.col(column) == value).select(functions.lit(column).alias("name")) for column, value in table["columns"].items()]
            union = filtered[0]
            for other in filtered[1:]:
                union = union.unionAll(other)
            counts = {row[0]: row[1] for row in union.groupBy("name").count().collect()}
        answers = {column: [bounds[2 * i], bounds[2 * i + 1], counts.get(column, 0)] for i, column in enumerate(columns)}
        yield name, rows, dict(frame.dtypes), answers


READERS = {
    "duckdb": read_with_duckdb,
    "polars": read_with_polars,
    "datafusion": read_with_datafusion,
    "pyarrow": read_with_pyarrow,
    "pyspark": read_with_pyspark,
}


def main():
    found = {}
    for name, table in json.load(sys.stdin).items():
        try:
            for _, rows, kinds, columns in READERS[sys.argv[1]]({name: table}):
                found[name] = {"rows": rows, "partitions": {key: kinds.get(key) for key in table["partitions"]}, "columns": columns}
        # Readers in Rust panic.
        except BaseException as error:
            found[name] = {"error": f"{type(error).__name__}: {error}"[:300]}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
