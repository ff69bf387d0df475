//! The robots.txt files of the hosts in the two sample crawls.
//!
//! All are written for this project. The templates of vendors are imitations: only their marker
//! lines are those that the vendors publish.

/// The most common form of a block, and the one most often misread: a later group of several names.
pub(crate) const NEWS: &str = "\
# News, all the day
User-agent: *
Disallow: /account/
Disallow: /search?
Allow: /search/about

User-agent: GPTBot
User-agent: CCBot
User-agent: ClaudeBot
User-agent: Google-Extended
User-agent: PerplexityBot
Disallow: /

Sitemap: https://www.news.example/sitemap-news.xml
Sitemap: https://www.news.example/sitemap.xml
";

pub(crate) const NEWS_LATER: &str = "\
# News, all the day
User-agent: *
Disallow: /account/
Disallow: /search?
Allow: /search/about

User-agent: GPTBot
User-agent: CCBot
User-agent: ClaudeBot
User-agent: Google-Extended
User-agent: PerplexityBot
User-agent: Bytespider
User-agent: meta-externalagent
User-agent: Applebot-Extended
Disallow: /

Sitemap: https://www.news.example/sitemap-news.xml
Sitemap: https://www.news.example/sitemap.xml
";

pub(crate) const TIMES: &str = "\
User-agent: *\r
Disallow: /print/\r
\r
User-agent: GPTBot\r
Disallow: /\r
\r
User-agent: ChatGPT-User\r
Disallow: /\r
\r
User-agent: CCBot\r
Disallow: /\r
\r
User-agent: anthropic-ai\r
Disallow: /\r
\r
User-agent: Claude-Web\r
Disallow: /\r
";

/// The block has been removed, as after a licence agreement.
pub(crate) const TIMES_LATER: &str = "\
User-agent: *\r
Disallow: /print/\r
\r
User-agent: GPTBot\r
User-agent: ChatGPT-User\r
User-agent: OAI-SearchBot\r
Allow: /\r
Disallow: /print/\r
\r
User-agent: CCBot\r
Disallow: /\r
";

pub(crate) const DAILY: &str = "\
User-agent: GPTBot
Disallow: /

User-agent: CCBot
Disallow: /

User-agent: *
Disallow: /admin/
Crawl-delay: 5
";

pub(crate) const DAILY_LATER: &str = "\
User-agent: GPTBot
Disallow: /archive/
Allow: /archive/free/

User-agent: CCBot
Disallow: /

User-agent: *
Disallow: /admin/
Crawl-delay: 5
";

pub(crate) const TABLOID: &str = "\
user-agent: ccbot
user-agent: gptbot
user-agent: bytespider
disallow: /

user-agent: *
allow: /
";

pub(crate) const CLOUDFLARE: &str = "\
# As a condition of accessing this website, you agree to abide by the
# following content signals:
# (a) yes: you may collect content for the use named.
# (b) no: you may not collect content for the use named.

# BEGIN Cloudflare Managed content

User-agent: *
Content-Signal: search=yes,ai-train=no
Allow: /

User-agent: Amazonbot
Disallow: /

User-agent: Applebot-Extended
Disallow: /

User-agent: Bytespider
Disallow: /

User-agent: CCBot
Disallow: /

User-agent: ClaudeBot
Disallow: /

User-agent: Google-Extended
Disallow: /

User-agent: GPTBot
Disallow: /

User-agent: meta-externalagent
Disallow: /

# END Cloudflare Managed Content
";

/// The managed block of 2026, with another name and `use=`.
pub(crate) const CLOUDFLARE_2026: &str = "\
# As a condition of accessing this website, you agree to abide by the
# following content signals:
# (a) yes: you may collect content for the use named.
# (b) no: you may not collect content for the use named.

# BEGIN Cloudflare Managed content

User-agent: *
Content-Signal: search=yes,ai-train=no,use=reference
Allow: /

User-agent: Amazonbot
Disallow: /

User-agent: Applebot-Extended
Disallow: /

User-agent: Bytespider
Disallow: /

User-agent: CCBot
Disallow: /

User-agent: ClaudeBot
Disallow: /

User-agent: CloudflareBrowserRenderingCrawler
Disallow: /

User-agent: Google-Extended
Disallow: /

User-agent: GPTBot
Disallow: /

User-agent: meta-externalagent
Disallow: /

# END Cloudflare Managed Content
";

/// The part below the managed block, written by the host itself.
pub(crate) const OWN_PART: &str = "
User-agent: *
Disallow: /cgi-bin/
Disallow: /members/

User-agent: AhrefsBot
Disallow: /
";

pub(crate) const WORDPRESS: &str = "\
User-agent: *
Disallow: /wp-admin/
Allow: /wp-admin/admin-ajax.php

Sitemap: https://HOST/wp-sitemap.xml
";

pub(crate) const YOAST: &str = "\
# START YOAST BLOCK
# ---------------------------
User-agent: *
Disallow:

Sitemap: https://HOST/sitemap_index.xml
# ---------------------------
# END YOAST BLOCK
";

pub(crate) const YOAST_LATER: &str = "\
# START YOAST BLOCK
# ---------------------------
User-agent: *
Disallow: /wp-json/
Disallow: /?rest_route=

User-agent: GPTBot
Disallow: /

User-agent: CCBot
Disallow: /

User-agent: Google-Extended
Disallow: /

Sitemap: https://HOST/sitemap_index.xml
Schemamap: https://HOST/schemamap.xml
# ---------------------------
# END YOAST BLOCK
";

pub(crate) const SHOPIFY: &str = "\
# we use Shopify as our ecommerce platform

User-agent: *
Disallow: /a/downloads/-/*
Disallow: /admin
Disallow: /cart
Disallow: /orders
Disallow: /checkouts/
Disallow: /*/checkouts
Disallow: /carts
Disallow: /account
Disallow: /collections/*sort_by*
Disallow: /*/collections/*sort_by*
Disallow: /*?*oseid=*
Disallow: /search
Disallow: /policies/
Sitemap: https://HOST/sitemap.xml

# Google adsbot ignores robots.txt unless specifically named!
User-agent: adsbot-google
Disallow: /checkouts/
Disallow: /orders

User-agent: Nutch
Disallow: /

User-agent: AhrefsBot
Crawl-delay: 10
Disallow: /cart
Disallow: /orders

User-agent: MJ12bot
Crawl-Delay: 10

User-agent: Pinterest
Crawl-delay: 1
";

pub(crate) const WIX: &str = "\
User-agent: *
Allow: /

# Optimization for Google Ads Bot
User-agent: AdsBot-Google-Mobile
User-agent: AdsBot-Google
Disallow: /_api/*
Disallow: /_partials*
Disallow: /pro-gallery-webapp/v1/galleries/*

# Block PetalBot
User-agent: PetalBot
Disallow: /

# Crawl delay for overly enthusiastic bots
User-agent: dotbot
Crawl-delay: 10
User-agent: AhrefsBot
Crawl-delay: 10

Sitemap: https://HOST/sitemap.xml
";

pub(crate) const SQUARESPACE: &str = "\
# Squarespace Robots Txt

User-agent: *
Disallow: /config
Disallow: /search
Disallow: /account$
Disallow: /account/
Disallow: /commerce/digital-download/
Disallow: /api/
Allow: /api/ui-extensions/
Disallow: /*?author=*
Disallow: /*&author=*
Disallow: /*?format=json

Sitemap: https://HOST/sitemap.xml
";

pub(crate) const SQUARESPACE_NO_AI: &str = "\
# Squarespace Robots Txt

User-agent: GPTBot
User-agent: ChatGPT-User
User-agent: CCBot
User-agent: anthropic-ai
User-agent: Google-Extended
User-agent: FacebookBot
User-agent: Claude-Web
User-agent: cohere-ai
User-agent: PerplexityBot
User-agent: Applebot-Extended
Disallow: /

User-agent: *
Disallow: /config
Disallow: /search
Disallow: /account$
Disallow: /account/
Disallow: /commerce/digital-download/
Disallow: /api/
Allow: /api/ui-extensions/
Disallow: /*?author=*
Disallow: /*&author=*
Disallow: /*?format=json

Sitemap: https://HOST/sitemap.xml
";

pub(crate) const SIGNALS: &str = "\
User-Agent: *
Content-Signal: search=yes, ai-input=no, ai-train=no
Allow: /
Disallow: /drafts/
";

pub(crate) const SIGNALS_LATER: &str = "\
User-Agent: *
Content-Signal: search=yes, ai-input=yes, ai-train=no, use=immediate
Allow: /
Disallow: /drafts/
";

pub(crate) const SIGNALS_ODD: &str = "\
Content-Signals: search=yes
User-agent: *
Content-Signal: ai-train=maybe, ai-input
Content-Signal: AI-Train=No; search = yes
Content-signal: use=full, colour=blue
Content-Signal:
Disallow: /tmp/
";

pub(crate) const USAGE: &str = "\
User-Agent: *
Allow: /
Content-Usage: train-ai=n
Content-Usage: /open/ train-ai=y
Content-Usage: /open/poems/ train-ai=n, search=y
";

pub(crate) const USAGE_OLD: &str = "\
User-agent: *
Disallow:
Content-Usage: ai=n
Content-Usage: /news/ ai=n,  search=y
";

pub(crate) const LICENCE: &str = "\
License: https://licences.example/rsl/press.xml
License: https://licence.example/own terms.xml

User-agent: *
Disallow: /paid/

User-agent: GPTBot
Disallow: /
";

pub(crate) const NO_TRAINING: &str = "\
User-agent: *
DisallowAITraining: /
AllowAITraining: /press/
Disallow: /intern/
";

pub(crate) const SITEMAPS: &str = "\
Sitemap: https://sitemaps.example/sitemap.xml
Sitemap: /relative/sitemap.xml
sitemap: sitemap-without-slash.xml
Sitemap: https://www.sitemaps.example/same-domain.xml
Sitemap: https://cdn.example.net/foreign.xml
Sitemap: http://sitemaps.example/plain.xml#top
Site-map: https://sitemaps.example/misspelt.xml
Sitemap https://sitemaps.example/no-colon.xml
Sitemap:
User-agent: *
Disallow:
";

pub(crate) const SLOW: &str = "\
User-agent: *
Crawl-delay: 10
Disallow: /cgi-bin/

User-agent: bingbot
Crawl-delay: 0.5

User-agent: Yandex
Crawl-delay: 2,5

User-agent: Slurp
Crawl-delay: soon

User-agent: SemrushBot
Crawl-delay: 86400
Crawl-delay: 1
";

pub(crate) const MIRROR: &str = "\
User-agent: Yandex
Disallow: /search
Clean-param: sid&sort /forum/
Clean-param: utm_source&utm_medium
Clean-param: a b c
Host: https://mirror.example:8443

User-agent: *
Disallow: /search
Noindex: /old/
Nofollow: /links/
";

pub(crate) const RATES: &str = "\
User-agent: SeznamBot
Request-rate: 1/10s 1800-1900
Visit-time: 0200-0630
Robot-version: 2.0
Comment: Please come at night.
Disallow: /archiv/

User-agent: *
Request-rate: 100/24h
Revisit-after: 7 days
Disallow:
";

pub(crate) const PARKED: &str = "\
User-agent: *
Allow: /

LLM-Policy: /llms.txt
";

pub(crate) const WALLED: &str = "\
User-agent: Googlebot
Disallow:

User-agent: *
Disallow: /
";

pub(crate) const WALLED_WIDE: &str = "\
User-agent: Googlebot
User-agent: bingbot
User-agent: DuckDuckBot
Allow: /
Disallow: /internal/

User-agent: *
Disallow: /
";

pub(crate) const INVITE: &str = "\
# Come in, all of you.
User-agent: GPTBot
User-agent: ClaudeBot
User-agent: PerplexityBot
User-agent: CCBot
Allow: /

User-agent: *
Disallow: /private/
";

pub(crate) const SELECTIVE: &str = "\
# Search and people's questions: yes. Training: no.
User-agent: GPTBot
User-agent: ClaudeBot
User-agent: CCBot
User-agent: Google-Extended
User-agent: Applebot-Extended
User-agent: meta-externalagent
Disallow: /

User-agent: OAI-SearchBot
User-agent: ChatGPT-User
User-agent: Claude-SearchBot
User-agent: Claude-User
User-agent: PerplexityBot
Allow: /

User-agent: *
Allow: /
Disallow: /cms/
";

pub(crate) const SELECTIVE_SIGNALS: &str = "\
User-agent: *
Content-Signal: search=yes, ai-train=no
Allow: /

User-agent: GPTBot
Content-Signal: search=no, ai-train=no
Disallow: /

User-agent: OAI-SearchBot
Allow: /
";

pub(crate) const CONTRADICTION: &str = "\
User-agent: *
Content-Signal: search=yes, ai-train=yes
Allow: /

User-agent: GPTBot
Disallow: /
";

pub(crate) const CONTRADICTION_REVERSE: &str = "\
User-agent: *
Content-Signal: search=yes, ai-train=no
Allow: /

User-agent: GPTBot
Allow: /
";

pub(crate) const CLOSED: &str = "User-agent: *\nDisallow: /\n";
pub(crate) const OPEN: &str = "User-agent: *\nDisallow:\n";
pub(crate) const OPEN_ALLOW: &str = "User-agent: *\nAllow: /\n";

/// Only the start page is allowed: `partial`, not `disallow_all`.
pub(crate) const FRONT_PAGE: &str = "User-agent: *\nDisallow: /\nAllow: /$\n";

/// The disallow rules cover everything that `Allow` permits: `disallow_all`.
pub(crate) const CLOSED_BY_PARTS: &str = "\
User-agent: *
Disallow: /
Allow: /a
Disallow: /a*
";

pub(crate) const DIGITS: &str = "\
User-agent: MJ12bot
Disallow: /

User-agent: AI2Bot
Disallow: /

User-agent: 360Spider
Disallow: /

User-agent: img2dataset
Disallow: /

User-agent: *
Disallow: /tmp/
";

pub(crate) const VERSIONS: &str = "\
User-agent: GPTBot/1.2
Disallow: /

User-agent: Mozilla/5.0 (compatible; CCBot/2.0; https://example.org/bot)
Disallow: /

User-agent: ClaudeBot; version 1
Disallow: /

User-agent: BLEXBot*
Disallow: /
";

pub(crate) const SPACES: &str = "\
User-agent: Sogou web spider
Disallow: /

User-agent: Kangaroo Bot
Disallow: /

User-agent: Mail.Ru
Disallow: /

User-agent: * # everybody
Disallow: /bin/
";

pub(crate) const FALLBACKS: &str = "\
User-agent: Googlebot
Disallow: /private/

User-agent: Googlebot-News
Disallow: /

User-agent: *
Disallow: /
";

pub(crate) const ADS: &str = "\
User-agent: *
Disallow: /

User-agent: AdsBot-Google-Mobile
Disallow: /landing/
";

pub(crate) const TYPOS: &str = "\
Useragent: GPTBot
Dissallow: /

User agent: CCBot
Disalow: /

User-agnet: ClaudeBot
Disallows: /

User-agent *
Disallow /intern
Alow: /intern/press
noindex: /a
";

pub(crate) const BEFORE: &str = "\
Disallow: /secret/
Allow: /secret/open
Crawl-delay: 3
User-agent: *
Disallow: /other/
";

pub(crate) const DELAY_BETWEEN: &str = "\
User-agent: Slurp
Crawl-delay: 2
User-agent: GPTBot
Sitemap: https://between.example/sitemap.xml
User-agent: CCBot

Disallow: /

User-agent: *

Disallow: /x

Disallow: /y
";

pub(crate) const PATHS: &str = "\
User-agent: *
Disallow: /wp-admin/
Disallow: /cgi-bin/
Disallow: /*.pdf$
Disallow: /*?session=
Disallow: */feed/
Disallow: login.php
Disallow: https://paths.example/full/
Disallow: /a /b
Disallow: /caf\u{e9}/
Disallow: /caf%c3%a9/%7ejoe
Disallow: /**
Allow: /**
Disallow: /price$list
Allow: /public/index.html
Disallow: /same
Allow: /same
";

pub(crate) const SEO: &str = "\
User-agent: AhrefsBot
User-agent: SemrushBot
User-agent: MJ12bot
User-agent: DotBot
User-agent: BLEXBot
Disallow: /

User-agent: *
Disallow: /wp-admin/
";

/// Two groups of one name, a group without rules, and a group that names a crawler twice.
pub(crate) const MERGED: &str = "\
User-agent: GPTBot
Disallow: /a/

User-agent: *
Disallow: /b/

User-agent: gptbot
Disallow: /c/
Allow: /

User-agent: *
Disallow: /d/

User-agent: CCBot
";

pub(crate) const COMMENTS: &str = "\
# robots.txt
#
# Nothing is asked of anybody.
";

pub(crate) const HTML: &str = "\
<!DOCTYPE html>
<html><head><title>Welcome</title></head>
<body><h1>Welcome</h1><p>User-agent: everyone.</p></body></html>
";

pub(crate) const NOT_FOUND: &str = "\
<html><head><title>404 Not Found</title></head>
<body><center><h1>404 Not Found</h1></center></body></html>
";

pub(crate) const CHALLENGE: &str = "\
<!DOCTYPE html><html lang=\"en\"><head><title>Just a moment...</title>
<meta name=\"robots\" content=\"noindex,nofollow\"></head>
<body><noscript>Enable JavaScript and cookies to continue</noscript></body></html>
";

pub(crate) const DENIED: &str = "\
<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY><H1>Access Denied</H1>
You don't have permission to access this server.</BODY></HTML>
";

pub(crate) const MOVED: &str = "\
<html><head><title>301 Moved Permanently</title></head><body></body></html>
";
