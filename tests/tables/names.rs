//! Whole names of crawlers. The expected names are in one list, with which
//! `tests/python/test_queries.py` also compares the macro `whole_name` of `macros.sql`.

use crawlers::whole_name;
use std::collections::BTreeMap;
use std::fs;
use support::project;

#[test]
fn whole_names_equal_those_of_the_list() {
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
