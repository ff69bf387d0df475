//! The crawl and the subset of an input according to its path.

use super::is_partition_name;

/// Returns the crawl that a path contains: the name of the folder below
/// `crawl-data`, or the first folder with the name of a crawl.
pub(super) fn find_crawl_in_path(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').collect();
    let below = parts
        .iter()
        .position(|part| *part == "crawl-data")
        .and_then(|i| parts.get(i + 1));
    let is_below_last = below.is_some_and(|part| parts.last() == Some(part));
    let folders = &parts[..parts.len() - 1];
    below
        .filter(|_| !is_below_last)
        .or_else(|| folders.iter().find(|part| is_crawl_name(part)))
        .filter(|part| is_partition_name(part))
        .map(|part| (*part).to_owned())
}

/// Returns true for a name such as `CC-MAIN-2025-38` or `CC-NEWS-2024-05`.
fn is_crawl_name(part: &str) -> bool {
    let mut words = part.split('-');
    words.next() == Some("CC")
        && words.next().is_some_and(|word| {
            word.bytes().all(|byte| byte.is_ascii_uppercase()) && !word.is_empty()
        })
        && words
            .next()
            .is_some_and(|word| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit()))
        && words
            .next()
            .is_some_and(|word| word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_digit()))
        && words.next().is_none()
}

/// Returns the subset of an input if a folder in its path or its name has the name of a
/// subset of Common Crawl. Many folders are named `warc`, so this name counts only below
/// `crawl-data` or below a folder with the name of a crawl.
pub(super) fn find_subset_in_path(path: &str, name: &str) -> Option<String> {
    let has_folder = |path: &str, subset: &str| {
        let mut folders = path.split('/').rev().skip(1);
        folders.any(|part| part == subset)
    };
    for subset in ["robotstxt", "crawldiagnostics"] {
        if has_folder(path, subset) || has_folder(name, subset) {
            return Some(subset.to_owned());
        }
    }
    let is_in_crawl_tree = name.contains("crawl-data/") || find_crawl_in_path(name).is_some();
    (is_in_crawl_tree && has_folder(name, "warc")).then(|| "warc".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crawl_and_subset_come_from_the_path() {
        let path = "crawl-data/CC-MAIN-2025-38/segments/1/robotstxt/CC-MAIN-1.warc.gz";
        assert_eq!(find_crawl_in_path(path).as_deref(), Some("CC-MAIN-2025-38"));
        assert_eq!(
            find_subset_in_path(path, path).as_deref(),
            Some("robotstxt")
        );
        assert_eq!(
            find_crawl_in_path("/d/CC-NEWS-2024-05/x.warc.gz").as_deref(),
            Some("CC-NEWS-2024-05")
        );
        assert_eq!(find_crawl_in_path("/d/warc/x.warc.gz"), None);
        assert_eq!(find_crawl_in_path("crawl-data/x.warc.gz"), None);
        assert_eq!(find_subset_in_path("/d/warc/x.warc.gz", "x.warc.gz"), None);
        assert_eq!(
            find_subset_in_path("", "crawl-data/C/segments/1/warc/x").as_deref(),
            Some("warc")
        );
    }

    #[test]
    fn names_that_are_unsafe_as_folders_are_refused() {
        assert!(is_partition_name("CC-MAIN-2025-38") && is_partition_name("a.b_c"));
        for name in ["", "..", ".x", "a/b", "a=b'", "a b", "ä", "-a", "_a"] {
            assert!(!is_partition_name(name), "{name}");
        }
    }

    #[test]
    fn names_that_engines_read_as_numbers_dates_or_truth_values_are_refused() {
        assert!(is_partition_name("m2026-03") && is_partition_name("nullable"));
        for name in [
            "2026-03-01",
            "0042",
            "1e5",
            "true",
            "NULL",
            "NaN",
            "inf",
            "Infinity",
            "epoch",
        ] {
            assert!(!is_partition_name(name), "{name}");
        }
        assert_eq!(find_crawl_in_path("crawl-data/2026-03/x.warc.gz"), None);
    }
}
