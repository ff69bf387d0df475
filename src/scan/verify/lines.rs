//! The tables whose rows belong to captures: walked beside `robots_files`, as
//! their rows come in its order.

use super::captures::Captures;
use super::rows::Rows;
use super::{Findings, Kind};
use crate::tables::Table;
use std::collections::HashSet;
use std::path::Path;

/// What is read of a table: first the key and the host, then what the table has
/// of its own.
fn columns(table: Table) -> &'static [&'static str] {
    match table {
        Table::Groups => &["robots_id", "surt_host_name", "line_no", "group_no"],
        Table::Rules => &["robots_id", "surt_host_name", "line_no", "allow"],
        Table::Verdicts => &["robots_id", "surt_host_name", "agent", "is_robots_path"],
        _ => &["robots_id", "surt_host_name", "line_no"],
    }
}

/// What `robots_files` counts of a table's rows.
fn counts(table: Table) -> &'static [&'static str] {
    match table {
        Table::Groups => &["n_user_agents", "n_groups"],
        Table::Rules => &["n_rules", "n_allow", "n_disallow"],
        Table::Sitemaps => &["n_sitemaps"],
        Table::Directives => &["n_directives"],
        Table::Anomalies => &["n_anomalies"],
        _ => &[],
    }
}

/// What is read of `robots_files`, before the counts.
const OF_CAPTURE: [&str; 4] = ["robots_id", "surt_host_name", "is_robots_path", "n_lines"];

/// Tables with at most one row a line.
const ONE_A_LINE: [Table; 4] = [
    Table::Groups,
    Table::Rules,
    Table::Sitemaps,
    Table::Directives,
];

/// Tables whose rows belong to captures.
pub(super) const TABLES: [Table; 7] = [
    Table::Groups,
    Table::Rules,
    Table::Sitemaps,
    Table::Directives,
    Table::Preferences,
    Table::Anomalies,
    Table::Verdicts,
];

/// The rows of one capture.
#[derive(Debug, Default)]
struct Tally {
    rows: i64,
    allow: i64,
    last_group: i64,
    has_everybody: bool,
}

impl Tally {
    /// What [`counts`] should be.
    fn counts(&self, table: Table) -> [i64; 3] {
        match table {
            Table::Groups => [self.rows, self.last_group, 0],
            _ => [self.rows, self.allow, self.rows - self.allow],
        }
    }
}

/// The captures that a table's rows belong to.
struct Parents<'a> {
    captures: &'a Captures,
    rows: Rows,
    /// How many were passed; the last of them is where `rows` stands.
    passed: usize,
}

struct Walk<'a> {
    table: Table,
    name: &'a str,
    lines: Rows,
    parents: Option<Parents<'a>>,
    agents: HashSet<String>,
    findings: &'a mut Findings,
}

/// Checks the rows of a table of a part, beside those of its captures if these
/// can be read.
pub(super) fn check(
    table: Table,
    path: &Path,
    name: &str,
    captures: Option<(&Path, &Captures)>,
    findings: &mut Findings,
) -> Result<(), String> {
    let parents = captures.map(|(path, captures)| {
        let names = [&OF_CAPTURE, counts(table)].concat();
        let (rows, passed) = (Rows::open(path, &names)?, 0);
        Ok::<_, String>(Parents {
            captures,
            rows,
            passed,
        })
    });
    let mut walk = Walk {
        table,
        name,
        lines: Rows::open(path, columns(table))?,
        parents: parents.transpose()?,
        agents: HashSet::new(),
        findings,
    };
    let mut has_more = walk.lines.next()?;
    while has_more {
        let id = walk.lines.long(0).unwrap_or_default();
        let has_parent = walk.go_to(id)?;
        let tally;
        (tally, has_more) = walk.read_lines(id, has_parent)?;
        if has_parent {
            walk.compare(&tally);
        }
    }
    walk.pass_to(usize::MAX)
}

impl Walk<'_> {
    /// Goes to the capture that rows belong to, and gives whether it stands there.
    fn go_to(&mut self, id: i64) -> Result<bool, String> {
        let Some(parents) = &self.parents else {
            return Ok(false);
        };
        let (no, passed) = (self.lines.no(), parents.passed);
        let Some(at) = parents.captures.find(id) else {
            self.findings.add(
                Kind::Orphan,
                self.name,
                format_args!("row {no}: robots_id {id} is not in robots_files of its part"),
            );
            return Ok(false);
        };
        if at < passed {
            self.findings.add(
                Kind::Order,
                self.name,
                format_args!("row {no}: robots_id {id} comes after captures that follow it"),
            );
            return Ok(false);
        }
        self.pass_to(at)?;
        self.pass()
    }

    /// Passes captures that have no rows, up to one.
    fn pass_to(&mut self, at: usize) -> Result<(), String> {
        while self.parents.as_ref().is_some_and(|it| it.passed < at) && self.pass()? {
            self.compare(&Tally::default());
        }
        Ok(())
    }

    /// Goes to the next capture, if there is one.
    fn pass(&mut self) -> Result<bool, String> {
        let Some(parents) = &mut self.parents else {
            return Ok(false);
        };
        let has_next = parents.rows.next()?;
        parents.passed += usize::from(has_next);
        Ok(has_next)
    }

    /// Reads the rows of one capture, and gives whether others follow.
    fn read_lines(&mut self, id: i64, has_parent: bool) -> Result<(Tally, bool), String> {
        let Self {
            table,
            name,
            lines,
            parents,
            agents,
            findings,
        } = self;
        let parent = parents.as_ref().map(|it| &it.rows).filter(|_| has_parent);
        let mut tally = Tally::default();
        let mut last = 0;
        agents.clear();
        loop {
            let no = lines.no();
            tally.rows += 1;
            let host = lines.text(1);
            if let Some(parent) = parent.filter(|parent| parent.text(1) != host) {
                let (is, want) = (host.unwrap_or("null"), parent.text(1).unwrap_or("null"));
                findings.add(
                    Kind::Parent,
                    name,
                    format_args!("row {no}: surt_host_name is {is}, that of its capture is {want}"),
                );
            }
            if *table == Table::Verdicts {
                let agent = lines.text(2).unwrap_or_default();
                tally.has_everybody |= agent == "*";
                if !agents.insert(agent.to_owned()) {
                    findings.add(
                        Kind::Twice,
                        name,
                        format_args!("row {no}: robots_id {id} has the agent `{agent}` before"),
                    );
                }
                if parent.is_some_and(|parent| parent.bool(2) != lines.bool(3)) {
                    findings.add(
                        Kind::Parent,
                        name,
                        format_args!("row {no}: is_robots_path is not that of its capture"),
                    );
                }
            } else {
                let line = lines.int(2).unwrap_or(0);
                // The first line is 1; where there is none, it comes before.
                let is_after = line > last || (line == last && !ONE_A_LINE.contains(table));
                if !is_after {
                    findings.add(
                        Kind::Order,
                        name,
                        format_args!("row {no}: line {line} of robots_id {id} comes after {last}"),
                    );
                }
                last = line;
                if let Some(parent) = parent.filter(|it| line > it.int(3).unwrap_or(0)) {
                    let n_lines = parent.int(3).unwrap_or(0);
                    findings.add(
                        Kind::Parent,
                        name,
                        format_args!("row {no}: line {line} of a file of {n_lines}"),
                    );
                }
                match table {
                    Table::Rules => tally.allow += i64::from(lines.bool(3) == Some(true)),
                    Table::Groups => {
                        let group = i64::from(lines.int(3).unwrap_or(0));
                        tally.last_group = tally.last_group.max(group);
                    }
                    _ => {}
                }
            }
            if !lines.next()? {
                return Ok((tally, false));
            }
            if lines.long(0) != Some(id) {
                return Ok((tally, true));
            }
        }
    }

    /// Compares the rows of a capture with what it counts; one without counts
    /// has no lines.
    fn compare(&mut self, tally: &Tally) {
        let Some(parents) = &self.parents else {
            return;
        };
        let (parent, table) = (&parents.rows, self.table.name());
        let id = parent.long(0).unwrap_or_default();
        let is_read = parent.int(3).is_some();
        let of_table = counts(self.table).iter().enumerate();
        for ((at, column), is) in of_table.zip(tally.counts(self.table)) {
            let want = parent.int(OF_CAPTURE.len() + at).map_or(0, i64::from);
            if want != is {
                self.findings.add(
                    Kind::Count,
                    self.name,
                    format_args!("robots_id {id}: {column} is {want}, by `{table}` it is {is}"),
                );
            }
        }
        let rows = tally.rows;
        if self.table == Table::Preferences && !is_read && rows > 0 {
            self.findings.add(
                Kind::Count,
                self.name,
                format_args!("robots_id {id} was not read, and has {rows} rows"),
            );
        }
        if self.table == Table::Verdicts && (!tally.has_everybody || (!is_read && rows > 1)) {
            let want = if is_read { "one of" } else { "only" };
            self.findings.add(
                Kind::Count,
                self.name,
                format_args!("robots_id {id} has {rows} rows, {want} which should be for `*`"),
            );
        }
    }
}
