//! URLs whose captures are known. If an HTTP status decides, they are decided at once; the others are sorted by the
//! places of their rules.

use super::decision::{
    DecisionBasis, PlannedUrl, RulingDecisions, SortedDecision, write_decisions,
};
use super::lookup::ListedUrl;
use super::match_run::MatchRun;
use crate::captures::Place;
use errors::Error;
use robots::StatusEffect;
use sort::{Arena, Rest, SharedSorter, SortedRecords, Sorter, record};

/// A capture by which a URL is decided, as far as its decision depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ruling<P> {
    /// The effect of the HTTP status.
    pub(super) effect: StatusEffect,
    /// The place of the rules, which decide if the status does not.
    pub(super) place: P,
    /// The time of the fetch in milliseconds since 1970, which selects the vocabulary of preferences.
    pub(super) time: Option<i64>,
}

record! {
    /// A URL that is decided by the rules of a file.
    pub(super) struct UrlOfFile<'a> {
        pub(super) row: ListedUrl<'a>,
        pub(super) ruling_no: u32,
        /// The time of the capture in milliseconds since 1970.
        pub(super) time: Option<i64>,
        /// The plan of the URL; `None` if another record of the row has it.
        pub(super) plan: Option<&'a [u8]>,
    }
}

impl<'a> UrlOfFile<'a> {
    /// Returns the record of the decisions for the URL.
    pub(super) fn decided(&self, of_crawlers: &'a [u8]) -> (u64, RulingDecisions<'a>) {
        let url = self.row.url;
        let decided = RulingDecisions {
            ruling_no: self.ruling_no,
            planned: self.plan.map(|plan| PlannedUrl {
                url,
                basis: None,
                plan,
            }),
            decisions: Rest(of_crawlers),
        };
        (self.row.index, decided)
    }
}

/// A URL, by the place of the rules that decide it.
pub(super) type FileRequest<P> = (P, UrlOfFile<'static>);

/// Takes URLs with the captures by which they are decided.
pub(super) struct PlannedUrls<'a, P: Place> {
    pub(super) run: &'a MatchRun<'a>,
    decisions: SharedSorter<'a, SortedDecision>,
    requests: Sorter<'a, FileRequest<P>>,
    new: Arena<SortedDecision>,
    of_crawlers: Vec<u8>,
}

impl<'a, P: Place> PlannedUrls<'a, P> {
    pub(super) fn new(run: &'a MatchRun<'a>) -> Self {
        Self {
            run,
            decisions: run.memory.create_shared_sorter(),
            requests: run.memory.create_sorter(),
            new: Arena::default(),
            of_crawlers: Vec::new(),
        }
    }

    /// Adds a URL that no capture decides, for the reason `basis`. `plan` is what is written about its captures.
    ///
    /// # Errors
    ///
    /// Those of writing a sorted run to disk.
    pub(super) fn add_undecided(
        &mut self,
        row: &ListedUrl<'_>,
        plan: &[u8],
        basis: DecisionBasis,
    ) -> Result<(), Error> {
        let planned = PlannedUrl {
            url: row.url,
            basis: Some(basis),
            plan,
        };
        let decided = RulingDecisions {
            ruling_no: 0,
            planned: Some(planned),
            decisions: Rest(&[]),
        };
        self.new.push((row.index, decided));
        self.append()
    }

    /// Adds a URL that a capture decides. `plan` is what is written about its captures;
    /// `None` if the URL was added with its plan before.
    ///
    /// # Errors
    ///
    /// Those of writing a sorted run to disk.
    pub(super) fn add(
        &mut self,
        row: &ListedUrl<'_>,
        plan: Option<&[u8]>,
        ruling_no: u32,
        ruling: &Ruling<P>,
    ) -> Result<(), Error> {
        let url = UrlOfFile {
            row: *row,
            ruling_no,
            time: ruling.time,
            plan,
        };
        match self.run.decide_by_status(ruling.effect, row.url) {
            Some(decision) => {
                let crawlers = self.run.options.crawlers.iter();
                write_decisions(crawlers.map(|_| decision), &mut self.of_crawlers);
                self.new.push(url.decided(&self.of_crawlers));
                self.append()
            }
            None => self.requests.push((ruling.place, url)),
        }
    }

    fn append(&mut self) -> Result<(), Error> {
        self.decisions.append(&self.new)?;
        self.new.clear();
        Ok(())
    }

    /// Returns the decisions so far, and the URLs that are decided by rules.
    ///
    /// # Errors
    ///
    /// Those of writing a sorted run to disk.
    pub(super) fn finish(self) -> Result<Planned<'a, P>, Error> {
        Ok((self.decisions, self.requests.finish()?))
    }
}

/// Decisions, and the requests for others.
type Planned<'a, P> = (
    SharedSorter<'a, SortedDecision>,
    SortedRecords<'a, FileRequest<P>>,
);
