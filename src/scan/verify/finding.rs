//! What is wrong with a dataset: where, what, and what to do about it.

use std::collections::BTreeMap;
use std::fmt;

/// Findings of one sort that are kept; the others are counted.
const KEPT: usize = 20;

/// What to do about a file that is not as it was written.
const BRING_BACK: &str = "bring it back from a copy, or take the line of its part out of _manifest.jsonl and scan again with --resume";

/// What to do about rows that contradict each other though no byte was changed since.
const MAKE_ANEW: &str = "it was changed together with the manifest, or written so: take the line of its part out of _manifest.jsonl and scan again with --resume";

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

    /// What to do about it, in a dataset.
    fn remedy(self) -> &'static str {
        match self {
            Self::Format => "verify it with the version that made it",
            Self::Manifest | Self::Parts => {
                "bring it back from a copy, or scan again with --overwrite"
            }
            Self::ManifestCut => "a run was killed as it wrote it: --resume makes that part anew",
            Self::Unfinished => "--resume continues",
            Self::Unreadable => "look at its permissions and at the disk, then verify again",
            Self::Missing | Self::Size | Self::Digest | Self::Footer | Self::Maker => BRING_BACK,
            Self::Foreign => {
                "remove it, as views read it too; what a killed run left of a part --resume replaces"
            }
            Self::OtherShard => "verify each shard beside its own manifest, before they are merged",
            Self::Temporary => "left by a run that was killed: --resume removes it",
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
            | Self::Fault => MAKE_ANEW,
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
    /// What to do about it.
    pub remedy: &'static str,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.path, self.what, self.remedy)
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
    pub(super) fn advise(&mut self, remedy: &'static str) {
        let kept = self.sorts.values_mut().flat_map(|(kept, _)| kept);
        kept.filter(|it| [BRING_BACK, MAKE_ANEW].contains(&it.remedy))
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
            let remedy = "mend the manifest first: it may be what a line of it had";
            kept.iter_mut().for_each(|it| it.remedy = remedy);
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
