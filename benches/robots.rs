//! The language alone: parsing, verdicts of all names, access of URLs.

#![expect(clippy::unwrap_used, reason = "a bench may panic, and says where")]

mod inputs;

use criterion::{BenchmarkGroup, Throughput, measurement::WallTime};
use inputs::{Body, Counts, Input};
use robots::{Basis, Judge, Mechanism, Parser, Policy, Reading, Robots, Verdict};
use std::hint::black_box;

fn main() {
    let mut criterion = inputs::criterion();
    let mut group = criterion.benchmark_group("robots");
    let all = inputs::all();
    for input in &all {
        parse(&mut group, input);
    }
    for input in &all {
        judge(&mut group, input);
    }
    access(&mut group, "usual", &inputs::usual().bodies);
    access(&mut group, "huge", &inputs::huge().bodies);
    access(&mut group, "hostile", &[inputs::hostile_patterns()]);
    group.finish();
    criterion.final_summary();
}

/// `robots/<input>`, and beside it what finding the line ends alone costs.
fn parse(group: &mut BenchmarkGroup<'_, WallTime>, input: &Input) {
    let mut parser = Parser::new();
    assert_eq!(counts(&mut parser, input), input.counts(), "{}", input.name);
    group.throughput(throughput(input));
    group.bench_function(input.name, |bencher| {
        bencher.iter(|| {
            for body in &input.bodies {
                black_box(parser.parse(&body.bytes).figures());
            }
        });
    });
    group.bench_function(format!("{}-memchr2", input.name), |bencher| {
        bencher.iter(|| {
            for body in &input.bodies {
                black_box(memchr::memchr2_iter(b'\r', b'\n', &body.bytes).count());
            }
        });
    });
}

/// `robots/judge-<input>`: the verdicts of every name, on files that are parsed already.
fn judge(group: &mut BenchmarkGroup<'_, WallTime>, input: &Input) {
    let mut parsers: Vec<Parser> = input.bodies.iter().map(|_| Parser::new()).collect();
    let parsed = input
        .bodies
        .iter()
        .zip(&mut parsers)
        .map(|(body, parser)| parser.parse(&body.bytes));
    let parsed: Vec<Robots<'_>> = parsed.collect();
    let mut judge = Judge::new();
    group.throughput(throughput(input));
    group.bench_function(format!("judge-{}", input.name), |bencher| {
        bencher.iter(|| {
            for robots in &parsed {
                black_box(judge.judge(robots));
            }
        });
    });
}

/// `robots/access-<name>`: every question that the bodies come with, their rules gathered already.
fn access(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, bodies: &[Body]) {
    let mut parsers: Vec<Parser> = bodies.iter().map(|_| Parser::new()).collect();
    let reading = Reading {
        body_limit: None,
        ..Reading::default()
    };
    let parsed = bodies
        .iter()
        .zip(&mut parsers)
        .map(|(body, parser)| parser.parse_with(&body.bytes, reading));
    let policies: Vec<Policy<'_>> = parsed
        .map(|robots| Policy::google(&robots, &[b"FooBot"]))
        .collect();
    // Of a huge file not all: a second is enough for a turn.
    let step = bodies
        .iter()
        .map(|body| body.queries.len().div_ceil(200))
        .max()
        .unwrap();
    let queries: Vec<_> = bodies
        .iter()
        .zip(&policies)
        .flat_map(|(body, policy)| {
            body.queries
                .iter()
                .step_by(step)
                .map(move |query| (policy, query))
        })
        .collect();
    for (policy, query) in &queries {
        let url = String::from_utf8_lossy(&query.url);
        assert_eq!(
            policy.access(&query.url).is_allowed,
            query.is_allowed,
            "{name}: {url}"
        );
    }
    group.throughput(Throughput::Elements(queries.len() as u64));
    group.bench_function(format!("access-{name}"), |bencher| {
        bencher.iter(|| {
            for (policy, query) in &queries {
                black_box(policy.access(black_box(&query.url)));
            }
        });
    });
}

fn throughput(input: &Input) -> Throughput {
    Throughput::ElementsAndBytes {
        elements: input.bodies.len() as u64,
        bytes: input.bytes(),
    }
}

/// What the parser and the judge find.
fn counts(parser: &mut Parser, input: &Input) -> Counts {
    let mut counts = Counts::default();
    let mut judge = Judge::new();
    let mut name = Vec::new();
    for body in &input.bodies {
        let robots = parser.parse(&body.bytes);
        let figures = robots.figures();
        counts.add(&Counts {
            lines: figures.n_lines.into(),
            groups: figures.n_groups.into(),
            agents: figures.n_user_agents.into(),
            allow: figures.n_allow.into(),
            disallow: figures.n_disallow.into(),
            sitemaps: figures.n_sitemaps.into(),
            others: figures.n_directives.into(),
            comments: figures.n_comment_lines.into(),
            blanks: figures.n_blank_lines.into(),
            ..Counts::default()
        });
        for line in robots.directives() {
            robots.directive_name(line, &mut name);
            let mechanism = std::str::from_utf8(&name)
                .ok()
                .and_then(Mechanism::of_directive);
            if let Some(mechanism) = mechanism {
                robots::preferences(mechanism, robots.text(line.value), |_| {
                    counts.preferences += 1
                });
            }
        }
        for it in judge.judge(&robots) {
            counts.verdicts += 1;
            counts.closed += u64::from(it.verdict == Verdict::DisallowAll);
            counts.undecided += u64::from(it.basis == Basis::TooComplex);
        }
    }
    counts
}
