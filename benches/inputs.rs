//! Generated inputs of the benches, with the counts that they must give.
//!
//! All inputs come from fixed seeds, so every run on every machine has the same bodies. The contents
//! of a body are counted while it is written and never read back from the parser, so a bench that
//! asserts these counts checks the parser before timing it. The number in a path occurs only once in
//! its file, so the rule that decides a question is known in advance.

#![expect(missing_docs, reason = "the fields are named for what they count")]
#![expect(clippy::unwrap_used, reason = "a generator of inputs may panic")]

use flate2::Compression;
use flate2::write::GzEncoder;
use libdeflate_sys as sys;
use std::io::Write;
use std::ptr::NonNull;

/// A set of bodies of one kind.
pub struct Input {
    /// Its name, as in `robots/usual`.
    pub name: &'static str,
    pub bodies: Vec<Body>,
}

/// A body with its counts.
pub struct Body {
    pub bytes: Vec<u8>,
    pub counts: Counts,
    pub queries: Vec<Query>,
}

/// A URL with the expected answer for a crawler that the body does not name.
pub struct Query {
    pub url: Vec<u8>,
    pub is_allowed: bool,
}

/// The contents of bodies, as counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub lines: u64,
    pub groups: u64,
    pub agents: u64,
    pub allow: u64,
    pub disallow: u64,
    pub sitemaps: u64,
    pub others: u64,
    pub comments: u64,
    pub blanks: u64,
    /// Statements about AI use.
    pub preferences: u64,
    /// Rows of `verdicts`: `*`, and every whole name and token.
    pub verdicts: u64,
    /// Verdicts that disallow everything.
    pub closed: u64,
    /// Verdicts that exceed the work budget.
    pub undecided: u64,
}

impl Counts {
    pub fn add(&mut self, other: &Self) {
        self.lines += other.lines;
        self.groups += other.groups;
        self.agents += other.agents;
        self.allow += other.allow;
        self.disallow += other.disallow;
        self.sitemaps += other.sitemaps;
        self.others += other.others;
        self.comments += other.comments;
        self.blanks += other.blanks;
        self.preferences += other.preferences;
        self.verdicts += other.verdicts;
        self.closed += other.closed;
        self.undecided += other.undecided;
    }
}

impl Input {
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.bodies.iter().for_each(|body| counts.add(&body.counts));
        counts
    }

    pub fn bytes(&self) -> u64 {
        self.bodies.iter().map(|body| body.bytes.len() as u64).sum()
    }
}

/// Returns all five inputs, the smallest first.
pub fn all() -> [Input; 5] {
    [tiny(), usual(), huge(), html(), adversarial()]
}

/// Returns files with one group and one or two rules, like those of most hosts.
pub fn tiny() -> Input {
    let mut random = Random(0x1001);
    let bodies = (0..100).map(|_| {
        let mut file = File::new(&mut random);
        file.agent("*", 0);
        file.rules(&mut random, 1);
        if random.one_in(3) {
            file.sitemap(&mut random);
        }
        file.finish()
    });
    Input {
        name: "tiny",
        bodies: bodies.collect(),
    }
}

/// Returns files with several groups, comments, sitemaps and a crawl-delay, like those of larger sites.
pub fn usual() -> Input {
    Input {
        name: "usual",
        bodies: usual_bodies(100),
    }
}

/// Returns `count` different files, of which the first are those of [`usual`].
pub fn usual_bodies(count: usize) -> Vec<Body> {
    let mut random = Random(0x2002);
    let bodies = (0..count).map(|_| {
        let rules = usual_rules(&mut random);
        usual_body(&mut random, rules)
    });
    bodies.collect()
}

/// Returns a file with a megabyte of rules.
pub fn huge() -> Input {
    Input {
        name: "huge",
        bodies: vec![usual_body(&mut Random(0x3003), 30_000)],
    }
}

/// Returns HTML pages that servers send in place of a robots.txt file.
pub fn html() -> Input {
    let mut random = Random(0x4004);
    Input {
        name: "html",
        bodies: (0..10).map(|_| html_body(&mut random)).collect(),
    }
}

/// Returns files that are built to be expensive.
pub fn adversarial() -> Input {
    let bodies = vec![
        long_lines(),
        one_line(),
        only_cr(),
        nul_bytes(),
        high_bytes(),
        blank_lines(),
        many_groups(),
        exploding_patterns(),
    ];
    Input {
        name: "adversarial",
        bodies,
    }
}

/// Returns patterns for which a backtracking matcher tries every division of a long path.
pub fn hostile_patterns() -> Body {
    let mut file = File::plain();
    file.agent("*", 0);
    for (nth, last) in ('b'..='z').enumerate() {
        let stars = "*a".repeat(20);
        let run = "a".repeat(300 + 10 * nth);
        let end = if nth % 2 == 0 { "" } else { "$" };
        file.rule(false, &format!("/{stars}*{last}{end}"));
        file.ask(&format!("/{run}"), true);
        file.ask(&format!("/{run}{last}"), false);
        file.ask(&format!("/{run}{last}a"), nth % 2 == 1);
    }
    file.finish()
}

const WORDS: [&str; 24] = [
    "account",
    "admin",
    "api",
    "archive",
    "assets",
    "blog",
    "cart",
    "catalog",
    "category",
    "checkout",
    "feed",
    "images",
    "includes",
    "login",
    "media",
    "modules",
    "private",
    "product",
    "profile",
    "search",
    "tag",
    "tmp",
    "user",
    "wp-content",
];

const COMMENTS: [&str; 6] = [
    "# See https://www.robotstxt.org/ for how this file is read",
    "# Section 2: everybody else",
    "#",
    "# Pages that are built for each visitor",
    "# AI crawlers: ask us for a licence first",
    "# ---------------------------------------",
];

/// Names, with the number of rows of each in `verdicts`: a name that Google's token rule cuts has two.
const AGENTS: [(&str, u64); 20] = [
    ("GPTBot", 1),
    ("ChatGPT-User", 1),
    ("ClaudeBot", 1),
    ("anthropic-ai", 1),
    ("CCBot", 1),
    ("Google-Extended", 1),
    ("Bytespider", 1),
    ("PerplexityBot", 1),
    ("Amazonbot", 1),
    ("Applebot-Extended", 1),
    ("FacebookBot", 1),
    ("Diffbot", 1),
    ("omgili", 1),
    ("AhrefsBot", 1),
    ("SemrushBot", 1),
    ("DotBot", 1),
    ("MJ12bot", 2),
    ("PetalBot", 1),
    ("YandexBot", 1),
    ("Baiduspider", 1),
];

/// Chooses the number of rules of a usual file.
pub fn usual_rules(random: &mut Random) -> u64 {
    20 + random.below(30)
}

/// Returns the file of a site with `rules` rules for all crawlers.
pub fn usual_body(random: &mut Random, rules: u64) -> Body {
    let mut file = File::new(random);
    let mut agents = AGENTS.to_vec();
    for i in 0..agents.len() {
        let other = i + random.below(agents.len() as u64 - i as u64) as usize;
        agents.swap(i, other);
    }
    for _ in 0..random.below(4) {
        file.comment(random);
    }
    // The short groups come first, so that they count even in a file beyond the body limit.
    if !random.one_in(3) {
        let count = 1 + random.below(10) as usize;
        for (agent, rows) in agents.split_off(agents.len() - count) {
            file.agent(agent, rows);
            file.counts.closed += 1;
        }
        file.rule(false, "/");
        file.blank();
    }
    if random.one_in(2) {
        let (agent, rows) = agents[0];
        file.agent(agent, rows);
        file.other("Crawl-delay: 10");
        file.rule(false, "/slow/");
        file.rule(true, "/slow/index/");
        file.blank();
    }
    file.comment(random);
    file.agent("*", 0);
    if random.one_in(5) {
        file.other("Content-Signal: search=yes, ai-train=no");
        file.counts.preferences += 2;
    }
    if random.one_in(4) {
        file.other("Crawl-delay: 5");
    }
    file.rules(random, rules);
    file.blank();
    for _ in 0..=random.below(3) {
        file.sitemap(random);
    }
    file.finish()
}

/// Returns about 30 KB of an HTML page. Its lines are counted as the parser reads them: a colon, or
/// exactly two words, give a key and a value; other lines are ignored.
fn html_body(random: &mut Random) -> Body {
    let mut file = File::plain();
    file.other("<!DOCTYPE html>");
    file.nothing("<html>");
    file.nothing("<head>");
    file.other("<meta charset=\"utf-8\">");
    for _ in 0..20 {
        let (word, number) = (random.word(), random.below(1000));
        file.nothing(&format!(".{word}-{number} .inner > a {{"));
        file.other(&format!("  padding: {number}px;"));
        file.other("  color: #336699;");
        file.nothing("}");
    }
    file.nothing("</head>");
    while file.body.len() < 30_000 {
        let (word, number) = (random.word(), random.below(100_000));
        file.other(&format!("    <div class=\"{word}\">"));
        file.other(&format!(
            "      <a class=\"item {word}\" href=\"https://www.example.com/{word}/{number}\">"
        ));
        file.nothing(&format!(
            "      The {word} number {number} is what you might have looked for in this place"
        ));
        file.nothing("      </a>");
        file.nothing("    </div>");
        file.blank();
    }
    file.nothing("</html>");
    file.finish()
}

fn long_lines() -> Body {
    let mut file = File::plain();
    file.agent("*", 0);
    for _ in 0..4 {
        file.rule(false, &format!("/{}", "long/".repeat(20_000)));
    }
    file.finish()
}

fn one_line() -> Body {
    let mut file = File::plain();
    file.nothing(&"no colon and no end ".repeat(20_000));
    file.finish()
}

fn only_cr() -> Body {
    let mut file = File::plain();
    file.end = "\r";
    let mut random = Random(0x5005);
    file.agent("*", 0);
    file.rules(&mut random, 5000);
    file.finish()
}

fn nul_bytes() -> Body {
    let mut file = File::plain();
    file.agent("*", 0);
    for number in 0..2000 {
        // The path ends at the NUL; the rest of the line is ignored.
        file.rule(false, &format!("/{number}/\0\0\0Allow: /"));
        file.body.extend_from_slice(&[0; 64]);
        file.blank();
    }
    file.finish()
}

fn high_bytes() -> Body {
    let mut file = File::plain();
    file.agent("*", 0);
    for _ in 0..2000 {
        file.body.extend_from_slice(b"Disallow: /");
        file.body.extend((0..100).map(|byte| 0x80 + byte));
        file.end_line();
        file.counts.disallow += 1;
        file.has_rules = true;
    }
    file.finish()
}

fn blank_lines() -> Body {
    let mut file = File::plain();
    (0..200_000).for_each(|_| file.blank());
    file.finish()
}

fn many_groups() -> Body {
    let mut file = File::plain();
    for number in 0..10_000u32 {
        let letters = [1000, 100, 10, 1].map(|unit| char::from(b'a' + (number / unit % 10) as u8));
        file.agent(&letters.iter().collect::<String>(), 1);
        file.rule(false, "/");
        file.counts.closed += 1;
    }
    file.finish()
}

/// Returns rules for which an automaton would need one state per set of first letters: the sixteen
/// letters that a path has shown give 65,536 states. Every allow rule is overridden by the longer
/// disallow rule after it, so all of them have to be compared.
fn exploding_patterns() -> Body {
    let mut file = File::plain();
    file.agent("*", 0);
    file.rule(false, "/");
    for (first, second) in ('a'..='p').zip('A'..='P') {
        file.rule(true, &format!("/*{first}*{second}"));
        file.rule(false, &format!("/*{first}*{second}*"));
    }
    file.counts.closed += 1;
    file.finish()
}

/// A robots.txt file being written, with its counts.
struct File {
    body: Vec<u8>,
    end: &'static str,
    is_capital: bool,
    counts: Counts,
    queries: Vec<Query>,
    has_rules: bool,
    next_number: u64,
}

impl File {
    /// Creates a file with one of the usual line endings: 29 of 100 files have CRLF.
    fn new(random: &mut Random) -> Self {
        Self {
            end: if random.below(100) < 29 { "\r\n" } else { "\n" },
            is_capital: random.one_in(2),
            ..Self::plain()
        }
    }

    fn plain() -> Self {
        Self {
            body: Vec::new(),
            end: "\n",
            is_capital: false,
            // Every file has a verdict for `*`.
            counts: Counts {
                verdicts: 1,
                ..Counts::default()
            },
            queries: Vec::new(),
            // The first user-agent line begins a group.
            has_rules: true,
            next_number: 0,
        }
    }

    fn end_line(&mut self) {
        self.body.extend_from_slice(self.end.as_bytes());
        self.counts.lines += 1;
    }

    fn line(&mut self, text: &str) {
        self.body.extend_from_slice(text.as_bytes());
        self.end_line();
    }

    fn agent(&mut self, name: &str, verdicts: u64) {
        let key = if self.is_capital {
            "User-Agent"
        } else {
            "User-agent"
        };
        self.line(&format!("{key}: {name}"));
        self.counts.agents += 1;
        self.counts.verdicts += verdicts;
        self.counts.groups += u64::from(self.has_rules);
        self.has_rules = false;
    }

    fn rule(&mut self, is_allow: bool, path: &str) {
        let (key, count) = if is_allow {
            ("Allow", &mut self.counts.allow)
        } else {
            ("Disallow", &mut self.counts.disallow)
        };
        *count += 1;
        self.line(&format!("{key}: {path}"));
        self.has_rules = true;
    }

    fn other(&mut self, text: &str) {
        self.line(text);
        self.counts.others += 1;
    }

    fn nothing(&mut self, text: &str) {
        self.line(text);
    }

    fn blank(&mut self) {
        self.end_line();
        self.counts.blanks += 1;
    }

    fn comment(&mut self, random: &mut Random) {
        self.line(COMMENTS[random.below(COMMENTS.len() as u64) as usize]);
        self.counts.comments += 1;
    }

    fn sitemap(&mut self, random: &mut Random) {
        let (word, number) = (random.word(), random.below(1000));
        self.line(&format!(
            "Sitemap: https://www.example.com/{word}/sitemap-{number}.xml"
        ));
        self.counts.sitemaps += 1;
    }

    /// Adds at least `count` rules of the usual kinds, each with a question that it decides.
    fn rules(&mut self, random: &mut Random, count: u64) {
        let end = self.counts.allow + self.counts.disallow + count;
        while self.counts.allow + self.counts.disallow < end {
            let (a, b, number) = (random.word(), random.word(), self.next_number);
            self.next_number += 1;
            match random.below(20) {
                0 | 1 => {
                    self.rule(false, &format!("/{a}/{b}-{number}/"));
                    self.rule(true, &format!("/{a}/{b}-{number}/open/"));
                    self.ask(&format!("/{a}/{b}-{number}/open/page.html"), true);
                }
                2 | 3 => {
                    self.rule(false, &format!("/*/print-{number}/"));
                    self.ask(&format!("/{a}/{b}/print-{number}/x"), false);
                }
                4 => {
                    self.rule(false, &format!("/*?sort-{number}="));
                    self.ask(&format!("/{a}/{b}?sort-{number}=down"), false);
                }
                5 => {
                    self.rule(false, &format!("/{a}/{b}-{number}.pdf$"));
                    self.ask(&format!("/{a}/{b}-{number}.pdf"), false);
                    self.ask(&format!("/{a}/{b}-{number}.pdf?page=2"), true);
                }
                _ => {
                    self.rule(false, &format!("/{a}/{b}-{number}/"));
                    self.ask(&format!("/{a}/{b}-{number}/index.html"), false);
                    self.ask(&format!("/{a}/{b}_{number}/index.html"), true);
                }
            }
        }
    }

    fn ask(&mut self, path: &str, is_allowed: bool) {
        self.queries.push(Query {
            url: format!("https://www.example.com{path}").into_bytes(),
            is_allowed,
        });
    }

    fn finish(mut self) -> Body {
        // The last line ending is followed by an empty line.
        self.counts.lines += 1;
        self.counts.blanks += 1;
        Body {
            bytes: self.body,
            counts: self.counts,
            queries: self.queries,
        }
    }
}

/// The packing of the records of an archive.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    Plain,
    /// One gzip member per record.
    Gzip,
    /// One zstd frame per record.
    Zstd,
}

impl Framing {
    /// Appends a record to an archive.
    pub fn push(self, archive: &mut Vec<u8>, record: &[u8]) {
        match self {
            Framing::Plain => archive.extend_from_slice(record),
            Framing::Gzip => {
                let mut encoder = GzEncoder::new(archive, Compression::default());
                encoder.write_all(record).unwrap();
                encoder.finish().unwrap();
            }
            Framing::Zstd => archive.extend_from_slice(&zstd::bulk::compress(record, 3).unwrap()),
        }
    }
}

/// Returns a record of WARC 1.0. `fields` are lines of its header.
pub fn record(kind: &str, date: &str, id: &str, fields: &str, block: &[u8]) -> Vec<u8> {
    let mut record = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Date: {date}\r\nWARC-Record-ID: <urn:uuid:{id}>\r\n\
         Content-Length: {}\r\n{fields}\r\n",
        block.len(),
    )
    .into_bytes();
    record.extend_from_slice(block);
    record.extend_from_slice(b"\r\n\r\n");
    record
}

/// An archive in the form of Common Crawl's robots.txt subset: a warcinfo record, then pairs of a
/// request and its response.
pub struct Archive {
    pub bytes: Vec<u8>,
    framing: Framing,
    /// The offset of each member, frame or plain record.
    members: Vec<usize>,
    pub records: u64,
    /// The total size of all blocks in bytes.
    pub block_bytes: u64,
    /// The total decompressed size of all members in bytes.
    pub plain_bytes: u64,
    pub captures: u64,
    /// The counts of the bodies.
    pub counts: Counts,
    /// Members with a wrong checksum.
    pub damaged: u64,
}

/// Returns successful responses with these bodies, repeated `repeats` times.
pub fn archive_of(bodies: &[Body], repeats: usize, framing: Framing) -> Archive {
    let mut random = Random(0x7007);
    let mut archive = Archive {
        bytes: Vec::new(),
        framing,
        members: Vec::new(),
        records: 0,
        block_bytes: 0,
        plain_bytes: 0,
        captures: 0,
        counts: Counts::default(),
        damaged: 0,
    };
    let info = random.uuid();
    let fields = "Content-Type: application/warc-fields\r\n";
    archive.push(
        "warcinfo",
        &info,
        fields,
        b"isPartOf: BENCH-2026-01\r\nsubset: robotstxt\r\n",
    );
    for body in (0..repeats).flat_map(|_| bodies) {
        let (word, number) = (random.word(), random.below(1_000_000));
        let host = format!("www.{word}-{number}.example.com");
        let about = format!(
            "WARC-Warcinfo-ID: <urn:uuid:{info}>\r\nWARC-IP-Address: 192.0.2.{}\r\n\
             WARC-Target-URI: https://{host}/robots.txt\r\n",
            random.below(250),
        );
        let request_id = random.uuid();
        let request = format!(
            "GET /robots.txt HTTP/1.1\r\nUser-Agent: CCBot/2.0 (https://commoncrawl.org/faq/)\r\nAccept: text/html\r\n\
             Host: {host}\r\nConnection: Keep-Alive\r\nAccept-Encoding: br,gzip\r\n\r\n"
        );
        let fields = format!("Content-Type: application/http; msgtype=request\r\n{about}");
        archive.push("request", &request_id, &fields, request.as_bytes());

        let mut block = format!(
            "HTTP/1.1 200 OK\r\nDate: Sun, 04 Jan 2026 {:02}:{:02}:{:02} GMT\r\nServer: nginx\r\n\
             Content-Type: text/plain; charset=utf-8\r\nX-Request-Id: {}\r\nConnection: keep-alive\r\n\
             Content-Length: {}\r\n\r\n",
            random.below(24), random.below(60), random.below(60), random.uuid(), body.bytes.len(),
        )
        .into_bytes();
        block.extend_from_slice(&body.bytes);
        let fields = format!(
            "Content-Type: application/http; msgtype=response\r\n{about}WARC-Concurrent-To: <urn:uuid:{request_id}>\r\n\
             WARC-Payload-Digest: sha1:{}\r\nWARC-Block-Digest: sha1:{}\r\nWARC-Identified-Payload-Type: text/plain\r\n",
            random.base32(),
            random.base32(),
        );
        archive.push("response", &random.uuid(), &fields, &block);
        archive.captures += 1;
        archive.counts.add(&body.counts);
    }
    archive
}

impl Archive {
    fn push(&mut self, kind: &str, id: &str, fields: &str, block: &[u8]) {
        let record = record(kind, "2026-01-04T10:00:00Z", id, fields, block);
        self.members.push(self.bytes.len());
        self.records += 1;
        self.block_bytes += block.len() as u64;
        self.plain_bytes += record.len() as u64;
        self.framing.push(&mut self.bytes, &record);
    }

    /// Damages the checksum of every tenth gzip member.
    pub fn damage(&mut self) {
        for end in self.members.iter().skip(10).step_by(10) {
            self.bytes[end - 8] ^= 1;
            self.damaged += 1;
        }
    }
}

/// The lower bound of every gzip reader: libdeflate, one member at a time, in memory.
pub struct Floor {
    decompressor: NonNull<sys::libdeflate_decompressor>,
    output: Vec<u8>,
}

impl Default for Floor {
    fn default() -> Self {
        Self::new()
    }
}

impl Floor {
    pub fn new() -> Self {
        #[expect(
            unsafe_code,
            reason = "libdeflate has no safe binding that tells the bytes taken"
        )]
        // SAFETY: the function has no preconditions; null is checked below.
        let raw = unsafe { sys::libdeflate_alloc_decompressor() };
        Self {
            decompressor: NonNull::new(raw).unwrap(),
            output: vec![0; 4 << 20],
        }
    }

    /// Decompresses all members of `input` and checks their checksums. Returns their number and bytes.
    pub fn inflate(&mut self, mut input: &[u8]) -> (u64, u64) {
        let (mut members, mut bytes) = (0, 0);
        while !input.is_empty() {
            let (taken, member) = self.member(input);
            bytes += member.len() as u64;
            input = &input[taken..];
            members += 1;
        }
        (members, bytes)
    }

    /// Decompresses the first member of `input`. Returns its compressed size and its contents.
    pub fn member(&mut self, input: &[u8]) -> (usize, &[u8]) {
        let (mut taken, mut made) = (0, 0);
        #[expect(
            unsafe_code,
            reason = "libdeflate has no safe binding that tells the bytes taken"
        )]
        // SAFETY: the decompressor is live until `drop`, both pointers are passed with the lengths of
        // their slices, and the two results are valid for writing during the call.
        let result = unsafe {
            sys::libdeflate_gzip_decompress_ex(
                self.decompressor.as_ptr(),
                input.as_ptr().cast(),
                input.len(),
                self.output.as_mut_ptr().cast(),
                self.output.len(),
                &raw mut taken,
                &raw mut made,
            )
        };
        assert_eq!(result, sys::libdeflate_result_LIBDEFLATE_SUCCESS);
        (taken, &self.output[..made])
    }
}

impl Drop for Floor {
    fn drop(&mut self) {
        #[expect(
            unsafe_code,
            reason = "libdeflate has no safe binding that tells the bytes taken"
        )]
        // SAFETY: the pointer came from `libdeflate_alloc_decompressor` and is freed once.
        unsafe {
            sys::libdeflate_free_decompressor(self.decompressor.as_ptr());
        }
    }
}

/// A random generator with a fixed seed (xorshift64*).
pub struct Random(u64);

impl Random {
    /// Returns a generator whose first numbers also differ for seeds that are close to one another.
    pub fn new(seed: u64) -> Self {
        let mut random = Self((seed ^ 0x9e37_79b9_7f4a_7c15).max(1));
        for _ in 0..8 {
            random.next_u64();
        }
        random
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        (self.next_u64() >> 32) % bound
    }

    pub fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.below(WORDS.len() as u64) as usize]
    }

    pub fn uuid(&mut self) -> String {
        let (a, b) = (self.next_u64(), self.next_u64());
        format!(
            "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
            a >> 32,
            a >> 16 & 0xffff,
            a & 0xfff,
            b >> 52,
            b & 0xffff_ffff_ffff
        )
    }

    fn base32(&mut self) -> String {
        (0..32)
            .map(|_| char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[self.below(32) as usize]))
            .collect()
    }
}
