//! The sample crawl of `docs/guide.md`: many hosts of one registered domain with the same rules,
//! beside hosts of as many other domains.
//!
//! If you change a host here, also update the counts in `index.toml` and run
//! `make documents WRITE=--write`.

use super::bodies::*;
use super::crawl::Crawl;
use super::record::Archive;

/// The number of hosts of the hosting service.
const HOSTED: u32 = 60;

/// The file of a hosting service. Only its sitemap differs from host to host, which is not a rule.
const HOSTING: &str = "\
# Default of the hosting service
User-agent: GPTBot
User-agent: CCBot
Disallow: /

User-agent: *
Disallow: /cgi-bin/

Sitemap: https://HOST/sitemap.xml
";

/// Files, each with the hosts that have it. The first four block GPTBot by name.
const OTHERS: [(&str, &str); 15] = [
    (DAILY, "morning"),
    (SELECTIVE, "quarterly"),
    (CLOUDFLARE_2026, "harbour"),
    (SQUARESPACE_NO_AI, "painter"),
    (DAILY_LATER, "evening"),
    (INVITE, "handbook"),
    (CLOSED, "archive staging intranet"),
    (WALLED, "meetings"),
    (
        OPEN,
        "bakery bicycle garden lantern meadow orchard pottery sailing",
    ),
    (
        OPEN_ALLOW,
        "atlas botany choir dance fossil poetry theatre violin",
    ),
    (
        WORDPRESS,
        "allotment beekeeper cooking diary essays hiking knitting notebook sketches travel",
    ),
    (YOAST, "carpenter dentist florist optician plumber tailor"),
    (SHOPIFY, "candles ceramics sneakers stationery teapots"),
    (SEO, "catalogue coupons directory"),
    (FRONT_PAGE, "portal"),
];

/// The suffixes of these hosts, in their order: `morning.example.at`, `quarterly.example.be`, and so
/// on. A suffix of its own for each host makes its registered domain differ from the others. Names
/// that end in `.example` have no registered domain.
const SUFFIXES: &str = "\
    at be bg ca cat ch cl co com cz de dk ee es eu fi fm fo fr gg gr hr hu ie im in info io is it je \
    jp kr li lt lu lv ma md me mx nl no nu org pl pm pt ro rs se si sk so st su tl to tv uk us vc";

pub(super) fn crawl() -> Archive {
    let mut crawl = Crawl::new(3, 50, "CC-MAIN-2026-09-SAMPLE");
    for i in 1..=HOSTED {
        let url = format!("https://site-{i:02}.example.net/robots.txt");
        crawl.template(&url, "nginx", HOSTING);
    }
    let mut suffixes = SUFFIXES.split(' ');
    let mut urls = |names: &'static str| {
        let urls = names.split(' ').zip(suffixes.by_ref());
        let urls = urls.map(|(name, suffix)| format!("https://{name}.example.{suffix}/robots.txt"));
        urls.collect::<Vec<_>>()
    };
    for (body, names) in OTHERS {
        for url in urls(names) {
            crawl.template(&url, "nginx", body);
        }
    }
    for url in urls("leaflet") {
        crawl.plain(&url, COMMENTS);
    }
    for url in urls("castle ferry island market museum village") {
        crawl.html(&url, "404 Not Found", "nginx", NOT_FOUND);
    }
    for url in urls("tickets timetable") {
        crawl.html(&url, "503 Service Unavailable", "nginx", DENIED);
    }
    // The targets are not in the crawl, so these hosts are undecided.
    for url in urls("merged renamed") {
        let to = url.replace("https://", "https://www.");
        crawl.redirect(&url, "301 Moved Permanently", &to);
    }
    crawl.archive
}
