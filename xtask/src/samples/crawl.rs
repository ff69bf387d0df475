//! The two sample crawls: the same hosts at two dates, in the form of Common Crawl's robots.txt subset.
//!
//! If you change a host here, also update the counts in `index.toml` and the expected answers of the
//! queries in `jobs/`.

use super::bodies::*;
use super::record::{Archive, find, http};

/// A crawl under construction.
pub(super) struct Crawl {
    pub(super) archive: Archive,
    info: String,
    later: bool,
}

/// Writes the first crawl, or the later one.
pub(crate) fn crawl(later: bool) -> Archive {
    let (number, day, name) = match later {
        false => (1, 0, "CC-MAIN-2026-01-SAMPLE"),
        true => (2, 24, "CC-MAIN-2026-05-SAMPLE"),
    };
    let mut crawl = Crawl::new(number, day, name);
    crawl.later = later;
    crawl.policies();
    crawl.templates();
    crawl.statements();
    crawl.oddities();
    crawl.without_rules();
    crawl.statuses();
    crawl.redirects();
    crawl.variants();
    crawl.archive
}

impl Crawl {
    /// Begins the archive with a number and the name of its crawl, `day` days after 2026-01-05.
    pub(super) fn new(number: u32, day: u64, name: &str) -> Crawl {
        let mut archive = Archive::new(number);
        archive.start_on_day(day);
        archive
            .warcinfo(&[
                ("isPartOf", name),
                ("publisher", "robots-scan"),
                (
                    "description",
                    "Hosts that were made up, to show what occurs",
                ),
                ("hostname", "crawler.example.org"),
                ("software", "robots-scan make-samples"),
                ("robots", "as the standard asks"),
                ("format", "WARC File Format 1.1"),
                ("subset", "robotstxt"),
            ])
            .set("WARC-Filename", format!("{name}-robotstxt-00000.warc.gz"));
        Crawl {
            archive,
            info: format!("<urn:uuid:{number:08x}-0000-4000-8000-000000000001>"),
            later: false,
        }
    }

    /// Adds a request and its response, in this order, as in Common Crawl.
    pub(super) fn fetch(&mut self, url: &str, status: &str, headers: &[(&str, &str)], body: &[u8]) {
        let (scheme, rest) = url.split_once("://").expect("the URLs here are absolute");
        let (host, path) = rest.split_once('/').expect("the URLs here have a path");
        let address = format!("192.0.2.{}", self.archive.records.len() % 200 + 10);
        let https = scheme == "https";
        let info = self.info.clone();

        let get = format!(
            "GET /{path} HTTP/1.1\r\nUser-Agent: SampleBot/1.0 (https://example.org/bot)\r\n\
             Accept: text/plain,*/*\r\nHost: {host}\r\nConnection: Keep-Alive\r\n\
             Accept-Encoding: br,gzip\r\n\r\n"
        );
        let request = self.archive.push("request", get);
        request
            .set("Content-Type", "application/http; msgtype=request")
            .set("WARC-Warcinfo-ID", &info)
            .set("WARC-IP-Address", &address)
            .set("WARC-Target-URI", url);
        let request_id = request.headers[2].1.clone();

        // The crawler stored the decoded payload and renamed the headers that no longer apply.
        let mut all = headers.to_vec();
        let sent = (body.len() * 2 / 3).to_string();
        match self.archive.records.len() % 10 {
            0 | 5 if !body.is_empty() => {
                all.push(("X-Crawler-Content-Encoding", "gzip"));
                all.push(("X-Crawler-Content-Length", &sent));
            }
            3 => all.push(("X-Crawler-Transfer-Encoding", "chunked")),
            _ => {}
        }
        let response = self.archive.response(url, http(status, &all, body));
        response
            .set("WARC-Warcinfo-ID", &info)
            .set("WARC-Concurrent-To", request_id)
            .set("WARC-IP-Address", &address);
        if https {
            response
                .add("WARC-Protocol", "h2")
                .add("WARC-Protocol", "tls/1.3")
                .set("WARC-Cipher-Suite", "TLS_AES_128_GCM_SHA256");
        } else {
            response.add("WARC-Protocol", "http/1.1");
        }
        response.add_digests();
        let kind = match body {
            [] => return,
            [b'<', ..] => "text/html",
            _ if find(body, b"ser-agent:").is_some() => "text/x-robots",
            _ => "text/plain",
        };
        response.set("WARC-Identified-Payload-Type", kind);
    }

    pub(super) fn plain(&mut self, url: &str, body: impl AsRef<[u8]>) {
        let headers = [
            ("Server", "nginx"),
            ("Content-Type", "text/plain; charset=utf-8"),
        ];
        self.fetch(url, "200 OK", &headers, body.as_ref());
    }

    /// Returns a template with `HOST` replaced by the name of the host.
    pub(super) fn template(&mut self, url: &str, server: &str, body: &str) {
        let host = url.split('/').nth(2).expect("the URLs here are absolute");
        let body = body.replace("HOST", host);
        let headers = [("Server", server), ("Content-Type", "text/plain")];
        self.fetch(url, "200 OK", &headers, body.as_bytes());
    }

    pub(super) fn html(&mut self, url: &str, status: &str, server: &str, body: &str) {
        let headers = [("Server", server), ("Content-Type", "text/html")];
        self.fetch(url, status, &headers, body.as_bytes());
    }

    pub(super) fn redirect(&mut self, url: &str, status: &str, to: &str) {
        let headers = [
            ("Server", "nginx"),
            ("Content-Type", "text/html"),
            ("Location", to),
        ];
        self.fetch(url, status, &headers, MOVED.as_bytes());
    }

    fn pick<'a>(&self, first: &'a str, later: &'a str) -> &'a str {
        if self.later { later } else { first }
    }

    /// Adds hosts with a file of their own.
    fn policies(&mut self) {
        self.plain(
            "https://www.news.example/robots.txt",
            self.pick(NEWS, NEWS_LATER),
        );
        self.plain(
            "https://www.times.example/robots.txt",
            self.pick(TIMES, TIMES_LATER),
        );
        self.plain(
            "https://daily.example.co.uk/robots.txt",
            self.pick(DAILY, DAILY_LATER),
        );
        self.plain("https://tabloid.example.de/robots.txt", TABLOID);
        self.plain(
            "https://walled.example/robots.txt",
            self.pick(WALLED, WALLED_WIDE),
        );
        self.plain("https://forum.example.com/robots.txt", WALLED);
        self.plain("https://video.example.com/robots.txt", WALLED_WIDE);
        self.plain("https://invite.example/robots.txt", INVITE);
        self.plain(
            "https://docs.example.org/robots.txt",
            self.pick(OPEN_ALLOW, INVITE),
        );
        self.plain("https://selective.example/robots.txt", SELECTIVE);
        self.plain("https://magazine.example.fr/robots.txt", SELECTIVE);
        self.plain(
            "https://weekly.example.com.br/robots.txt",
            SELECTIVE_SIGNALS,
        );
        self.plain(
            "https://closed.example/robots.txt",
            self.pick(CLOSED, FRONT_PAGE),
        );
        self.plain("https://staging.example.net/robots.txt", CLOSED);
        self.plain("https://open.example/robots.txt", self.pick(OPEN, CLOSED));
        self.plain("https://library.example.org/robots.txt", OPEN_ALLOW);
        self.plain("https://museum.example.jp/robots.txt", OPEN);
        self.plain("https://front-page.example/robots.txt", FRONT_PAGE);
        self.plain("https://by-parts.example/robots.txt", CLOSED_BY_PARTS);
        self.plain("https://seo.example/robots.txt", SEO);
        self.plain("https://fallbacks.example/robots.txt", FALLBACKS);
        self.plain("https://ads.example/robots.txt", ADS);
        self.plain("https://merged.example/robots.txt", MERGED);
    }

    /// Adds hosts whose file comes completely or mostly from a vendor.
    fn templates(&mut self) {
        let cloudflare = self.pick(CLOUDFLARE, CLOUDFLARE_2026);
        self.template(
            "https://gazette.example.org/robots.txt",
            "cloudflare",
            CLOUDFLARE_2026,
        );
        self.template(
            "https://herald.example/robots.txt",
            "cloudflare",
            cloudflare,
        );
        self.template(
            "https://courier.example.com.au/robots.txt",
            "cloudflare",
            CLOUDFLARE,
        );
        let own = format!("{cloudflare}{OWN_PART}");
        self.template("https://post.example.com/robots.txt", "cloudflare", &own);
        self.template(
            "https://recipes.example/robots.txt",
            self.pick("Apache", "cloudflare"),
            self.pick(WORDPRESS, CLOUDFLARE_2026),
        );
        let blocks = format!("{WORDPRESS}\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n");
        self.template(
            "https://blog.example.net/robots.txt",
            "Apache",
            self.pick(WORDPRESS, &blocks),
        );
        self.template(
            "https://diary.example.net/robots.txt",
            "LiteSpeed",
            WORDPRESS,
        );
        self.template(
            "https://travel.example/robots.txt",
            "nginx",
            self.pick(YOAST, YOAST_LATER),
        );
        self.template("https://garden.example.nl/robots.txt", "nginx", YOAST);
        self.template("https://shop.example/robots.txt", "cloudflare", SHOPIFY);
        self.template(
            "https://boutique.example.fr/robots.txt",
            "cloudflare",
            SHOPIFY,
        );
        self.template("https://florist.example/robots.txt", "Pepyaka", WIX);
        self.template("https://bakery.example.de/robots.txt", "Pepyaka", WIX);
        self.template(
            "https://studio.example/robots.txt",
            "Squarespace",
            self.pick(SQUARESPACE, SQUARESPACE_NO_AI),
        );
        self.template(
            "https://gallery.example/robots.txt",
            "Squarespace",
            SQUARESPACE_NO_AI,
        );
        self.template("https://parked.example/robots.txt", "openresty", PARKED);
        self.template("https://parked-too.example/robots.txt", "openresty", PARKED);
    }

    /// Adds hosts that state what may be done with fetched content.
    fn statements(&mut self) {
        self.plain(
            "https://signals.example/robots.txt",
            self.pick(SIGNALS, SIGNALS_LATER),
        );
        self.plain("https://signals-odd.example/robots.txt", SIGNALS_ODD);
        self.plain("https://usage.example/robots.txt", USAGE);
        self.plain(
            "https://usage-old.example/robots.txt",
            self.pick(USAGE_OLD, USAGE),
        );
        self.plain("https://licence.example/robots.txt", LICENCE);
        self.plain("https://no-training.example/robots.txt", NO_TRAINING);
        self.plain(
            "https://contradiction.example/robots.txt",
            self.pick(CONTRADICTION, CONTRADICTION_REVERSE),
        );
        self.plain(
            "https://contradiction-too.example/robots.txt",
            CONTRADICTION_REVERSE,
        );
        self.fetch(
            "https://tdm.example/robots.txt",
            "200 OK",
            &[
                ("Server", "nginx"),
                ("Content-Type", "text/plain"),
                ("tdm-reservation", "1"),
                ("tdm-policy", "https://tdm.example/policy.json"),
            ],
            b"User-agent: *\nDisallow: /intern/\n",
        );
        self.fetch(
            "https://usage-header.example/robots.txt",
            "200 OK",
            &[
                ("Server", "nginx"),
                ("Content-Type", "text/plain"),
                ("Content-Usage", "train-ai=n, search=y"),
                ("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT"),
            ],
            b"User-agent: *\nAllow: /\n",
        );
    }

    /// Adds files that parsers often misread.
    fn oddities(&mut self) {
        self.plain("https://sitemaps.example/robots.txt", SITEMAPS);
        self.plain("https://slow.example/robots.txt", SLOW);
        self.plain("https://mirror.example/robots.txt", MIRROR);
        self.plain("https://rates.example.cz/robots.txt", RATES);
        self.plain("https://digits.example/robots.txt", DIGITS);
        self.plain("https://versions.example/robots.txt", VERSIONS);
        self.plain("https://spaces.example/robots.txt", SPACES);
        self.plain("https://typos.example/robots.txt", TYPOS);
        self.plain("https://before.example/robots.txt", BEFORE);
        self.plain("https://between.example/robots.txt", DELAY_BETWEEN);
        self.plain("https://paths.example/robots.txt", PATHS);
        self.plain(
            "https://bom.example/robots.txt",
            format!("\u{feff}{CLOSED}"),
        );
        self.plain(
            "https://cr.example/robots.txt",
            "User-agent: *\rDisallow: /css/\r",
        );
        self.plain(
            "https://mixed.example/robots.txt",
            "User-agent: *\r\nDisallow: /a\nDisallow: /b\rDisallow: /c",
        );
        self.plain(
            "https://latin.example/robots.txt",
            b"# caf\xe9\nUser-agent: *\nDisallow: /caf\xe9/\n",
        );
        self.plain(
            "https://nul.example/robots.txt",
            b"User-agent: *\nDisallow: /a\0b\n",
        );
        let utf16: Vec<u8> = "\u{feff}User-agent: *\nDisallow: /\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        self.plain("https://utf16.example/robots.txt", utf16);
    }

    /// Adds responses with a 2xx status and no rules.
    fn without_rules(&mut self) {
        self.plain("https://empty.example/robots.txt", "");
        self.plain("https://blank.example/robots.txt", "\n\n  \n");
        self.plain("https://comments.example/robots.txt", COMMENTS);
        self.plain("https://junk.example/robots.txt", "Hello, world\n");
        self.html("https://soft.example/robots.txt", "200 OK", "nginx", HTML);
        self.fetch(
            "https://challenge.example/robots.txt",
            "202 Accepted",
            &[
                ("Server", "awselb/2.0"),
                ("Content-Type", "text/html; charset=UTF-8"),
                ("x-amzn-waf-action", "challenge"),
            ],
            CHALLENGE.as_bytes(),
        );
        self.fetch(
            "https://image.example/robots.txt",
            "200 OK",
            &[("Server", "Apache"), ("Content-Type", "image/png")],
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0",
        );
        self.plain("https://names-only.example/robots.txt", "User-agent: *\n");
    }

    /// Adds one host per status that has an effect.
    fn statuses(&mut self) {
        let url = "https://missing.example/robots.txt";
        if self.later {
            // The file is missing in the first crawl and present in the later one.
            self.plain(url, TABLOID);
        } else {
            self.html(url, "404 Not Found", "nginx", NOT_FOUND);
        }
        self.html(
            "https://nothing.example.com/robots.txt",
            "404 Not Found",
            "Apache",
            NOT_FOUND,
        );
        self.fetch(
            "https://rules-in-404.example/robots.txt",
            "404 Not Found",
            &[("Server", "nginx"), ("Content-Type", "text/plain")],
            CLOSED.as_bytes(),
        );
        self.html(
            "https://gone.example/robots.txt",
            "410 Gone",
            "nginx",
            NOT_FOUND,
        );
        self.html(
            "https://bad-request.example/robots.txt",
            "400 Bad Request",
            "nginx",
            "",
        );
        self.fetch(
            "https://login.example/robots.txt",
            "401 Unauthorized",
            &[
                ("Server", "Apache"),
                ("WWW-Authenticate", "Basic realm=\"stage\""),
                ("Content-Type", "text/html"),
            ],
            DENIED.as_bytes(),
        );
        let edge = "https://edge.example/robots.txt";
        let cloudflare = [
            ("Date", "Mon, 05 Jan 2026 12:00:00 GMT"),
            ("Content-Type", "text/html; charset=UTF-8"),
            ("Server", "cloudflare"),
            ("cf-mitigated", "challenge"),
            ("CF-RAY", "9a0000000000abcd-FRA"),
        ];
        self.fetch(edge, "403 Forbidden", &cloudflare, CHALLENGE.as_bytes());
        // Open to all crawlers in the first crawl, and behind a challenge page in the later one.
        let retreat = "https://retreat.example/robots.txt";
        if self.later {
            self.fetch(retreat, "403 Forbidden", &cloudflare, CHALLENGE.as_bytes());
        } else {
            self.plain(retreat, OPEN_ALLOW);
        }
        self.fetch(
            "https://airline.example/robots.txt",
            "403 Forbidden",
            &[
                ("Server", "AkamaiGHost"),
                ("Mime-Version", "1.0"),
                ("Content-Type", "text/html"),
            ],
            DENIED.as_bytes(),
        );
        self.html(
            "https://plain-403.example/robots.txt",
            "403 Forbidden",
            "nginx",
            DENIED,
        );
        self.fetch(
            "https://busy.example/robots.txt",
            "429 Too Many Requests",
            &[
                ("Server", "cloudflare"),
                ("Retry-After", "120"),
                ("Content-Type", "text/plain"),
            ],
            b"error code: 1015",
        );
        self.html(
            "https://legal.example/robots.txt",
            "451 Unavailable For Legal Reasons",
            "nginx",
            DENIED,
        );
        self.html(
            "https://broken.example/robots.txt",
            "500 Internal Server Error",
            "Microsoft-IIS/10.0",
            "",
        );
        let repair = "https://repair.example/robots.txt";
        if self.later {
            self.plain(repair, DAILY);
        } else {
            self.fetch(
                repair,
                "503 Service Unavailable",
                &[("Retry-After", "3600"), ("Content-Type", "text/html")],
                b"<h1>Back soon</h1>\n",
            );
        }
        self.html(
            "https://down.example/robots.txt",
            "503 Service Unavailable",
            "Varnish",
            DENIED,
        );
        self.html(
            "https://gateway.example/robots.txt",
            "522 ",
            "cloudflare",
            "",
        );
        self.html("https://odd.example/robots.txt", "999 Denied", "ATS", "");
        self.fetch(
            "https://no-content.example/robots.txt",
            "204 No Content",
            &[("Server", "nginx")],
            b"",
        );
    }

    /// Adds redirects whose targets are in the crawl, are missing from it, or do not exist.
    fn redirects(&mut self) {
        // To https, and from there to www.
        self.redirect(
            "http://moved.example/robots.txt",
            "301 Moved Permanently",
            "https://moved.example/robots.txt",
        );
        self.redirect(
            "https://moved.example/robots.txt",
            "308 Permanent Redirect",
            "https://www.moved.example/robots.txt",
        );
        self.plain(
            "https://www.moved.example/robots.txt",
            self.pick(OPEN, TABLOID),
        );
        // A relative target.
        self.redirect(
            "https://relative.example/robots.txt",
            "302 Found",
            "/static/robots.txt",
        );
        self.plain("https://relative.example/static/robots.txt", CLOSED);
        // To another host, which is captured on its own as well.
        self.redirect(
            "https://merger.example/robots.txt",
            "301 Moved Permanently",
            "https://www.news.example/robots.txt",
        );
        // To a path other than /robots.txt: the response is kept only as the target of the redirect.
        self.redirect(
            "https://files.example/robots.txt",
            "302 Found",
            "https://cdn.example.net/files.example/robots-v2.txt",
        );
        self.plain(
            "https://cdn.example.net/files.example/robots-v2.txt",
            SELECTIVE,
        );
        // To the start page, the most common soft 404.
        self.redirect(
            "https://homepage.example/robots.txt",
            "302 Found",
            "https://homepage.example/",
        );
        self.html("https://homepage.example/", "200 OK", "nginx", HTML);
        // To a page that does not exist.
        self.redirect(
            "https://dead-end.example/robots.txt",
            "307 Temporary Redirect",
            "https://dead-end.example/404.html",
        );
        self.html(
            "https://dead-end.example/404.html",
            "404 Not Found",
            "nginx",
            NOT_FOUND,
        );
        // A chain of three hops.
        for (from, to) in [("a", "b"), ("b", "c"), ("c", "d")] {
            self.redirect(
                &format!("https://{from}.chain.example/robots.txt"),
                "301 Moved Permanently",
                &format!("https://{to}.chain.example/robots.txt"),
            );
        }
        self.plain("https://d.chain.example/robots.txt", DAILY);
        // A chain of six hops, one more than the limit.
        for hop in 1..=6 {
            self.redirect(
                &format!("https://long.example/{}", hop_path(hop)),
                "302 Found",
                &format!("https://long.example/{}", hop_path(hop + 1)),
            );
        }
        self.plain("https://long.example/hop7.txt", CLOSED);
        // A loop of two hosts, and a redirect to itself.
        self.redirect(
            "https://ping.example/robots.txt",
            "302 Found",
            "https://pong.example/robots.txt",
        );
        self.redirect(
            "https://pong.example/robots.txt",
            "302 Found",
            "https://ping.example/robots.txt",
        );
        self.redirect(
            "https://self.example/robots.txt",
            "301 Moved Permanently",
            "https://self.example/robots.txt",
        );
        // The target was not fetched.
        self.redirect(
            "https://away.example/robots.txt",
            "303 See Other",
            "https://login.away.example/?next=%2Frobots.txt",
        );
        // 3xx responses without a usable target.
        self.fetch(
            "https://unchanged.example/robots.txt",
            "304 Not Modified",
            &[("Server", "nginx"), ("ETag", "\"5f3\"")],
            b"",
        );
        self.html(
            "https://no-location.example/robots.txt",
            "301 Moved Permanently",
            "nginx",
            MOVED,
        );
    }

    /// Adds hosts with contradicting captures, and unusual host names.
    fn variants(&mut self) {
        // www and apex have different files.
        self.plain("https://twofold.example/robots.txt", OPEN);
        self.plain("https://www.twofold.example/robots.txt", CLOSED);
        // http and https have different files.
        self.plain("http://schemes.example/robots.txt", CLOSED);
        self.plain("https://schemes.example/robots.txt", DAILY);
        // A port that is not the default.
        self.plain("http://app.example.com:8080/robots.txt", CLOSED);
        self.plain("https://app.example.com/robots.txt", OPEN_ALLOW);
        // bücher.example in punycode, as crawlers write it, and an internationalized top-level domain.
        self.plain("https://xn--bcher-kva.example/robots.txt", TABLOID);
        self.plain("https://example.xn--p1ai/robots.txt", MIRROR);
        // An IP address, and a host below a private suffix.
        self.plain("http://192.0.2.77/robots.txt", OPEN);
        self.plain("https://example.github.io/robots.txt", INVITE);
        // Three captures of one host within the crawl: allowed, an error, then disallowed for GPTBot.
        let url = "https://changing.example/robots.txt";
        self.plain(url, OPEN);
        self.html(url, "503 Service Unavailable", "nginx", "");
        self.plain(url, CONTRADICTION);
        // The same file again, as a revisit.
        let url = "https://library.example.org/robots.txt";
        let first = self
            .archive
            .records
            .iter()
            .find(|r| {
                r.headers[0].1 == b"response"
                    && r.headers.contains(&("WARC-Target-URI".into(), url.into()))
            })
            .expect("the library was fetched above")
            .clone();
        let value = |name: &str| {
            let header = first.headers.iter().find(|(n, _)| n == name);
            header.expect("every response here has it").1.clone()
        };
        let end = find(&first.block, b"\r\n\r\n").expect("the header ends") + 4;
        let info = self.info.clone();
        self.archive
            .push("revisit", &first.block[..end])
            .set("WARC-Target-URI", url)
            .set("Content-Type", "application/http; msgtype=response")
            .set("WARC-Warcinfo-ID", info)
            .set(
                "WARC-Profile",
                "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest",
            )
            .set("WARC-Refers-To", value("WARC-Record-ID"))
            .set("WARC-Refers-To-Target-URI", url)
            .set("WARC-Refers-To-Date", value("WARC-Date"))
            .set("WARC-Payload-Digest", value("WARC-Payload-Digest"));
        // One host is only in the first crawl, another only in the later one.
        if self.later {
            self.plain("https://newcomer.example/robots.txt", SELECTIVE);
        } else {
            self.plain("https://farewell.example/robots.txt", NEWS);
        }
    }
}

fn hop_path(hop: u32) -> String {
    match hop {
        1 => "robots.txt".to_owned(),
        _ => format!("hop{hop}.txt"),
    }
}
