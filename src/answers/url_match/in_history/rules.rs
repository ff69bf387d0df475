//! Decides URLs by the rules of the policies of a history.

use super::super::decision::write_decisions;
use super::super::summary::MatchSummary;
use super::plan::RequestOfPolicy;
use super::{DecisionsByState, HistoryMatch};
use dataset::CaptureFilter;
use disk::error::Error;
use history::error::damaged_history_error;
use history::policies::keyed_rows::{KeyedRows, POLICY_LINES, open_keyed};
use history::policies::policy_file::push_lines;
use robots::RobotsTxtBuilder;
use sort::{GroupKey, Rest, SortedRecords, Sorter};

/// Decides all requests, and adds the decisions to `decisions`. The file of a policy is rebuilt once.
pub(super) fn decide_by_rules(
    context: &HistoryMatch<'_>,
    requests: &SortedRecords<'_, RequestOfPolicy>,
    decisions: &mut Sorter<'_, DecisionsByState>,
    summary: &mut MatchSummary,
) -> Result<(), Error> {
    let mut policies = open_keyed(context.history.dataset(), POLICY_LINES, &CaptureFilter::All)?;
    let (mut requests, mut policy) = (requests.read()?, GroupKey::default());
    let mut file = RobotsTxtBuilder::new();
    let mut of_crawlers = Vec::new();
    while requests.next_group(&mut policy)? {
        file.clear();
        if let Some(key) = policy.get() {
            let root = context.history.root();
            let rows = policies.find(&GroupKey::new(key))?;
            let rows =
                rows.ok_or_else(|| damaged_history_error(root, history::own_tables::POLICIES))?;
            let pushed = push_lines(&KeyedRows::read(rows, POLICY_LINES), &mut file);
            pushed.map_err(|error| error.with_path(root))?;
        }
        // The rules do not depend on the class of the body, but the basis does.
        let mut of_class = None;
        while let Some(request) = requests.next_of(&policy)? {
            let content = request.content.0;
            if of_class.as_ref().is_none_or(|(known, _)| *known != content) {
                file.set_content_class(content);
                summary.files += 1;
                context.run.progress.add_rows(1);
                of_class = Some((content, context.run.policies(&file.as_robots_txt())));
            }
            let of_file = of_class.iter().flat_map(|(_, of_file)| of_file);
            let decided = of_file.map(|policy| {
                context
                    .run
                    .decide_by_rules(policy, request.url, request.time)
            });
            write_decisions(decided, &mut of_crawlers);
            decisions.push((request.row, (request.state_no, Rest(&of_crawlers))))?;
        }
    }
    Ok(())
}
