//! `robots_agents()`: the registry of crawlers as a table.

use crate::api::{Output, TableFunction, Type};
use crate::parsed_bodies::REGISTRY;

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
    write_rows,
};

fn write_rows(from: usize, most: usize, columns: &mut [Output]) -> usize {
    let crawlers = REGISTRY.crawlers.get(from..).unwrap_or_default();
    let crawlers = &crawlers[..crawlers.len().min(most)];
    for (row, crawler) in crawlers.iter().enumerate() {
        let lists = [
            crawler.fallbacks.join(","),
            crawler.other_spellings.join(","),
        ];
        let texts: [(usize, &str); 10] = [
            (0, &crawler.agent),
            (1, &crawler.token),
            (2, &crawler.operator),
            (3, &crawler.category),
            (4, &crawler.category2),
            (5, &crawler.purpose),
            (6, &lists[0]),
            (9, &crawler.source),
            (10, &lists[1]),
            (11, &crawler.operator_page),
        ];
        for (column, text) in texts {
            match text {
                "" => columns[column].set_null(row),
                text => columns[column].set_text(row, text),
            }
        }
        columns[7].set_boolean(row, crawler.ignores_wildcard);
        columns[8].set_boolean(row, crawler.is_control_token);
    }
    crawlers.len()
}
