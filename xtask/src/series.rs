//! Writes a series of crawls whose changes are known:
//! `cargo xtask series FOLDER CRAWLS HOSTS [SEED [PERCENT [PROGRAM]]]`.
//!
//! `FOLDER/crawl-000/` has the archives of the first crawl, and `truth.csv` a row for each host that a
//! crawl captured: once, so that this capture is the authoritative one. Hosts also change
//! in crawls that do not capture them. Between two crawls, PERCENT of the hosts change their policy.
//!
//! For a large series, PROGRAM scans the archives of each crawl to a dataset, `FOLDER/crawl-000/`, and
//! they are removed.
//!
//! A policy is a number, and its text follows from the number (see [`policy_text`]), so that a test
//! needs no parser to know the verdicts.

use crate::digest;
use capture::date::format_iso;
use inputs::{Framing, Random, record};
use std::error::Error;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;

/// The percentage of hosts that a crawl captures, and the percentages that change between two crawls.
const SEEN: u64 = 55;
const DEFAULT_POLICY_CHANGES: u64 = 4;
const STATUS_CHANGES: u64 = 5;
const ORIGIN_CHANGES: u64 = 1;
/// One in this many unchanged files is a revisit.
const REVISITS: u64 = 10;

/// Statuses with weights.
const STATUSES: [(u64, u16); 6] = [
    (60, 200),
    (20, 404),
    (10, 301),
    (4, 403),
    (2, 429),
    (4, 503),
];

/// The crawlers that the lowest bits of a policy name.
const CRAWLERS: [&str; 8] = [
    "GPTBot",
    "CCBot",
    "ClaudeBot",
    "Google-Extended",
    "Bytespider",
    "PerplexityBot",
    "Amazonbot",
    "AhrefsBot",
];

/// The first moment of the first crawl, in milliseconds since 1970: 2016-01-04.
const FIRST_CRAWL: i64 = 1_451_865_600_000;
/// A crawl begins 30 days after the one before, and its captures are a second apart.
const CRAWL_MILLIS: i64 = 30 * 86_400_000;
const CAPTURE_MILLIS: i64 = 1000;

/// The size of an archive, as in Common Crawl's robots.txt subset.
const ARCHIVE_BYTES: usize = 1_900_000;

const USAGE: &str = "usage: cargo xtask series FOLDER CRAWLS HOSTS [SEED [PERCENT [PROGRAM]]]";

/// A host, as it is during a crawl.
struct Host {
    name: String,
    is_https: bool,
    has_www: bool,
    status: u16,
    policy: u64,
    /// The host whose file a redirect leads to.
    target: usize,
    /// The URL, the time and the policy of the last capture with status 200.
    last: Option<(String, i64, u64)>,
}

impl Host {
    fn new(random: &mut Random, number: usize, hosts: usize) -> Self {
        let mut host = Self {
            name: format!("h{number}.d{}-example.com", number / 3),
            is_https: random.below(4) > 0,
            has_www: random.below(2) == 0,
            status: 200,
            policy: policy(random),
            target: random.below(hosts as u64) as usize,
            last: None,
        };
        host.change_status(random);
        host
    }

    fn url(&self) -> String {
        let scheme = if self.is_https { "https" } else { "http" };
        let www = if self.has_www { "www." } else { "" };
        format!("{scheme}://{www}{}/robots.txt", self.name)
    }

    fn change_status(&mut self, random: &mut Random) {
        let total = STATUSES.iter().map(|(weight, _)| weight).sum();
        let mut rest = random.below(total);
        for (weight, status) in STATUSES {
            if rest < weight {
                self.status = status;
                return;
            }
            rest -= weight;
        }
    }

    /// Changes the host as it changes between two crawls, the policy with a probability in percent.
    fn change(&mut self, random: &mut Random, hosts: usize, policy_changes: u64) {
        if random.below(100) < policy_changes {
            self.policy = policy(random);
        }
        if random.below(100) < STATUS_CHANGES {
            self.change_status(random);
            self.target = random.below(hosts as u64) as usize;
        }
        if random.below(100) < ORIGIN_CHANGES {
            match random.below(2) {
                0 => self.is_https = !self.is_https,
                _ => self.has_www = !self.has_www,
            }
        }
    }
}

/// Chooses a policy: half of them name no crawler.
fn policy(random: &mut Random) -> u64 {
    let named = match random.below(2) {
        0 => 0,
        _ => random.below(256),
    };
    named | random.below(4) << 8 | random.below(1000) << 10
}

/// Returns the text of a policy. Bits 0 to 7 say which of [`CRAWLERS`] may fetch nothing; bits 8 and 9
/// what the group of `*` has: no group, some paths, all paths, an empty rule; the others number the
/// paths, of which there are up to 64, so that a file has 11 rules on average, as in a crawl.
fn policy_text(policy: u64) -> String {
    let mut text = format!("# Policy {policy}\n");
    for (i, crawler) in CRAWLERS.iter().enumerate() {
        if policy >> i & 1 == 1 {
            let _ = write!(text, "User-agent: {crawler}\nDisallow: /\n\n");
        }
    }
    match policy >> 8 & 3 {
        0 => {}
        1 => {
            let number = policy >> 10;
            text.push_str("User-agent: *\n");
            for path in 0..=number % 64 {
                let _ = writeln!(text, "Disallow: /p{number}/{path}/");
            }
        }
        2 => text.push_str("User-agent: *\nDisallow: /\n"),
        _ => text.push_str("User-agent: *\nDisallow:\n"),
    }
    text
}

/// The archives of a crawl that is being written.
struct Crawl<'a> {
    folder: &'a Path,
    number: u64,
    archive: Vec<u8>,
    /// The number of the archive, and of records in all archives.
    archives: u64,
    records: u64,
}

impl Crawl<'_> {
    fn archive_name(&self) -> String {
        format!("SERIES-{:03}-{:05}.warc.gz", self.number, self.archives)
    }

    /// Appends a record, and returns its offset.
    fn push(&mut self, kind: &str, date: &str, fields: &str, block: &str) -> usize {
        let offset = self.archive.len();
        let id = format!(
            "00000000-0000-4000-{:04x}-{:012x}",
            0x8000 | self.number,
            self.records
        );
        let record = record(kind, date, &id, fields, block.as_bytes());
        Framing::Gzip.push(&mut self.archive, &record);
        self.records += 1;
        offset
    }

    fn finish_archive(&mut self) -> std::io::Result<()> {
        if !self.archive.is_empty() {
            fs::write(self.folder.join(self.archive_name()), &self.archive)?;
            self.archive.clear();
            self.archives += 1;
        }
        Ok(())
    }
}

/// Runs the tool with its command-line arguments.
pub(crate) fn run(args: &[String]) -> Result<(), Box<dyn Error>> {
    let (folder, args) = args.split_first().ok_or(USAGE)?;
    let (numbers, program) = args.split_at(args.len().min(4));
    let numbers: Result<Vec<u64>, _> = numbers.iter().map(|number| number.parse()).collect();
    let (crawls, count, seed, policy_changes) = match numbers.map_err(|_| USAGE)?[..] {
        [crawls, hosts] => (crawls, hosts as usize, 1, DEFAULT_POLICY_CHANGES),
        [crawls, hosts, seed] => (crawls, hosts as usize, seed, DEFAULT_POLICY_CHANGES),
        [crawls, hosts, seed, percent] => (crawls, hosts as usize, seed, percent),
        _ => return Err(USAGE.into()),
    };
    let folder = Path::new(folder);
    let random = &mut Random::new(seed);
    let mut hosts: Vec<Host> = (0..count)
        .map(|number| Host::new(random, number, count))
        .collect();
    fs::create_dir_all(folder)?;
    let mut truth = BufWriter::new(File::create(folder.join("truth.csv"))?);
    writeln!(
        truth,
        "crawl,host,url,fetch_time,archive,offset,status,policy,location,is_revisit"
    )?;
    for number in 0..crawls {
        let of_crawl = folder.join(format!("crawl-{number:03}"));
        let archives = match program {
            [] => of_crawl.clone(),
            _ => folder.join("archives"),
        };
        fs::create_dir_all(&archives)?;
        let mut crawl = Crawl {
            folder: &archives,
            number,
            archive: Vec::new(),
            archives: 0,
            records: 0,
        };
        if number > 0 {
            for host in &mut hosts {
                host.change(random, count, policy_changes);
            }
        }
        write_crawl(&mut crawl, &mut hosts, random, &mut truth)?;
        if let [program, ..] = program {
            scan_crawl(program, &archives, &of_crawl, number)?;
            fs::remove_dir_all(&archives)?;
        }
    }
    truth.flush()?;
    Ok(())
}

/// Scans the archives of a crawl to a dataset, with the tables that a history reads.
fn scan_crawl(
    program: &str,
    archives: &Path,
    dataset: &Path,
    number: u64,
) -> Result<(), Box<dyn Error>> {
    let status = Command::new(program)
        .arg(archives)
        .args(["-q", "--crawl", &format!("SERIES-{number:03}"), "-o"])
        .arg(dataset)
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{program} failed on {}", archives.display()).into())
    }
}

/// Writes the captures of a crawl, and their rows of the truth. A crawl has the hosts in a random order.
fn write_crawl(
    crawl: &mut Crawl<'_>,
    hosts: &mut [Host],
    random: &mut Random,
    truth: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let mut order: Vec<usize> = (0..hosts.len()).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, random.below(last as u64 + 1) as usize);
    }
    let mut millis = FIRST_CRAWL + CRAWL_MILLIS * i64::try_from(crawl.number)?;
    for i in order {
        if random.below(100) >= SEEN {
            continue;
        }
        millis += CAPTURE_MILLIS;
        let target = hosts[hosts[i].target].url();
        let host = &mut hosts[i];
        let (url, time) = (host.url(), format_iso(millis));
        let same = host.last.as_ref().filter(|(last_url, _, policy)| {
            host.status == 200 && *last_url == url && *policy == host.policy
        });
        let text = policy_text(host.policy);
        let plain = "Content-Type: text/plain".to_owned();
        let (status, field, body, location) = match host.status {
            200 => ("200 OK".to_owned(), plain, &*text, ""),
            301 => (
                "301 Moved".to_owned(),
                format!("Location: {target}"),
                "",
                &*target,
            ),
            status => (format!("{status} No"), plain, "no", ""),
        };
        let mut fields = format!(
            "WARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\n\
             WARC-Payload-Digest: {}\r\n",
            digest(body.as_bytes())
        );
        let revisited = same.filter(|_| random.below(REVISITS) == 0);
        let (kind, body) = match revisited {
            Some((_, last_time, _)) => {
                fields += &format!(
                    "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n\
                     WARC-Refers-To-Target-URI: {url}\r\nWARC-Refers-To-Date: {}\r\n",
                    format_iso(*last_time)
                );
                ("revisit", "")
            }
            None => ("response", body),
        };
        let block = format!(
            "HTTP/1.1 {status}\r\n{field}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let offset = crawl.push(kind, &time, &fields, &block);
        let policy = match host.status {
            200 => host.policy.to_string(),
            _ => String::new(),
        };
        writeln!(
            truth,
            "SERIES-{:03},{},{url},{time},{},{offset},{},{policy},{location},{}",
            crawl.number,
            host.name,
            crawl.archive_name(),
            host.status,
            revisited.is_some(),
        )?;
        if host.status == 200 {
            host.last = Some((url, millis, host.policy));
        }
        if crawl.archive.len() >= ARCHIVE_BYTES {
            crawl.finish_archive()?;
        }
    }
    crawl.finish_archive()?;
    Ok(())
}
