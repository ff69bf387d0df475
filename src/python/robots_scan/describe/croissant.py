"""`croissant.json`: the dataset in the format of MLCommons, version 1.1, with properties of its extension for responsible AI."""

import json
import urllib.parse

from ..report.tables import glob_of
from .keys import key_of, reference_of
from .publisher import person
from .statements import COMMON_CRAWL_TERMS, MEANING, PERSONAL, USE, citation, common_crawl, limitations, made_with, summary, texts

CONFORMS_TO = ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"]
# The context of the specification, by which catalogues read short names.
CONTEXT = {
    "@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/", "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/", "dct": "http://purl.org/dc/terms/", "annotation": "cr:annotation", "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs", "column": "cr:column", "conformsTo": "dct:conformsTo", "containedIn": "cr:containedIn", "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"}, "description": {"@container": "@language"}, "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"}, "excludes": "cr:excludes", "extract": "cr:extract", "field": "cr:field",
    "fileProperty": "cr:fileProperty", "fileObject": "cr:fileObject", "fileSet": "cr:fileSet", "format": "cr:format", "includes": "cr:includes",
    "isArray": "cr:isArray", "isLiveDataset": "cr:isLiveDataset", "jsonPath": "cr:jsonPath", "key": "cr:key", "md5": "cr:md5",
    "name": {"@container": "@language"}, "parentField": "cr:parentField", "path": "cr:path", "readLines": "cr:readLines", "recordSet": "cr:recordSet",
    "references": "cr:references", "regex": "cr:regex", "repeated": "cr:repeated", "replace": "cr:replace", "samplingRate": "cr:samplingRate",
    "sdVersion": "cr:sdVersion", "separator": "cr:separator", "source": "cr:source", "subField": "cr:subField", "transform": "cr:transform",
    "unArchive": "cr:unArchive", "value": "cr:value"}
TYPES = {"BOOLEAN": "sc:Boolean", "SMALLINT": "sc:Integer", "INTEGER": "sc:Integer", "BIGINT": "sc:Integer", "DOUBLE": "sc:Float", "VARCHAR": "sc:Text",
         "TIMESTAMP": "sc:DateTime", "DATE": "sc:Date"}
# The format of files by the name that mlcroissant reads.
PARQUET = "application/x-parquet"


def croissant(dataset, publisher, prefix, digests):
    """Returns the text. `prefix` leads from its folder to the dataset, and `digests` has the SHA-256 of each file."""
    described = {
        "@context": CONTEXT, "@type": "sc:Dataset", "conformsTo": CONFORMS_TO, "name": publisher.name, "description": " ".join(text for text in (summary(dataset), MEANING, publisher.about) if text),
        "url": publisher.url, "license": publisher.license_url, "creator": [creator(name) for name in publisher.creators], "datePublished": publisher.date.isoformat(),
        "version": publisher.version, "citeAs": citation(dataset, publisher),
        "keywords": ["robots.txt", "web crawlers", "web archives", "AI preferences", *(["Common Crawl"] if common_crawl(dataset) else [])],
        "temporalCoverage": f"{dataset.first.isoformat()}Z/{dataset.last.isoformat()}Z" if dataset.first else None,
        "usageInfo": COMMON_CRAWL_TERMS if common_crawl(dataset) else None,
        **responsibility(dataset),
        "distribution": [*(file_object(dataset, file, prefix, digests) for table in dataset.tables.values() for file in table.files),
                         *(file_set(table, prefix) for table in dataset.tables.values())],
        "recordSet": [record_set(dataset, table) for table in dataset.tables.values()]}
    text = json.dumps({name: value for name, value in described.items() if value not in (None, [])}, ensure_ascii=False, indent=1)
    # The file can be part of an HTML page.
    return text.replace("<", "\\u003c") + "\n"


def creator(name):
    """Describes a person, who is written as 'Family, Given', or an organization."""
    if names := person(name):
        return {"@type": "sc:Person", "name": f"{names[1]} {names[0]}", "familyName": names[0], "givenName": names[1]}
    return {"@type": "sc:Organization", "name": name}


def responsibility(dataset):
    """Returns the properties of the extension for responsible AI."""
    return {
        "rai:dataCollection": "Responses to requests for robots.txt files, as web archives (WARC) store them. Nothing was requested for this dataset.",
        "rai:dataCollectionType": ["Web Scraping", "Secondary Data Analysis"],
        "rai:dataCollectionTimeframe": [f"{time.isoformat()}Z" for time in (dataset.first, dataset.last)] if dataset.first else None,
        "rai:dataCollectionMissingData": "Hosts without a capture have no rows. The verdict unknown means that nothing decidable was captured.",
        "rai:dataPreprocessingProtocol": made_with(dataset),
        "rai:dataUseCases": [USE],
        "rai:dataLimitations": [f"{title} {text}" for title, text in limitations(dataset)],
        "rai:dataBiases": ["Hosts are those that the crawls of the archives chose, not a sample of the web."],
        "rai:personalSensitiveInformation": [f"{texts(dataset)} {PERSONAL}"]}


def file_object(dataset, file, prefix, digests):
    return {
        "@type": "cr:FileObject", "@id": address(prefix + file), "name": file, "contentUrl": address(prefix + file),
        "contentSize": f"{(dataset.folder / file).stat().st_size} B", "encodingFormat": PARQUET, "sha256": digests[file]}


def address(path):
    """Returns a path as a relative address."""
    return urllib.parse.quote(path, safe="/=")


def file_set(table, prefix):
    patterns = [glob_of(prefix) + pattern for pattern in table.patterns]
    return {"@type": "cr:FileSet", "@id": f"{table.name}-files", "name": f"{table.name}-files", "description": f"The files of the table {table.name}.",
            "encodingFormat": PARQUET, "includes": patterns[0] if len(patterns) == 1 else patterns}


def record_set(dataset, table):
    key = [{"@id": f"{table.name}/{name}"} for name in key_of(table)]
    return {"@type": "cr:RecordSet", "@id": table.name, "name": table.name, "description": table.description,
            **({"key": key if len(key) > 1 else key[0]} if key else {}), "field": [field(dataset, table, column) for column in table.stored]}


def field(dataset, table, column):
    source = {"fileSet": {"@id": f"{table.name}-files"}, "extract": {"column": column.name}}
    if column.is_partition:
        source |= {"extract": {"fileProperty": "fullpath"}, "transform": {"regex": f".*/{column.name}=([^/]*)/.*"}}
    target = reference_of(dataset, table, column)
    return {"@type": "cr:Field", "@id": f"{table.name}/{column.name}", "name": column.name, "description": column.description,
            "dataType": TYPES[column.type], "source": source, **({"references": {"field": {"@id": "/".join(target)}}} if target else {})}
