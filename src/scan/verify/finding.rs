//! What is wrong with a dataset: where, what, and what to do about it.

use std::collections::BTreeMap;
use std::fmt;

/// Findings of one sort that are kept; the others are counted.
const KEPT: usize = 20;

/// What can be done about a finding. The command knows how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// Restore the file from a copy, or have its part written again.
    RestoreFile,
    /// Restore the file from a copy, or write it again; it is not in a dataset.
    RestoreOrWrite,
    /// Have the part written again: its rows contradict each other though no
    /// byte was changed since.
    WriteAgain,
    /// Restore the manifest from a copy, or start again.
    RestoreManifest,
    /// Use the version of the program that wrote the dataset.
    OtherVersion,
    /// Continue: a run was killed while it wrote the manifest.
    ContinuePart,
    /// Continue: the run was not finished.
    Continue,
    /// Look at the permissions and at the disk.
    Permissions,
    /// Remove the file, unless continuing replaces it.
    Remove,
    /// Continue, which removes the file.
    RemoveTemporary,
    /// Verify the shard beside its own manifest.
    VerifyShard,
    /// Restore the manifest first: one of its lines may list the file.
    ManifestFirst,
    /// Continue, which writes the registry of crawlers again.
    WriteRegistry,
}

/// A sort of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The manifest is of another format.
    Format,
    /// A line of the manifest cannot be read, or says what cannot be.
    Manifest,
    /// The manifest ends within a line.
    ManifestCut,
    /// Parts are missing, or the sign that all are there.
    Unfinished,
    /// The parts are not what the inputs are cut into.
    Parts,
    /// A file of the manifest is not there.
    Missing,
    /// A file or folder cannot be read.
    Unreadable,
    /// A file has another size than the manifest says.
    Size,
    /// A file has another digest than the manifest says.
    Digest,
    /// A file is no Parquet file, or its footer is damaged.
    Footer,
    /// A file was not made by this program, or is of another table.
    Maker,
    /// The columns are not those of the table.
    Columns,
    /// A page cannot be decoded.
    Pages,
    /// There are more or fewer rows than are said to be.
    Rows,
    /// A file that views read is not in the manifest.
    Foreign,
    /// A file of another shard, with which this one was merged.
    OtherShard,
    /// A temporary file.
    Temporary,
    /// A row of `runs` contradicts the manifest.
    Runs,
    /// A capture is not where it says, or its key is not that of its place.
    Place,
    /// A capture contradicts itself.
    Capture,
    /// A key stands twice.
    Twice,
    /// A row belongs to no capture.
    Orphan,
    /// Rows are not in the order of captures and lines.
    Order,
    /// A row says of its capture what the capture does not.
    Parent,
    /// A count of `robots_files` is not that of the rows.
    Count,
    /// A fault lies outside the archives of its part.
    Fault,
}

impl Kind {
    /// The sort's name, for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::Manifest => "manifest",
            Self::ManifestCut => "manifest_cut",
            Self::Unfinished => "unfinished",
            Self::Parts => "parts",
            Self::Missing => "missing",
            Self::Unreadable => "unreadable",
            Self::Size => "size",
            Self::Digest => "digest",
            Self::Footer => "footer",
            Self::Maker => "maker",
            Self::Columns => "columns",
            Self::Pages => "pages",
            Self::Rows => "rows",
            Self::Foreign => "foreign",
            Self::OtherShard => "other_shard",
            Self::Temporary => "temporary",
            Self::Runs => "runs",
            Self::Place => "place",
            Self::Capture => "capture",
            Self::Twice => "twice",
            Self::Orphan => "orphan",
            Self::Order => "order",
            Self::Parent => "parent",
            Self::Count => "count",
            Self::Fault => "fault",
        }
    }

    /// Returns what can be done about it, in a dataset.
    fn remedy(self) -> Remedy {
        match self {
            Self::Format => Remedy::OtherVersion,
            Self::Manifest | Self::Parts => Remedy::RestoreManifest,
            Self::ManifestCut => Remedy::ContinuePart,
            Self::Unfinished => Remedy::Continue,
            Self::Unreadable => Remedy::Permissions,
            Self::Missing | Self::Size | Self::Digest | Self::Footer | Self::Maker => {
                Remedy::RestoreFile
            }
            Self::Foreign => Remedy::Remove,
            Self::OtherShard => Remedy::VerifyShard,
            Self::Temporary => Remedy::RemoveTemporary,
            Self::Columns
            | Self::Pages
            | Self::Rows
            | Self::Runs
            | Self::Place
            | Self::Capture
            | Self::Twice
            | Self::Orphan
            | Self::Order
            | Self::Parent
            | Self::Count
            | Self::Fault => Remedy::WriteAgain,
        }
    }
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its sort.
    pub kind: Kind,
    /// The file, below the dataset's folder.
    pub path: String,
    /// What is wrong with it.
    pub what: String,
    /// What can be done about it.
    pub remedy: Remedy,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.what)
    }
}

/// All that is wrong, by sorts: some of each, and how many there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    sorts: BTreeMap<Kind, (Vec<Finding>, u64)>,
}

impl Findings {
    /// Adds one.
    pub(super) fn add(&mut self, kind: Kind, path: &str, what: fmt::Arguments<'_>) {
        let (kept, count) = self.sorts.entry(kind).or_default();
        *count += 1;
        if kept.len() < KEPT {
            kept.push(Finding {
                kind,
                path: path.to_owned(),
                what: what.to_string(),
                remedy: kind.remedy(),
            });
        }
    }

    /// Says what to do about a file that no part has.
    pub(super) fn advise(&mut self, remedy: Remedy) {
        let kept = self.sorts.values_mut().flat_map(|(kept, _)| kept);
        kept.filter(|it| [Remedy::RestoreFile, Remedy::WriteAgain].contains(&it.remedy))
            .for_each(|it| it.remedy = remedy);
    }

    /// Adds those of another, behind its own.
    pub(super) fn append(&mut self, other: Self) {
        for (kind, (found, more)) in other.sorts {
            let (kept, count) = self.sorts.entry(kind).or_default();
            *count += more;
            let room = KEPT - kept.len();
            kept.extend(found.into_iter().take(room));
        }
    }

    /// Says what to do first where a file may be foreign only because the
    /// manifest lacks its line.
    pub(super) fn doubt_foreign(&mut self) {
        if !self.sorts.contains_key(&Kind::Manifest) {
            return;
        }
        if let Some((kept, _)) = self.sorts.get_mut(&Kind::Foreign) {
            for finding in kept {
                finding.remedy = Remedy::ManifestFirst;
            }
        }
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.sorts.values().map(|(_, count)| count).sum()
    }

    /// The sorts, each with some findings and how many there are.
    pub fn sorts(&self) -> impl Iterator<Item = (Kind, &[Finding], u64)> {
        let sorts = self.sorts.iter();
        sorts.map(|(&kind, (kept, count))| (kind, kept.as_slice(), *count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_of_a_sort_are_kept_and_all_are_counted() {
        let many = |from: usize| {
            let mut findings = Findings::default();
            for at in from..from + 15 {
                findings.add(Kind::Orphan, "rules/x", format_args!("row {at}"));
            }
            findings
        };
        let mut all = many(0);
        all.append(many(15));
        all.add(Kind::Size, "rules/y", format_args!("it is empty"));
        let sorts: Vec<_> = all.sorts().collect();
        assert_eq!((all.count(), sorts.len()), (31, 2));
        assert_eq!((sorts[0].0, sorts[0].2), (Kind::Size, 1));
        let (kind, kept, count) = sorts[1];
        assert_eq!((kind, kept.len(), count), (Kind::Orphan, 20, 30));
        assert_eq!(kept[19].what, "row 19");
    }
}
