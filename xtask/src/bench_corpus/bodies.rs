//! Bodies of robots.txt files in the proportions of a crawl.
//!
//! Most come from short templates in the manner of common systems, with lines of the site. Others
//! repeat exactly, or are lists of rules of any length. The templates are not copies: they have the
//! sizes, the kinds of rules and the marks of what such systems write.

use super::choice::{choose, pick};
use super::pages;
use super::site::Site;
use inputs::Random;
use std::fmt::Write;

#[derive(Clone, Copy)]
enum Kind {
    Exact,
    Shared,
    Wordpress,
    Yoast,
    Wix,
    Squarespace,
    Shopify,
    Joomla,
    Drupal,
    Cloudflare,
    Html,
    Prose,
    Own,
}

/// Kinds of the bodies with status 200, with weights in thousandths.
const KINDS: [(u64, Kind); 13] = [
    (125, Kind::Exact),
    (80, Kind::Shared),
    (172, Kind::Wordpress),
    (114, Kind::Yoast),
    (43, Kind::Wix),
    (4, Kind::Squarespace),
    (74, Kind::Shopify),
    (12, Kind::Joomla),
    (17, Kind::Drupal),
    (46, Kind::Cloudflare),
    (20, Kind::Html),
    (14, Kind::Prose),
    (279, Kind::Own),
];

/// Bodies that many sites have without any change.
const EXACT: [(u64, &str); 12] = [
    (24, "User-agent: *\nDisallow: /\n"),
    (28, "User-agent: *\nDisallow:\n"),
    (16, "User-agent: *\nAllow: /\n"),
    (12, "User-agent: *\nDisallow:"),
    (6, "User-Agent: *\r\nDisallow: /\r\n"),
    (14, ""),
    (
        18,
        "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n",
    ),
    (
        6,
        "User-agent: *\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /\n",
    ),
    (
        5,
        "User-agent: *\nDisallow: /cgi-bin/\nDisallow: /tmp/\nDisallow: /private/\n",
    ),
    (4, "User-agent: *\nCrawl-delay: 10\n"),
    (2, "# no rules here\n"),
    (20, JOOMLA),
];

const JOOMLA: &str = "\
# If the Joomla site is installed in a folder, move this file to the root of the host
# and put the name of the folder before each path.

User-agent: *
Disallow: /administrator/
Disallow: /api/
Disallow: /bin/
Disallow: /cache/
Disallow: /cli/
Disallow: /components/
Disallow: /includes/
Disallow: /installation/
Disallow: /language/
Disallow: /layouts/
Disallow: /libraries/
Disallow: /logs/
Disallow: /modules/
Disallow: /plugins/
Disallow: /templates/
Disallow: /tmp/
";

/// Crawlers for training, in the order of Cloudflare's block.
const AI_AGENTS: [&str; 20] = [
    "Amazonbot",
    "Applebot-Extended",
    "Bytespider",
    "CCBot",
    "ClaudeBot",
    "CloudflareBrowserRenderingCrawler",
    "Google-Extended",
    "GPTBot",
    "meta-externalagent",
    "anthropic-ai",
    "ChatGPT-User",
    "cohere-ai",
    "Diffbot",
    "FacebookBot",
    "ImagesiftBot",
    "Omgilibot",
    "PerplexityBot",
    "Timpibot",
    "OAI-SearchBot",
    "YouBot",
];

const OTHER_AGENTS: [&str; 48] = [
    "AdsBot-Google",
    "AhrefsBot",
    "Baiduspider",
    "Baiduspider-image",
    "bingbot",
    "BLEXBot",
    "BUbiNG",
    "Cliqzbot",
    "Copernic 1.0",
    "DataForSeoBot",
    "DeepCrawl",
    "discobot",
    "DotBot",
    "Download Ninja",
    "Exabot",
    "Fetch",
    "GeonaBot",
    "Googlebot",
    "Googlebot-Image",
    "grub-client",
    "HTTrack 3.0",
    "ia_archiver",
    "larbin",
    "libwww",
    "linko",
    "Mediapartners-Google",
    "MegaIndex.ru",
    "Microsoft.URL.Control",
    "MJ12bot",
    "MSIECrawler",
    "NPBot",
    "Nutch",
    "Offline Explorer",
    "PetalBot",
    "rogerbot",
    "SemrushBot",
    "SemrushBot-SA",
    "SEOkicks",
    "sitecheck.internetseer.com",
    "SiteSnagger",
    "Slurp",
    "TeleportPro",
    "Twitterbot",
    "WebCopier",
    "WebReaper/9.8",
    "Yandex",
    "YandexImages",
    "Zealbot",
];

/// How many bodies there are that several sites share.
const SHARED: u64 = 900;

/// Generates bodies.
pub(super) struct Bodies {
    seed: u64,
}

impl Bodies {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// Returns the body of a site, and whether it is an HTML page.
    pub(super) fn next(&self, random: &mut Random, site: &Site) -> (Vec<u8>, bool) {
        let host = site.host();
        let mut text = String::new();
        match choose(random, &KINDS) {
            Kind::Exact => return (choose(random, &EXACT).as_bytes().to_vec(), false),
            Kind::Shared => {
                // A quarter of the sites share the same 20 bodies, such as the mirrors of a shop do.
                let among = if random.one_in(4) { 20 } else { SHARED };
                let nth = random.below(among);
                let mut of_shared = Random::new(self.seed << 32 | (nth + 1));
                let origin = format!("https://www.{}{nth}.com", pages::word(&mut of_shared));
                own(&mut text, &mut of_shared, &origin);
                return (finish(text, &mut of_shared), false);
            }
            Kind::Html => return (pages::large(random, "Welcome", &host), true),
            Kind::Prose => {
                for _ in 0..2 + random.below(12) {
                    let (a, b) = (pages::word(random), pages::word(random));
                    let _ = writeln!(text, "{a} {b} {}", pages::word(random));
                }
            }
            Kind::Wordpress => wordpress(&mut text, random, site),
            Kind::Yoast => yoast(&mut text, random, site),
            Kind::Wix => wix(&mut text, site),
            Kind::Squarespace => squarespace(&mut text, site),
            Kind::Shopify => shopify(&mut text, random, site),
            Kind::Joomla => {
                text.push_str(JOOMLA);
                some_rules(&mut text, random, 6);
            }
            Kind::Drupal => drupal(&mut text, random, site),
            Kind::Cloudflare => cloudflare(&mut text, random, site),
            Kind::Own => own(&mut text, random, &site.origin()),
        }
        (finish(text, random), false)
    }
}

/// Chooses the line ends, and sometimes a byte order mark.
fn finish(mut text: String, random: &mut Random) -> Vec<u8> {
    match random.below(1000) {
        0..215 => text = text.replace('\n', "\r\n"),
        // One line of another editor.
        215..223 => text = text.replacen('\n', "\r\n", 1),
        223..228 => text.insert(0, '\u{feff}'),
        _ => {}
    }
    text.into_bytes()
}

fn wordpress(text: &mut String, random: &mut Random, site: &Site) {
    text.push_str("User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n");
    let is_before = random.one_in(2);
    if is_before && random.one_in(3) {
        some_rules(text, random, 8);
    }
    let _ = writeln!(text, "\nSitemap: {}/wp-sitemap.xml", site.origin());
    if !is_before && random.one_in(3) {
        some_rules(text, random, 8);
    }
    if random.one_in(12) {
        ai_groups(text, random, 4);
    }
}

fn yoast(text: &mut String, random: &mut Random, site: &Site) {
    text.push_str("# START YOAST BLOCK\n# ---------------------------\nUser-agent: *\nDisallow:\n");
    let _ = write!(text, "\nSitemap: {}/sitemap_index.xml\n", site.origin());
    text.push_str("# ---------------------------\n# END YOAST BLOCK\n");
    if random.one_in(5) {
        text.push_str("\nUser-agent: *\n");
        some_rules(text, random, 6);
    }
}

fn wix(text: &mut String, site: &Site) {
    text.push_str(
        "User-agent: *\nAllow: /\n\n# Optimization for Google Ads Bot\nUser-agent: AdsBot-Google-Mobile\n\
         User-agent: AdsBot-Google\nDisallow: /_api/*\nDisallow: /_partials*\nDisallow: /pro-gallery-webapp/v1/galleries/*\n\n\
         # Block another crawler\nUser-agent: PetalBot\nDisallow: /\n\n\
         # Crawl delays for crawlers that send many requests\nUser-agent: dotbot\nCrawl-delay: 10\n\
         User-agent: AhrefsBot\nCrawl-delay: 10\n\n",
    );
    let _ = writeln!(text, "Sitemap: {}/sitemap.xml", site.origin());
}

fn squarespace(text: &mut String, site: &Site) {
    text.push_str("# Squarespace Robots Txt\n\n");
    for agent in AI_AGENTS {
        let _ = writeln!(text, "User-agent: {agent}");
    }
    text.push_str("Disallow: /\n\nUser-agent: *\n");
    for path in [
        "config",
        "search",
        "account$",
        "account/",
        "commerce/",
        "api/",
        "static/",
    ] {
        let _ = writeln!(text, "Disallow: /{path}");
    }
    for key in ["author", "tag", "month", "view", "format", "page-context"] {
        let _ = write!(text, "Disallow: /*?{key}=*\nDisallow: /*&{key}=*\n");
    }
    let _ = writeln!(text, "\nSitemap: {}/sitemap.xml", site.origin());
}

fn shopify(text: &mut String, random: &mut Random, site: &Site) {
    let shop = 10_000_000 + random.below(80_000_000);
    text.push_str("# we use Shopify as our ecommerce platform\n\nUser-agent: *\n");
    for path in [
        "admin",
        "cart",
        "orders",
        "checkouts/",
        "checkout",
        "carts",
        "account",
    ] {
        let _ = writeln!(text, "Disallow: /{path}");
    }
    let _ = write!(
        text,
        "Disallow: /{shop}/checkouts\nDisallow: /{shop}/orders\n"
    );
    for list in ["collections", "blogs"] {
        for mark in ["*+*", "*%2B*", "*%2b*", "*sort_by*"] {
            let _ = write!(
                text,
                "Disallow: /{list}/{mark}\nDisallow: /*/{list}/{mark}\n"
            );
        }
    }
    text.push_str(
        "Disallow: */collections/*filter*&*filter*\nDisallow: /*?*oseid=*\nDisallow: /*preview_theme_id*\n\
         Disallow: /*preview_script_id*\nDisallow: /policies/\nDisallow: /*/*?*ls=*&ls=*\nDisallow: /search\n\
         Disallow: /recommendations/products\nDisallow: /*/recommendations/products\n",
    );
    let _ = writeln!(text, "Sitemap: {}/sitemap.xml", site.origin());
    text.push_str(
        "\n# Crawlers of ads are only kept from what is private\nUser-agent: adsbot-google\n",
    );
    for path in ["checkouts/", "checkout", "carts", "orders"] {
        let _ = writeln!(text, "Disallow: /{path}");
    }
    let _ = write!(
        text,
        "Disallow: /{shop}/checkouts\nDisallow: /{shop}/orders\n"
    );
    for agent in ["AhrefsBot", "AhrefsSiteAudit", "MJ12bot", "Pinterest"] {
        let _ = write!(text, "\nUser-agent: {agent}\nCrawl-delay: 10\n");
        if agent.starts_with("Ahrefs") {
            let _ = write!(
                text,
                "Disallow: /admin\nDisallow: /cart\nDisallow: /{shop}/orders\n"
            );
        }
    }
    if random.one_in(6) {
        text.push_str("\nUser-agent: *\n");
        some_rules(text, random, 10);
    }
}

fn drupal(text: &mut String, random: &mut Random, site: &Site) {
    text.push_str(
        "#\n# robots.txt\n#\n# This file is to prevent the crawling and indexing of certain parts of this site.\n\
         # It only takes effect at the root of the host.\n\nUser-agent: *\n",
    );
    for folder in ["core", "profiles"] {
        for extension in [
            "css$", "css?", "js$", "js?", "gif", "jpg", "jpeg", "png", "svg",
        ] {
            let _ = writeln!(text, "Allow: /{folder}/*.{extension}");
        }
    }
    text.push_str("# Folders\nDisallow: /core/\nDisallow: /profiles/\n# Files\n");
    for file in ["README.md", "composer/Metapackage/README.txt", "web.config"] {
        let _ = writeln!(text, "Disallow: /{file}");
    }
    text.push_str("# Paths, with and without rewriting\n");
    for start in ["/", "/index.php/"] {
        for path in [
            "admin/",
            "comment/reply/",
            "filter/tips",
            "node/add/",
            "search/",
            "user/register",
            "user/password",
            "user/login",
            "user/logout",
            "media/oembed",
            "*/media/oembed",
        ] {
            let _ = writeln!(text, "Disallow: {start}{path}");
        }
    }
    if random.one_in(3) {
        some_rules(text, random, 30);
    }
    if random.one_in(2) {
        let _ = writeln!(text, "Sitemap: {}/sitemap.xml", site.origin());
    }
}

fn cloudflare(text: &mut String, random: &mut Random, site: &Site) {
    let is_marked = random.one_in(3);
    if is_marked {
        text.push_str("# BEGIN Cloudflare Managed content\n\n");
    }
    text.push_str("User-agent: *\nContent-signal: search=yes,ai-train=no\nAllow: /\n");
    for agent in &AI_AGENTS[..9] {
        let _ = write!(text, "\nUser-agent: {agent}\nDisallow: /\n");
    }
    if is_marked {
        text.push_str("\n# END Cloudflare Managed Content\n");
        if random.one_in(2) {
            text.push_str("\nUser-agent: *\n");
            some_rules(text, random, 8);
        }
    }
    let _ = writeln!(text, "\nSitemap: {}/sitemap.xml", site.origin());
}

/// Writes the file of a site that writes its own, with one to some thousand rules.
fn own(text: &mut String, random: &mut Random, origin: &str) {
    // Numbers of rules: from the first power of two below one to the next.
    let bucket = choose(
        random,
        &[
            (520, 1),
            (440, 2),
            (460, 3),
            (330, 4),
            (184, 5),
            (140, 6),
            (72, 7),
            (26, 8),
            (9, 9),
            (5, 10),
            (2, 11),
            (1, 12),
        ],
    );
    let mut rules = (1 << bucket) - 1 + random.below(1 << bucket);
    if bucket > 2 {
        for _ in 0..random.below(4) {
            comment(text, random);
        }
        if random.below(10) < 3 {
            let most = rules.min(14);
            rules -= ai_groups(text, random, most);
        }
        if random.one_in(7) {
            let most = rules.min(40);
            rules -= bad_agents(text, random, most);
        }
    }
    // Many sites give several crawlers the same rules.
    let groups = match random.below(12) {
        0..3 if rules > 8 => 2 + random.below(3),
        _ => 1,
    };
    let mut list = String::new();
    rules_of_site(&mut list, random, rules / groups);
    for _ in 1..groups {
        let _ = write!(
            text,
            "User-agent: {}\n{list}\n",
            pick(random, &OTHER_AGENTS)
        );
    }
    text.push_str("User-agent: *\n");
    if random.one_in(4) {
        let _ = writeln!(text, "Crawl-delay: {}", pick(random, &[1, 2, 5, 10, 30]));
    }
    text.push_str(&list);
    if random.one_in(30) {
        let host = origin.split("://").nth(1).unwrap_or(origin);
        let _ = write!(text, "Host: {host}\nClean-param: ref&session /\n");
    }
    sitemaps(text, random, origin);
}

fn sitemaps(text: &mut String, random: &mut Random, origin: &str) {
    let count = match random.below(100) {
        0..45 => 0,
        45..90 => 1,
        90..99 => 2 + random.below(6),
        _ => 15 + random.below(50),
    };
    if count > 0 {
        text.push('\n');
    }
    let other = random.one_in(8);
    for nth in 0..count {
        let word = pages::word(random);
        let _ = match (other, nth) {
            (true, _) => writeln!(
                text,
                "Sitemap: https://cdn.{word}-files.com/sitemap-{nth}.xml"
            ),
            (false, 0) => writeln!(text, "Sitemap: {origin}/sitemap.xml"),
            (false, _) => writeln!(text, "Sitemap: {origin}/sitemap-{word}-{nth}.xml"),
        };
    }
}

fn comment(text: &mut String, random: &mut Random) {
    let (a, b, c) = (
        pages::word(random),
        pages::word(random),
        pages::word(random),
    );
    let _ = match random.below(3) {
        0 => writeln!(text, "# {a} {b} for every {c}"),
        1 => writeln!(text, "# ---------- {a} ----------"),
        _ => writeln!(text, "#Disallow: /{a}/{b}/"),
    };
}

/// Disallows everything for crawlers for training. Returns the number of rules.
fn ai_groups(text: &mut String, random: &mut Random, most: u64) -> u64 {
    let first = random.below(8) as usize;
    let count = 1 + random.below(most.min(12)) as usize;
    if random.one_in(4) {
        for agent in &AI_AGENTS[first..first + count] {
            let _ = writeln!(text, "User-agent: {agent}");
        }
        text.push_str("Disallow: /\n\n");
        return 1;
    }
    for agent in &AI_AGENTS[first..first + count] {
        let _ = write!(text, "User-agent: {agent}\nDisallow: /\n\n");
    }
    count as u64
}

/// Disallows everything, or sets a delay, for other crawlers. Returns the number of rules.
fn bad_agents(text: &mut String, random: &mut Random, most: u64) -> u64 {
    let first = random.below(OTHER_AGENTS.len() as u64 - most) as usize;
    let mut rules = 0;
    for agent in &OTHER_AGENTS[first..first + most as usize] {
        let _ = writeln!(text, "User-agent: {agent}");
        if random.one_in(6) {
            text.push_str("Crawl-delay: 10\n\n");
        } else {
            text.push_str("Disallow: /\n\n");
            rules += 1;
        }
    }
    rules
}

/// Adds a few rules of the site to a template.
fn some_rules(text: &mut String, random: &mut Random, most: u64) {
    let count = 1 + random.below(most);
    rules_of_site(text, random, count);
}

/// Writes rules whose paths are alike, as those of one site are.
fn rules_of_site(text: &mut String, random: &mut Random, count: u64) {
    let ends_in_star = count < 200 && random.one_in(5);
    let folders: Vec<String> = (0..=count / 6)
        .map(|_| match random.below(3) {
            0 => pages::common_word(random).to_owned(),
            _ => format!(
                "{}/{}",
                pages::common_word(random),
                pages::common_word(random)
            ),
        })
        .collect();
    for nth in 0..count {
        if nth % 24 == 23 {
            comment(text, random);
        }
        let directive = if random.one_in(13) {
            "Allow"
        } else {
            "Disallow"
        };
        let _ = write!(text, "{directive}: ");
        path(text, random, &folders);
        text.push_str(if ends_in_star { "*\n" } else { "\n" });
    }
}

fn path(text: &mut String, random: &mut Random, folders: &[String]) {
    let (a, b) = (pages::common_word(random), pages::common_word(random));
    let folder = &folders[random.below(folders.len() as u64) as usize];
    let _ = match random.below(100) {
        0..16 => write!(text, "/{a}/"),
        16..34 => write!(text, "/{folder}/{a}/"),
        34..46 => write!(text, "/{folder}/{a}-{b}/"),
        46..52 => write!(text, "/{a}.php"),
        52..64 => write!(text, "/{folder}/{b}.html"),
        64..77 => write!(text, "/{folder}/{a}/{b}"),
        77..82 => write!(text, "/*?{a}="),
        82..87 => write!(text, "/{folder}?{b}="),
        87..91 => write!(text, "/{folder}/{}", 1000 + random.below(90_000)),
        91..94 => write!(text, "*/{a}/"),
        94..96 => write!(
            text,
            "/*.{}$",
            pick(random, &["pdf", "doc", "xml", "gif", "php"])
        ),
        96 => write!(text, "/*/{a}/{b}"),
        97 => write!(text, "/{folder}/{a}%20{b}/"),
        98 if random.one_in(6) => write!(text, "/{folder}/{a}-é{b}"),
        _ => write!(text, "/{folder}_{b}.aspx"),
    };
}
