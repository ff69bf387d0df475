//! Whole names of crawlers: one list for the program and for `whole_name` of
//! `macros.sql`, which `jobs/test_queries.py` compares with it.

use crate::util::project;
use robots_scan::crawler::registry::whole_name;
use std::collections::BTreeMap;
use std::fs;

#[test]
fn a_whole_name_is_that_of_the_list() {
    let list = fs::read(project().join("tests/whole_names.json")).unwrap();
    let names: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(&list).unwrap();
    let expected: BTreeMap<&str, &str> = names
        .iter()
        .map(|(name, whole)| (name.as_str(), whole.as_str().unwrap()))
        .collect();
    let given: BTreeMap<&str, String> = expected
        .keys()
        .map(|name| (*name, whole_name(name)))
        .collect();
    assert!(expected.len() > 40);
    for (name, whole) in &given {
        assert_eq!(whole, expected[name], "{name:?}");
    }
}
