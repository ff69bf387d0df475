//! Benches of access: queries for one crawler in each dialect, compared with other parsers.
//!
//! Rules are gathered before the measurement, except by `robotstxt`, which parses the file for every query.
//! The answers of the product are asserted; how often another parser differs is printed.

#![expect(clippy::unwrap_used, reason = "a bench may panic, and says where")]

mod settings;

use criterion::{BenchmarkGroup, Throughput, measurement::WallTime};
use fast_robots::RobotsTxt;
use inputs::Body;
use robots::{Dialect, ParseOptions, Parser, Policy};
use robotstxt::DefaultMatcher;
use std::hint::black_box;
use texting_robots::Robot;

const AGENT: &str = "FooBot";
/// The largest number of queries per input.
const MAX_QUERIES: usize = 2000;

fn main() {
    let mut criterion = settings::criterion();
    let mut group = criterion.benchmark_group("access");
    let hostile = [inputs::hostile_patterns()];
    for (name, bodies) in [
        ("usual", inputs::usual().bodies.as_slice()),
        ("huge", inputs::huge().bodies.as_slice()),
        ("hostile", hostile.as_slice()),
    ] {
        ours(&mut group, name, bodies);
        peers(&mut group, name, bodies);
    }
    group.finish();
    criterion.final_summary();
}

/// A query with its body.
struct AccessQuery<'a> {
    body: usize,
    url: &'a str,
    /// The URL from its path on, for parsers that need it.
    path: &'a str,
    is_allowed: bool,
}

/// Returns queries that are spread over the bodies.
fn queries(bodies: &[Body]) -> Vec<AccessQuery<'_>> {
    let all: usize = bodies.iter().map(|body| body.queries.len()).sum();
    let queries = bodies
        .iter()
        .enumerate()
        .flat_map(|(nth, body)| body.queries.iter().map(move |query| (nth, query)));
    queries
        .step_by(all.div_ceil(MAX_QUERIES))
        .map(|(body, query)| {
            let url = std::str::from_utf8(&query.url).unwrap();
            let host_end = "https://www.example.com".len();
            AccessQuery {
                body,
                url,
                path: &url[host_end..],
                is_allowed: query.is_allowed,
            }
        })
        .collect()
}

/// `access/<name>` in `google`, `-rfc9309` and `-koster1996` in the other dialects, and `-gather`: the cost
/// of gathering the rules of one crawler, for each body.
fn ours(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, bodies: &[Body]) {
    let queries = queries(bodies);
    let mut parsers: Vec<Parser> = bodies.iter().map(|_| Parser::new()).collect();
    let reading = ParseOptions {
        body_limit: None,
        ..ParseOptions::default()
    };
    let parsed = bodies
        .iter()
        .zip(&mut parsers)
        .map(|(body, parser)| parser.parse_with(&body.bytes, reading));
    let parsed: Vec<_> = parsed.collect();
    for dialect in Dialect::ALL {
        let gather = |robots| Policy::new(dialect, robots, AGENT.as_bytes());
        let policies: Vec<_> = parsed.iter().map(gather).collect();
        let id = if dialect == Dialect::Google {
            for query in &queries {
                let access = policies[query.body].access(query.url.as_bytes());
                assert_eq!(access.is_allowed, query.is_allowed, "{name}: {}", query.url);
            }
            name.to_owned()
        } else {
            format!("{name}-{}", dialect.name())
        };
        group.throughput(Throughput::Elements(queries.len() as u64));
        group.bench_function(&id, |bencher| {
            bencher.iter(|| {
                for query in &queries {
                    black_box(policies[query.body].access(black_box(query.url.as_bytes())));
                }
            });
        });
        group.throughput(Throughput::Elements(bodies.len() as u64));
        group.bench_function(format!("{id}-gather"), |bencher| {
            bencher.iter(|| {
                for robots in &parsed {
                    black_box(gather(robots));
                }
            });
        });
    }
}

fn peers(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, bodies: &[Body]) {
    let queries = queries(bodies);
    let parsed: Vec<RobotsTxt<'_>> = bodies
        .iter()
        .map(|body| RobotsTxt::parse(text(body)))
        .collect();
    let compiled: Vec<_> = parsed.iter().map(RobotsTxt::matcher).collect();
    let texting: Vec<Robot> = bodies
        .iter()
        .map(|body| Robot::new(AGENT, &body.bytes).unwrap())
        .collect();
    let robotstxt = |query: &AccessQuery<'_>| {
        DefaultMatcher::default().one_agent_allowed_by_robots(
            text(&bodies[query.body]),
            AGENT,
            query.url,
        )
    };
    // Slow parsers get few queries, since each takes up to a quarter of a second.
    let some = if name == "huge" {
        &queries[..100]
    } else {
        &queries[..]
    };
    peer(group, &format!("{name}-fast-robots"), some, |query| {
        parsed[query.body].is_allowed(AGENT, query.path)
    });
    peer(
        group,
        &format!("{name}-fast-robots-compiled"),
        &queries,
        |query| compiled[query.body].is_allowed(AGENT, query.path),
    );
    peer(group, &format!("{name}-texting_robots"), some, |query| {
        texting[query.body].allowed(query.url)
    });
    let few = match name {
        "usual" => &queries[..],
        "huge" => &queries[..10],
        _ => &queries[..1],
    };
    peer(group, &format!("{name}-robotstxt"), few, robotstxt);
}

fn text(body: &Body) -> &str {
    std::str::from_utf8(&body.bytes).unwrap()
}

fn peer(
    group: &mut BenchmarkGroup<'_, WallTime>,
    id: &str,
    queries: &[AccessQuery<'_>],
    is_allowed: impl Fn(&AccessQuery<'_>) -> bool,
) {
    let differ = queries
        .iter()
        .filter(|query| is_allowed(query) != query.is_allowed);
    eprintln!(
        "access/{id}: {} of {} answers differ",
        differ.count(),
        queries.len()
    );
    group.throughput(Throughput::Elements(queries.len() as u64));
    group.bench_function(id, |bencher| {
        bencher.iter(|| {
            for query in queries {
                black_box(is_allowed(black_box(query)));
            }
        });
    });
}
