//! The corpus `crawl`: generated archives in the proportions of Common Crawl's robots.txt subset.
//!
//! One gzip member per record; a warcinfo record, then requests and responses in turn, no metadata
//! records. Of the captures, about 54 % have status 200, 27 % are redirects and 19 % are errors.
//! docs/developers/performance.md compares the corpus with the archives it is calibrated against. If you change
//! a proportion here, generate the table there again; the test below asserts the shape.

use super::bodies::Bodies;
use super::choice::{choose, pick};
use super::copies::RealBodies;
use super::pages;
use super::site::Site;
use crate::digest;
use inputs::{Framing, Random, record};
use std::collections::{HashSet, VecDeque};
use std::fmt::Write;

/// Statuses of the captures of new hosts, with weights.
const STATUSES: [(u64, u16); 11] = [
    (550, 200),
    (155, 301),
    (82, 302),
    (25, 308),
    (130, 404),
    (26, 403),
    (8, 410),
    (8, 429),
    (6, 500),
    (7, 502),
    (7, 503),
];

/// Statuses of the corpus `stress`.
const MOSTLY_SUCCESSFUL: [(u64, u16); 3] = [(90, 200), (6, 301), (4, 404)];

const TOP_LEVEL_DOMAINS: [(u64, &str); 24] = [
    (64, "com"),
    (2, "org"),
    (2, "net"),
    (2, "de"),
    (2, "nl"),
    (2, "fr"),
    (2, "it"),
    (2, "pl"),
    (2, "ru"),
    (2, "ch"),
    (2, "cz"),
    (2, "es"),
    (2, "se"),
    (2, "hu"),
    (2, "ro"),
    (2, "io"),
    (1, "eu"),
    (1, "at"),
    (1, "be"),
    (1, "info"),
    (1, "co.uk"),
    (1, "com.au"),
    (1, "com.br"),
    (1, "co.jp"),
];

const SERVERS: [&str; 10] = [
    "nginx",
    "nginx/1.18.0 (Ubuntu)",
    "Apache",
    "Apache/2.4.52 (Ubuntu)",
    "LiteSpeed",
    "cloudflare",
    "openresty",
    "Microsoft-IIS/10.0",
    "Vercel",
    "AmazonS3",
];

const CIPHERS: [&str; 3] = [
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
];

/// The status, type, location and body of a response.
#[derive(Clone)]
struct Answer {
    status: u16,
    media_type: &'static str,
    location: Option<String>,
    body: Vec<u8>,
}

/// A capture that follows later in the archive.
struct Pending {
    after: u64,
    site: Site,
    answer: Answer,
}

/// The bodies with status 200.
pub(super) enum SuccessBodies {
    Generated(Bodies),
    Real(RealBodies),
    /// Those of the benches of single layers. One in 20 has some thousand rules.
    Large,
}

/// Generates archives. The same seed gives the same bytes.
pub(super) struct Crawl {
    random: Random,
    bodies: SuccessBodies,
    names: HashSet<String>,
    pending: VecDeque<Pending>,
    captures: u64,
}

impl Crawl {
    pub(super) fn new(seed: u64, bodies: SuccessBodies) -> Self {
        Self {
            random: Random::new(seed),
            bodies,
            names: HashSet::new(),
            pending: VecDeque::new(),
            captures: 0,
        }
    }

    /// Returns the next archive, which has at least `bytes` bytes.
    pub(super) fn archive(&mut self, bytes: usize) -> Vec<u8> {
        let mut archive = Vec::with_capacity(bytes + (bytes >> 4));
        let info = self.random.uuid();
        Framing::Gzip.push(&mut archive, &warcinfo(&info));
        while archive.len() < bytes {
            let (site, answer) = self.next_capture();
            self.captures += 1;
            self.push_capture(&mut archive, &info, &site, &answer);
        }
        archive
    }

    /// Returns a capture of a new host, or one more of a host with several captures.
    fn next_capture(&mut self) -> (Site, Answer) {
        if let Some(pending) = self.pending.front()
            && pending.after <= self.captures
        {
            let pending = self.pending.pop_front().expect("a first one");
            return (pending.site, pending.answer);
        }
        let site = self.site();
        let answer = self.answer(&site);
        if self.random.one_in(40) {
            self.defer_variants(&site, &answer);
        }
        (site, answer)
    }

    /// Chooses a host that no earlier capture has.
    fn site(&mut self) -> Site {
        let random = &mut self.random;
        let name = loop {
            let (first, second) = (pages::word(random), pages::word(random));
            let hyphen = if random.one_in(4) { "-" } else { "" };
            let mut name = format!("{first}{hyphen}{second}");
            if random.below(20) < 11 {
                let _ = write!(name, "{}", 100 + random.below(900));
            }
            let name = format!("{name}.{}", choose(random, &TOP_LEVEL_DOMAINS));
            if self.names.insert(name.clone()) {
                break name;
            }
        };
        let prefix = choose(
            random,
            &[
                (86, ""),
                (4, "blog."),
                (4, "shop."),
                (3, "m."),
                (2, "de."),
                (1, "docs."),
            ],
        );
        Site {
            is_https: random.below(100) < 74,
            has_www: prefix.is_empty() && random.below(100) < 54,
            name: format!("{prefix}{name}"),
            ip: format!(
                "{}.{}.{}.{}",
                11 + random.below(200),
                random.below(256),
                random.below(256),
                1 + random.below(254)
            ),
            server: pick(random, &SERVERS),
            is_behind_cloudflare: random.below(100) < 26,
        }
    }

    fn answer(&mut self, site: &Site) -> Answer {
        let random = &mut self.random;
        let status = match self.bodies {
            SuccessBodies::Large => choose(random, &MOSTLY_SUCCESSFUL),
            _ => choose(random, &STATUSES),
        };
        match status {
            200 => {
                let (body, is_html) = match &mut self.bodies {
                    SuccessBodies::Generated(bodies) => bodies.next(random, site),
                    SuccessBodies::Real(bodies) => bodies.next(),
                    SuccessBodies::Large => {
                        let scale = if random.one_in(20) { 40 } else { 1 };
                        let rules = inputs::usual_rules(random) * scale;
                        (inputs::usual_body(random, rules).bytes, false)
                    }
                };
                let types = [
                    "text/plain",
                    "text/plain; charset=UTF-8",
                    "text/plain;charset=UTF-8",
                    "text/plain; charset=utf-8",
                ];
                let media_type = if is_html {
                    "text/html; charset=UTF-8"
                } else {
                    pick(random, &types)
                };
                Answer {
                    status,
                    media_type,
                    location: None,
                    body,
                }
            }
            301..=308 => {
                let location = redirect_target(random, site);
                redirect(random, status, location)
            }
            _ => {
                let (body, media_type) = error_body(random, status, site);
                Answer {
                    status,
                    media_type,
                    location: None,
                    body,
                }
            }
        }
    }

    /// Schedules one or two more captures of a host: with the other scheme, or with or without `www.`.
    fn defer_variants(&mut self, site: &Site, answer: &Answer) {
        for nth in 0..=u64::from(self.random.one_in(8)) {
            let mut variant = site.clone();
            if nth == 1 || self.random.one_in(4) {
                variant.has_www = !variant.has_www;
            } else {
                variant.is_https = !variant.is_https;
            }
            let answer = if self.random.one_in(2) {
                let location = format!("{}/robots.txt", site.origin());
                redirect(&mut self.random, 301, location)
            } else {
                answer.clone()
            };
            self.pending.push_back(Pending {
                after: self.captures + 1 + self.random.below(30),
                site: variant,
                answer,
            });
        }
    }

    fn push_capture(&mut self, archive: &mut Vec<u8>, info: &str, site: &Site, answer: &Answer) {
        let random = &mut self.random;
        let host = site.host();
        let mut fields = format!(
            "WARC-IP-Address: {}\r\nWARC-Target-URI: {}/robots.txt\r\n",
            site.ip,
            site.origin()
        );
        fields.push_str(choose(
            random,
            &[
                (87, "WARC-Protocol: http/1.1\r\n"),
                (13, "WARC-Protocol: h2\r\n"),
            ],
        ));
        if site.is_https {
            let _ = write!(
                fields,
                "WARC-Protocol: tls/1.3\r\nWARC-Cipher-Suite: {}\r\n",
                pick(random, &CIPHERS)
            );
        }
        let date = format!("2026-01-04T{}Z", time_of_day(random));
        let (request_id, response_id) = (random.uuid(), random.uuid());
        let request = format!(
            "GET /robots.txt HTTP/1.1\r\nUser-Agent: CCBot/2.0 (https://commoncrawl.org/faq/)\r\n\
             Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n\
             Accept-Language: en-US,en;q=0.5\r\nAccept-Encoding: br,gzip\r\nHost: {host}\r\nConnection: Keep-Alive\r\n\r\n"
        );
        let of_request = format!(
            "Content-Type: application/http; msgtype=request\r\nWARC-Warcinfo-ID: <urn:uuid:{info}>\r\n{fields}"
        );
        Framing::Gzip.push(
            archive,
            &record(
                "request",
                &date,
                &request_id,
                &of_request,
                request.as_bytes(),
            ),
        );
        let block = response_block(random, site, answer);
        let of_response = format!(
            "Content-Type: application/http; msgtype=response\r\nWARC-Warcinfo-ID: <urn:uuid:{info}>\r\n\
             WARC-Concurrent-To: <urn:uuid:{request_id}>\r\n{fields}WARC-Payload-Digest: {}\r\nWARC-Block-Digest: {}\r\n\
             WARC-Identified-Payload-Type: {}\r\n",
            digest(&answer.body),
            digest(&block),
            answer.media_type.split(';').next().expect("a first part"),
        );
        Framing::Gzip.push(
            archive,
            &record("response", &date, &response_id, &of_response, &block),
        );
    }
}

fn warcinfo(id: &str) -> Vec<u8> {
    let block = b"isPartOf: BENCH-2026-01\r\npublisher: robots-scan\r\n\
        description: Generated archives in the proportions of a crawl\r\nsoftware: cargo xtask bench-corpus\r\n\
        format: WARC File Format 1.0\r\n\r\n";
    let fields = "Content-Type: application/warc-fields\r\n";
    record("warcinfo", "2026-01-04T00:00:00Z", id, fields, block)
}

fn time_of_day(random: &mut Random) -> String {
    format!(
        "{:02}:{:02}:{:02}",
        random.below(24),
        random.below(60),
        random.below(60)
    )
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 => "Moved Permanently",
        302 => "Found",
        308 => "Permanent Redirect",
        403 => "Forbidden",
        404 => "Not Found",
        410 => "Gone",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        _ => "Service Unavailable",
    }
}

/// Returns the HTTP header and the body of a response.
fn response_block(random: &mut Random, site: &Site, answer: &Answer) -> Vec<u8> {
    let Answer {
        status,
        media_type,
        location,
        body,
    } = answer;
    // HTTP/2 has no reason phrase.
    let reason = if random.one_in(10) {
        ""
    } else {
        reason(*status)
    };
    let mut head = format!(
        "HTTP/1.1 {status} {reason}\r\nDate: Sun, 04 Jan 2026 {} GMT\r\nContent-Type: {media_type}\r\n",
        time_of_day(random)
    );
    if random.below(100) < 45 {
        head.push_str("X-Crawler-Transfer-Encoding: chunked\r\n");
    }
    if random.one_in(2) {
        let encoding = pick(random, &["br", "gzip"]);
        let _ = write!(head, "X-Crawler-Content-Encoding: {encoding}\r\n");
    }
    let connection = pick(random, &["keep-alive", "Keep-Alive", "close"]);
    let _ = write!(
        head,
        "Connection: {connection}\r\nServer: {}\r\n",
        site.server
    );
    if let Some(location) = location {
        let _ = write!(head, "Location: {location}\r\n");
    }
    push_optional_fields(&mut head, random, *status == 200);
    if site.is_behind_cloudflare {
        push_cloudflare_fields(&mut head, random);
    }
    let _ = write!(head, "Content-Length: {}\r\n\r\n", body.len());
    let mut block = head.into_bytes();
    block.extend_from_slice(body);
    block
}

fn push_optional_fields(head: &mut String, random: &mut Random, is_success: bool) {
    if random.one_in(2) {
        let vary = pick(random, &["Accept-Encoding", "Accept-Encoding,User-Agent"]);
        let _ = write!(head, "Vary: {vary}\r\n");
    }
    if random.below(100) < 36 {
        let program = pick(
            random,
            &[
                "PHP/8.2.28",
                "PHP/7.4.33",
                "Express",
                "ASP.NET",
                "WP Engine",
            ],
        );
        let _ = write!(head, "X-Powered-By: {program}\r\n");
    }
    if is_success && random.below(100) < 61 {
        let (time, tag) = (time_of_day(random), random.next_u64());
        let _ = write!(
            head,
            "Last-Modified: Fri, 02 Jan 2026 {time} GMT\r\nETag: \"{tag:016x}\"\r\nAccept-Ranges: bytes\r\n"
        );
    }
    if random.below(100) < 41 {
        let policy = pick(
            random,
            &[
                "max-age=3600",
                "public, max-age=14400",
                "private, must-revalidate",
                "no-cache, no-store, must-revalidate",
            ],
        );
        let _ = write!(head, "Cache-Control: {policy}\r\n");
    }
    if random.below(100) < 26 {
        head.push_str("Strict-Transport-Security: max-age=31536000; includeSubDomains\r\n");
    }
    if random.below(100) < 19 {
        let (a, b) = (random.next_u64(), random.next_u64());
        let _ = write!(
            head,
            "Set-Cookie: session={a:016x}{:010x}; path=/; HttpOnly\r\n",
            b >> 24
        );
    }
    if random.below(100) < 15 {
        head.push_str(
            "X-Frame-Options: SAMEORIGIN\r\nX-Content-Type-Options: nosniff\r\n\
             Content-Security-Policy: default-src 'self'; script-src 'self' 'unsafe-inline' cdn.example.com; img-src * data:\r\n\
             Referrer-Policy: strict-origin-when-cross-origin\r\n",
        );
    }
}

fn push_cloudflare_fields(head: &mut String, random: &mut Random) {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let token: String = (0..128)
        .map(|_| char::from(pick(random, ALPHABET)))
        .collect();
    let _ = write!(
        head,
        "CF-Cache-Status: {}\r\n\
         Report-To: {{\"endpoints\":[{{\"url\":\"https:\\/\\/a.nel.cloudflare.com\\/report\\/v4?s={token}\"}}],\
         \"group\":\"cf-nel\",\"max_age\":604800}}\r\n\
         NEL: {{\"success_fraction\":0,\"report_to\":\"cf-nel\",\"max_age\":604800}}\r\n\
         CF-RAY: {:016x}-{}\r\nalt-svc: h3=\":443\"; ma=86400\r\n",
        pick(random, &["HIT", "MISS", "DYNAMIC"]),
        random.next_u64(),
        pick(random, &["IAD", "FRA", "SJC"]),
    );
}

fn redirect_target(random: &mut Random, site: &Site) -> String {
    let (origin, host) = (site.origin(), site.host());
    match random.below(10) {
        0..5 if !site.is_https => format!("https://{host}/robots.txt"),
        0..6 => format!("https://www.{}/robots.txt", site.name),
        6 => format!("https://{}/", site.name),
        7 => format!("{origin}/login?next=%2Frobots.txt"),
        8 => format!("{origin}/{}/", pick(random, &["de", "en", "fr"])),
        _ => format!("https://{}.example.com/robots.txt", pages::word(random)),
    }
}

fn redirect(random: &mut Random, status: u16, location: String) -> Answer {
    Answer {
        status,
        media_type: "text/html; charset=iso-8859-1",
        body: pages::redirect(random, reason(status), &location),
        location: Some(location),
    }
}

/// Returns the body of an error and its media type.
fn error_body(random: &mut Random, status: u16, site: &Site) -> (Vec<u8>, &'static str) {
    const HTML: &str = "text/html; charset=UTF-8";
    let reason = reason(status);
    match random.below(100) {
        0..38 => (pages::large(random, reason, &site.host()), HTML),
        38..54 => {
            let host = site.host();
            let body =
                format!("{{\"status\":{status},\"message\":\"{reason}\",\"host\":\"{host}\"}}\n");
            (body.into_bytes(), "application/json")
        }
        54..68 => (Vec::new(), HTML),
        _ => (pages::small(&format!("{status} {reason}")), HTML),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inputs::Floor;
    use memchr::memmem;

    const BYTES: usize = 1_900_000;

    fn generated(seed: u64) -> Crawl {
        Crawl::new(seed, SuccessBodies::Generated(Bodies::new(seed)))
    }

    /// Counts of an archive, read back from its bytes.
    #[derive(Default)]
    struct Shape {
        requests: u64,
        responses: u64,
        others: u64,
        inflated: u64,
        /// Responses with status 200, 3xx, and any other.
        by_class: [u64; 3],
        /// Bodies with status 200, and those that occurred before in the archive.
        bodies: u64,
        repeated: u64,
        body_bytes: u64,
        rules: u64,
        hosts: HashSet<Vec<u8>>,
    }

    fn shape_of(archive: &[u8]) -> Shape {
        let (mut rest, mut floor, mut shape) = (archive, Floor::new(), Shape::default());
        let mut seen = HashSet::new();
        while !rest.is_empty() {
            let (taken, record) = floor.member(rest);
            rest = &rest[taken..];
            shape.inflated += record.len() as u64;
            let header = memmem::find(record, b"\r\n\r\n").unwrap();
            let (header, block) = (&record[..header], &record[header + 4..record.len() - 4]);
            if memmem::find(header, b"WARC-Type: request\r\n").is_some() {
                shape.requests += 1;
            } else if memmem::find(header, b"WARC-Type: response\r\n").is_some() {
                shape.responses += 1;
                shape.read_response(header, block, &mut seen);
            } else {
                shape.others += 1;
            }
        }
        shape
    }

    impl Shape {
        fn read_response(&mut self, header: &[u8], block: &[u8], seen: &mut HashSet<Vec<u8>>) {
            let uri = memmem::find(header, b"://").unwrap() + 3;
            let host = header[uri..].split(|&byte| byte == b'/').next().unwrap();
            self.hosts.insert(host.to_vec());
            let body = &block[memmem::find(block, b"\r\n\r\n").unwrap() + 4..];
            let digest_field = format!("WARC-Payload-Digest: {}\r\n", digest(body));
            assert!(memmem::find(header, digest_field.as_bytes()).is_some());
            match &block[9..12] {
                b"200" => {
                    self.by_class[0] += 1;
                    self.bodies += 1;
                    self.body_bytes += body.len() as u64;
                    self.repeated += u64::from(!seen.insert(body.to_vec()));
                    self.rules += memmem::find_iter(body, b"llow: ").count() as u64;
                }
                [b'3', ..] => self.by_class[1] += 1,
                _ => self.by_class[2] += 1,
            }
        }
    }

    fn assert_within(what: &str, value: f64, low: f64, high: f64) {
        assert!(
            (low..=high).contains(&value),
            "{what}: {value:.3} is not within {low} and {high}"
        );
    }

    #[test]
    fn a_generated_archive_has_the_shape_of_a_crawl() {
        let archive = generated(1).archive(BYTES);
        let shape = shape_of(&archive);
        let (captures, compressed) = (shape.responses as f64, archive.len() as f64);
        let share = |count: u64| count as f64 / captures;

        assert_eq!((shape.requests, shape.others), (shape.responses, 1));
        assert_within("captures", captures, 970.0, 1100.0);
        assert_within("status 200", share(shape.by_class[0]), 0.51, 0.57);
        assert_within("redirects", share(shape.by_class[1]), 0.24, 0.30);
        assert_within("errors", share(shape.by_class[2]), 0.16, 0.22);
        assert_within("bytes a capture", compressed / captures, 1750.0, 2000.0);
        let ratio = shape.inflated as f64 / compressed;
        assert_within("compression ratio", ratio, 2.15, 2.45);
        assert_within("rules a capture", share(shape.rules), 7.0, 16.0);
        let mean = shape.body_bytes as f64 / shape.bodies as f64;
        assert_within("bytes a body", mean, 800.0, 1700.0);
        let repeated = shape.repeated as f64 / shape.bodies as f64;
        assert_within("repeated bodies", repeated, 0.08, 0.16);
        let hosts = shape.hosts.len() as f64 / captures;
        assert_within("hosts a capture", hosts, 0.95, 0.995);
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        let two = |seed| {
            let mut crawl = generated(seed);
            [crawl.archive(100_000), crawl.archive(100_000)]
        };
        let first = two(1);
        assert_eq!(first, two(1));
        assert_ne!(first, two(2));
        assert_ne!(first[0], first[1]);
    }

    #[test]
    fn repeated_bodies_add_up_over_a_part() {
        let mut crawl = generated(1);
        let (mut seen, mut bodies, mut repeated) = (HashSet::new(), 0, 0);
        for _ in 0..20_000 {
            let (_, answer) = crawl.next_capture();
            crawl.captures += 1;
            if answer.status == 200 {
                bodies += 1;
                repeated += u64::from(!seen.insert(answer.body));
            }
        }
        let share = repeated as f64 / f64::from(bodies);
        assert_within("repeated bodies", share, 0.16, 0.22);
    }
}
