use crate::table;
use columns::RowBatch;
use crawlers::CrawlerEntry;

table! { "One row per crawler in the registry."
row(crawler: &CrawlerEntry) {} {
    agent: Text, "The whole name, lower-cased, as in `groups` and `verdicts`." = &*crawler.agent;
    token: Text, "The name as its operator writes it." = &*crawler.token;
    operator: Text null, "The operator of the crawler." = non_empty(&crawler.operator);
    category: Text null, "The purpose of the crawler as a category. This is an opinion, which `--agents` can replace. Null if the registry has none; a crawler that is not in the registry has no row here, and a null category in a join." = non_empty(&crawler.category);
    category2: Text null, "A second category, if one is not enough." = non_empty(&crawler.category2);
    purpose: Text null, "The purpose in words." = non_empty(&crawler.purpose);
    fallbacks: Text null, "The names whose groups the crawler obeys if no group names it, in order, lower-cased, separated by commas." = non_empty(&crawler.fallbacks.join(","));
    ignores_wildcard: Bool, "True if the crawler does not obey groups of `*`." = crawler.ignores_wildcard;
    is_control_token: Bool, "True if no crawler sends this token: it only controls what may be done with content." = crawler.is_control_token;
    source: Text null, "The sources of the entry: codes of lists, joined by `+`." = non_empty(&crawler.source);
    other_spellings: Text null, "Other names of the crawler as they are written, separated by commas. They do not take part in verdicts." = non_empty(&crawler.other_spellings.join(","));
    operator_page: Text null, "The address of the page on which the operator describes the crawler." = non_empty(&crawler.operator_page);
}}

/// Returns a text, or `None` if it is empty.
fn non_empty(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// Makes a row for each crawler of a registry.
pub fn agents_rows(agents: &[CrawlerEntry]) -> RowBatch {
    let mut builder = Builder::default();
    for crawler in agents {
        builder.push_row(crawler);
    }
    builder.take()
}
