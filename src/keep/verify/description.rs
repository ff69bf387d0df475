//! Checks that a description is that of the dataset.

use super::{FindingKind, Findings};
use dataset::MANIFEST_FILE;
use sha2::{Digest, Sha256};
use std::path::{Component, Path};

/// The checksums that `robots-scan describe` writes with a description.
const SUMS_FILE: &str = "SHA256SUMS";

/// The most bytes of checksums that are read.
const MAX_SUMS_BYTES: u64 = 64 << 20;

/// Adds a finding if `SHA256SUMS` in the folder of a dataset has the digest of another manifest: then the dataset was
/// written again after it was described.
pub fn check_description(root: &Path, findings: &mut Findings) {
    let path = root.join(SUMS_FILE);
    if !disk::is_regular(&path) {
        return;
    }
    let text = match disk::read_user_file(&path, MAX_SUMS_BYTES) {
        Ok(text) => text,
        Err(error) => {
            let what = format_args!("it cannot be read: {error}");
            return findings.add(FindingKind::Unreadable, SUMS_FILE, what);
        }
    };
    let text = String::from_utf8_lossy(&text);
    let lines = text.lines().filter_map(|line| line.split_once("  "));
    let mut manifests = lines.filter(|(_, name)| {
        let path = Path::new(name);
        path.file_name().is_some_and(|name| name == MANIFEST_FILE)
            && path
                .components()
                .all(|part| matches!(part, Component::Normal(_)))
    });
    let is_other = |digest: &str, name: &str| {
        let manifest = disk::read(&root.join(name)).unwrap_or_default();
        let bytes = Sha256::digest(&manifest);
        bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
            != digest
    };
    if let Some((_, name)) = manifests.find(|(digest, name)| is_other(digest, name)) {
        let what =
            format_args!("it has another digest of {name}: the description is of another dataset");
        findings.add(FindingKind::Description, SUMS_FILE, what);
    }
}
