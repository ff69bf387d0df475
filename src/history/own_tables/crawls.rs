use tables::table;

table! { of_fields "One row per crawl of a history, in the order of the median times of their captures, then of their names." {
    crawl: Text, "The crawl.";
    position: Int, "Its place in the order of crawls, from 0. It changes when an earlier crawl is added.";
    first_fetch: Time null, "The first time at which an authoritative capture of its hosts was fetched (UTC); null if no capture has a time.";
    median_fetch: Time null, "The median of these times. Crawls are ordered by it.";
    last_fetch: Time null, "The last of these times.";
    captures: Long, "The captures of the crawl: rows of `robots_files` in its dataset.";
    hosts: Long, "Hosts with a capture: rows of `host_captures`.";
    domains: Long, "Their registered domains; a host without one counts as one.";
    archives_read: Long, "The archives from which its captures come.";
    archives_listed: Long, "The archives of the whole list of the crawl, from which a sample was drawn; with those of other crawls if it was drawn from all of them.";
    is_sample: Bool, "True if the archives were drawn at random.";
    meaning: Int, "The meaning of its rows (docs/limits.md#formats).";
}}
