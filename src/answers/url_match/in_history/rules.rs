//! Decides URLs by the rules of the policies of a history.

use super::super::summary::MatchSummary;
use super::plan::{NO_POLICY, RulesRequest};
use super::{HistoryMatch, StateDecisions};
use disk::error::Error;
use history::damaged_history_error;
use history::keyed_rows::{KeyedReader, KeyedRows, POLICY_LINES};
use history::policy_file::{content_class, push_lines};
use history::row_key::KEY_BYTES;
use robots::RobotsTxtBuilder;
use sort::{SortedRecords, Sorter};

/// Decides all requests, and adds the decisions to `decisions`. The file of a policy is rebuilt once for each content
/// class with requests.
pub(super) fn decide_by_rules(
    context: &HistoryMatch<'_>,
    requests: &SortedRecords<'_>,
    decisions: &mut Sorter<'_>,
    summary: &mut MatchSummary,
) -> Result<(), Error> {
    let mut policies = KeyedReader::open(context.history, POLICY_LINES)?;
    let mut requests = requests.read()?;
    let mut file = RobotsTxtBuilder::new();
    let (mut key, mut class, mut decided) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(record) = requests.peek() {
        let request = RulesRequest::read(record);
        key.clear();
        key.extend_from_slice(request.key);
        class.clear();
        class.extend_from_slice(request.content_class);
        while policies
            .peek()
            .is_some_and(|policy| policy[..KEY_BYTES] < key[..])
        {
            policies.advance()?;
        }
        file.clear();
        if key != NO_POLICY {
            let policy = policies.peek().filter(|policy| policy.starts_with(&key));
            let root = context.history.root();
            let policy =
                policy.ok_or_else(|| damaged_history_error(root, history::own_tables::POLICIES))?;
            let pushed = push_lines(&KeyedRows::read(policy, POLICY_LINES), &mut file);
            pushed.map_err(|error| error.with_path(root))?;
        }
        file.set_content_class(content_class(&class));
        summary.files += 1;
        context.run.progress.add_rows(1);
        let of_file = context.run.policies(&file.as_robots_txt());
        while let Some(record) = requests.peek() {
            let request = RulesRequest::read(record);
            if request.key != key || request.content_class != class {
                break;
            }
            let of_crawlers = of_file.iter().map(|policy| {
                context
                    .run
                    .decide_by_rules(policy, request.url, request.time)
            });
            StateDecisions::write(&mut decided, request.row, request.state_no, of_crawlers);
            decisions.push(&decided)?;
            requests.advance()?;
        }
    }
    Ok(())
}
