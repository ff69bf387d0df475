//! Benches of the language: parsing, and the verdicts of all names.

mod settings;

use criterion::{BenchmarkGroup, Throughput, measurement::WallTime};
use inputs::{Counts, Input};
use robots::{Basis, Evaluator, Mechanism, Parser, RobotsTxt, Verdict};
use std::hint::black_box;

fn main() {
    let mut criterion = settings::criterion();
    let mut group = criterion.benchmark_group("robots");
    let all = inputs::all();
    for input in &all {
        parse(&mut group, input);
    }
    for input in &all {
        evaluator(&mut group, input);
    }
    group.finish();
    criterion.final_summary();
}

/// `robots/<input>`, and the cost of finding only the line ends.
fn parse(group: &mut BenchmarkGroup<'_, WallTime>, input: &Input) {
    let mut parser = Parser::new();
    assert_eq!(counts(&mut parser, input), input.counts(), "{}", input.name);
    group.throughput(throughput(input));
    group.bench_function(input.name, |bencher| {
        bencher.iter(|| {
            for body in &input.bodies {
                black_box(parser.parse(&body.bytes).summary());
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

/// `robots/verdicts-<input>`: the verdicts of all names in parsed files.
fn evaluator(group: &mut BenchmarkGroup<'_, WallTime>, input: &Input) {
    let mut parsers: Vec<Parser> = input.bodies.iter().map(|_| Parser::new()).collect();
    let parsed = input
        .bodies
        .iter()
        .zip(&mut parsers)
        .map(|(body, parser)| parser.parse(&body.bytes));
    let parsed: Vec<RobotsTxt<'_>> = parsed.collect();
    let mut evaluator = Evaluator::new();
    group.throughput(throughput(input));
    group.bench_function(format!("verdicts-{}", input.name), |bencher| {
        bencher.iter(|| {
            for robots in &parsed {
                black_box(evaluator.verdicts(robots));
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

/// The counts that the parser and the evaluator find.
fn counts(parser: &mut Parser, input: &Input) -> Counts {
    let mut counts = Counts::default();
    let mut evaluator = Evaluator::new();
    let mut name = Vec::new();
    for body in &input.bodies {
        let robots = parser.parse(&body.bytes);
        let figures = robots.summary();
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
            robots.write_directive_name(line, &mut name);
            let mechanism = std::str::from_utf8(&name)
                .ok()
                .and_then(Mechanism::from_directive);
            if let Some(mechanism) = mechanism {
                robots::parse_preferences(mechanism, robots.text(line.value), |_| {
                    counts.preferences += 1
                });
            }
        }
        for row in evaluator.verdicts(&robots) {
            counts.verdicts += 1;
            counts.closed += u64::from(row.verdict == Verdict::DisallowAll);
            counts.undecided += u64::from(row.basis == Basis::TooComplex);
        }
    }
    counts
}
