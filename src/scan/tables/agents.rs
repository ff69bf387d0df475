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

/// The registry as a table.
pub fn rows(agents: &[CrawlerEntry]) -> RowBatch {
    let mut builder = Builder::default();
    for it in agents {
        let texts = &mut builder.texts;
        builder.agent.append_value(texts.intern(&it.agent));
        builder.token.append_value(texts.intern(&it.token));
        let mut option = |text: &str| (!text.is_empty()).then(|| texts.intern(text));
        builder.operator.append_option(option(&it.operator));
        builder.category.append_option(option(&it.category));
        builder.category2.append_option(option(&it.category2));
        builder.purpose.append_option(option(&it.purpose));
        builder
            .fallbacks
            .append_option(option(&it.fallbacks.join(",")));
        builder.ignores_wildcard.append_value(it.ignores_wildcard);
        builder.is_control_token.append_value(it.is_control_token);
        builder.source.append_option(option(&it.source));
        builder.end_rows(1);
    }
    builder.take()
}
