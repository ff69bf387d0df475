//! The table `agents`.

use super::column::table;
use crate::crawler::registry::CrawlerEntry;
use crate::parquet_writer::RowBatch;

table! { "One row per crawler of the registry." {
    agent: Text, "The whole name, lower-cased, as in `groups` and `verdicts`.";
    token: Text, "The name as its operator writes it.";
    operator: Text null, "Who runs it.";
    category: Text null, "What it is for; an opinion, to be overridden by `--agents`.";
    category2: Text null, "A second category, where one is not enough.";
    purpose: Text null, "The same in words.";
    fallbacks: Text null, "Names whose groups it obeys if it has none of its own, in order, lower-cased, parted by commas.";
    ignores_wildcard: Bool, "Whether it does not obey the groups of `*`.";
    is_control_token: Bool, "Whether no crawler sends it: it only states what may be done with content.";
    source: Text null, "Where the entry is from: codes of lists, joined by `+`.";
}}

/// Returns the registry as rows of the table.
pub fn rows(agents: &[CrawlerEntry]) -> RowBatch {
    let mut builder = Builder::default();
    for crawler in agents {
        let texts = &mut builder.texts;
        builder.agent.append_value(texts.intern(&crawler.agent));
        builder.token.append_value(texts.intern(&crawler.token));
        let mut option = |text: &str| (!text.is_empty()).then(|| texts.intern(text));
        builder.operator.append_option(option(&crawler.operator));
        builder.category.append_option(option(&crawler.category));
        builder.category2.append_option(option(&crawler.category2));
        builder.purpose.append_option(option(&crawler.purpose));
        builder
            .fallbacks
            .append_option(option(&crawler.fallbacks.join(",")));
        builder
            .ignores_wildcard
            .append_value(crawler.ignores_wildcard);
        builder
            .is_control_token
            .append_value(crawler.is_control_token);
        builder.source.append_option(option(&crawler.source));
        builder.end_rows(1);
    }
    builder.take()
}
