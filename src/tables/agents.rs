use crate::table;
use columns::RowBatch;
use crawlers::CrawlerEntry;

table! { "One row per crawler in the registry." {
    agent: Text, "The whole name, lower-cased, as in `groups` and `verdicts`.";
    token: Text, "The name as its operator writes it.";
    operator: Text null, "The operator of the crawler.";
    category: Text null, "The purpose of the crawler as a category. This is an opinion, which `--agents` can replace. Null if the registry has none; a crawler that is not in the registry has no row here, and a null category in a join.";
    category2: Text null, "A second category, if one is not enough.";
    purpose: Text null, "The purpose in words.";
    fallbacks: Text null, "The names whose groups the crawler obeys if no group names it, in order, lower-cased, separated by commas.";
    ignores_wildcard: Bool, "True if the crawler does not obey groups of `*`.";
    is_control_token: Bool, "True if no crawler sends this token: it only controls what may be done with content.";
    source: Text null, "The sources of the entry: codes of lists, joined by `+`.";
    other_spellings: Text null, "Other names of the crawler as they are written, separated by commas. They do not take part in verdicts.";
    operator_page: Text null, "The address of the page on which the operator describes the crawler.";
}}

/// Makes a row for each crawler of a registry.
pub fn agents_rows(agents: &[CrawlerEntry]) -> RowBatch {
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
        builder
            .other_spellings
            .append_option(option(&crawler.other_spellings.join(",")));
        builder
            .operator_page
            .append_option(option(&crawler.operator_page));
        builder.end_rows(1);
    }
    builder.take()
}
