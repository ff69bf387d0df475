//! Findings of a verification: the defect, where it is, and the remedy.

use std::collections::BTreeMap;
use std::fmt;

/// The number of findings of a kind that are kept. Further ones are only counted.
const MAX_KEPT_FINDINGS: usize = 20;

/// The length at which a message is cut, since it may quote a long value.
const MAX_MESSAGE_BYTES: usize = 1000;

/// The remedy for a finding: advice that only the command line prints, since it names options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remedy(pub &'static str);

impl Remedy {
    pub const RESTORE_FILE: Self = Self(
        "restore it from a copy, or scan again with --resume, which replaces its damaged parts",
    );
    pub const RESTORE_OR_WRITE: Self = Self("restore it from a copy, or write it again");
    pub const REWRITE_PART: Self = Self(
        "it was changed together with the manifest, or written in this state: remove it and scan again with --resume",
    );
    pub const RESTORE_MANIFEST: Self =
        Self("restore it from a copy, or scan again with --overwrite");
    pub const RESUME_CUT_MANIFEST: Self =
        Self("a run was killed while it wrote it: --resume writes that part again");
    pub const CONTINUE: Self = Self("--resume continues");
    pub const PERMISSIONS: Self = Self("check its permissions and the disk, then verify again");
    pub const REMOVE: Self = Self(
        "remove it, because views read it too; files of a part that a killed run left are replaced by --resume",
    );
    pub const REMOVE_TEMPORARY: Self =
        Self("left by a run that was killed: the next run with this output removes it");
    pub const MANIFEST_FIRST: Self =
        Self("restore the manifest first: one of its lines may list this file");
    pub const WRITE_VIEWS: Self = Self("robots-scan views writes it again");
    pub const DESCRIBE: Self = Self("robots-scan describe --overwrite writes it again");
    pub const JOIN: Self = Self("robots-scan join makes it again");
    pub const REBUILD_HISTORY: Self = Self(
        "restore it from a copy, or make the history again with robots-scan history --overwrite",
    );
}

/// The kind of a defect. It has a code, which is printed, and a remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// A line of the manifest is malformed or contradicts others, or the manifest was changed.
    Manifest,
    /// The manifest ends within a line.
    ManifestCut,
    /// Parts, resolved tables or the file `_SUCCESS` are missing.
    Unfinished,
    /// Parts have overlapping inputs, or inputs or crawls that the manifest does not list.
    Parts,
    /// A file that the manifest lists does not exist.
    Missing,
    /// A file or folder cannot be read.
    Unreadable,
    /// The size of a file is not that in the manifest.
    Size,
    /// The digest of a file is not that in the manifest.
    Digest,
    /// A file is not a Parquet file, or its footer is damaged.
    Footer,
    /// The columns are not those of the table.
    Columns,
    /// A page cannot be decoded.
    Pages,
    /// The number of rows is not that in the footer or in the manifest.
    Rows,
    /// A file that views read is not in the manifest.
    Foreign,
    /// `views.sql` is missing, opens another folder, or was changed.
    Views,
    /// The description beside the dataset is of another one.
    Description,
    /// A folder of temporary files, or a file of a history, that a killed run left.
    Temporary,
}

impl FindingKind {
    /// Returns the code of the kind, as printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Manifest => "manifest",
            Self::ManifestCut => "manifest_cut",
            Self::Unfinished => "unfinished",
            Self::Parts => "parts",
            Self::Missing => "missing",
            Self::Unreadable => "unreadable",
            Self::Size => "size",
            Self::Digest => "digest",
            Self::Footer => "footer",
            Self::Columns => "columns",
            Self::Pages => "pages",
            Self::Rows => "rows",
            Self::Foreign => "foreign",
            Self::Views => "views",
            Self::Description => "description",
            Self::Temporary => "temporary",
        }
    }

    /// Returns the remedy for a file of a dataset.
    fn remedy(self) -> Remedy {
        match self {
            Self::Manifest | Self::Parts => Remedy::RESTORE_MANIFEST,
            Self::ManifestCut => Remedy::RESUME_CUT_MANIFEST,
            Self::Unfinished => Remedy::CONTINUE,
            Self::Unreadable => Remedy::PERMISSIONS,
            Self::Missing | Self::Size | Self::Digest | Self::Footer => Remedy::RESTORE_FILE,
            Self::Foreign => Remedy::REMOVE,
            Self::Views => Remedy::WRITE_VIEWS,
            Self::Description => Remedy::DESCRIBE,
            Self::Temporary => Remedy::REMOVE_TEMPORARY,
            Self::Columns | Self::Pages | Self::Rows => Remedy::REWRITE_PART,
        }
    }
}

/// A defect of a dataset, in one of its files or folders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kind of the defect.
    pub kind: FindingKind,
    /// The file or folder, relative to the folder of the dataset.
    pub path: String,
    /// The description, in one line.
    pub message: String,
    pub remedy: Remedy,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// The findings of a verification by kind: the first ones of each kind, and the number of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    kinds: BTreeMap<FindingKind, CountedFindings>,
}

/// The first findings of a kind, and the number of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct CountedFindings {
    kept: Vec<Finding>,
    count: u64,
}

/// The findings of one kind, as [`Findings::groups`] returns them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FindingGroup<'a> {
    pub kind: FindingKind,
    /// The first findings, at most [`MAX_KEPT_FINDINGS`].
    pub findings: &'a [Finding],
    /// The number of all findings.
    pub count: u64,
}

impl Findings {
    /// Adds a finding about a file or folder, whose path is relative to the folder of the dataset.
    pub fn add(&mut self, kind: FindingKind, path: &str, message: fmt::Arguments<'_>) {
        let CountedFindings { kept, count } = self.kinds.entry(kind).or_default();
        *count += 1;
        if kept.len() < MAX_KEPT_FINDINGS {
            kept.push(Finding {
                kind,
                path: path.to_owned(),
                message: shorten(message.to_string()),
                remedy: kind.remedy(),
            });
        }
    }

    /// Replaces the remedies that only make sense for a file of a part with `remedy`.
    pub(super) fn replace_part_remedies(&mut self, remedy: Remedy) {
        let kept = self
            .kinds
            .values_mut()
            .flat_map(|findings| &mut findings.kept);
        let part_remedies = [Remedy::RESTORE_FILE, Remedy::REWRITE_PART];
        kept.filter(|finding| part_remedies.contains(&finding.remedy))
            .for_each(|finding| finding.remedy = remedy);
    }

    /// Prepends `folder` and a slash to the paths of all findings.
    pub(super) fn prepend_folder(&mut self, folder: &str) {
        let kinds = self.kinds.values_mut();
        for finding in kinds.flat_map(|findings| &mut findings.kept) {
            finding.path = format!("{folder}/{}", finding.path);
        }
    }

    /// Replaces the remedies of all findings.
    pub fn replace_remedies(&mut self, remedy: Remedy) {
        let kinds = self.kinds.values_mut();
        for finding in kinds.flat_map(|findings| &mut findings.kept) {
            finding.remedy = remedy;
        }
    }

    /// Adds the findings of `other` after the present ones.
    pub(super) fn append(&mut self, other: Self) {
        for (kind, added) in other.kinds {
            let CountedFindings { kept, count } = self.kinds.entry(kind).or_default();
            *count += added.count;
            let room = MAX_KEPT_FINDINGS - kept.len();
            kept.extend(added.kept.into_iter().take(room));
        }
    }

    /// Replaces the remedy of foreign files if the manifest is damaged, because one of its malformed lines
    /// may list such a file.
    pub(super) fn replace_foreign_remedy(&mut self) {
        if !self.kinds.contains_key(&FindingKind::Manifest) {
            return;
        }
        if let Some(foreign) = self.kinds.get_mut(&FindingKind::Foreign) {
            for finding in &mut foreign.kept {
                finding.remedy = Remedy::MANIFEST_FIRST;
            }
        }
    }

    /// Returns the number of all findings.
    pub fn count(&self) -> u64 {
        self.kinds.values().map(|findings| findings.count).sum()
    }

    /// Returns the findings by kind.
    pub fn groups(&self) -> impl Iterator<Item = FindingGroup<'_>> {
        self.kinds.iter().map(|(&kind, findings)| FindingGroup {
            kind,
            findings: &findings.kept,
            count: findings.count,
        })
    }
}

/// Cuts a message that quotes a long value.
fn shorten(mut message: String) -> String {
    if message.len() > MAX_MESSAGE_BYTES {
        message.truncate(message.floor_char_boundary(MAX_MESSAGE_BYTES));
        message.push('…');
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_findings_of_a_kind_are_kept_and_all_are_counted() {
        let many = |first: usize| {
            let mut findings = Findings::default();
            for i in first..first + 15 {
                findings.add(FindingKind::Missing, "rules/x", format_args!("row {i}"));
            }
            findings
        };
        let mut all = many(0);
        all.append(many(15));
        all.add(FindingKind::Size, "rules/y", format_args!("it is empty"));
        let groups: Vec<FindingGroup<'_>> = all.groups().collect();
        assert_eq!((all.count(), groups.len()), (31, 2));
        let missing = groups[0];
        assert_eq!(missing.kind, FindingKind::Missing);
        assert_eq!((missing.findings.len(), missing.count), (20, 30));
        assert_eq!(missing.findings[19].message, "row 19");
        assert_eq!((groups[1].kind, groups[1].count), (FindingKind::Size, 1));
    }
}
