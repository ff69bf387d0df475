//! `robots_agents()`: the registry of crawlers as a table.

use crate::api::{Answer, TableFunction, Type};
use crate::functions::REGISTRY;

/// The function, with the columns of the table `agents` of a dataset.
pub(crate) const ROBOTS_AGENTS: TableFunction = TableFunction {
    name: c"robots_agents",
    columns: &[
        (c"agent", Type::Varchar),
        (c"token", Type::Varchar),
        (c"operator", Type::Varchar),
        (c"category", Type::Varchar),
        (c"category2", Type::Varchar),
        (c"purpose", Type::Varchar),
        (c"fallbacks", Type::Varchar),
        (c"ignores_wildcard", Type::Boolean),
        (c"is_control_token", Type::Boolean),
        (c"source", Type::Varchar),
        (c"other_spellings", Type::Varchar),
        (c"operator_page", Type::Varchar),
    ],
    row,
};

fn row(number: usize) -> Option<Vec<Answer>> {
    let crawler = REGISTRY.crawlers.get(number)?;
    let text = |text: &str| {
        Answer::text(
            Some(text)
                .filter(|text| !text.is_empty())
                .map(str::to_owned),
        )
    };
    Some(vec![
        text(&crawler.agent),
        text(&crawler.token),
        text(&crawler.operator),
        text(&crawler.category),
        text(&crawler.category2),
        text(&crawler.purpose),
        text(&crawler.fallbacks.join(",")),
        Answer::Boolean(crawler.ignores_wildcard),
        Answer::Boolean(crawler.is_control_token),
        text(&crawler.source),
        text(&crawler.other_spellings.join(",")),
        text(&crawler.operator_page),
    ])
}
