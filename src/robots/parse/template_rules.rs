//! Templates that are recognized by their rules.
//!
//! Most generators write no comment, but rules that nobody else combines. A [`Signature`] is such
//! a combination; it holds in all known versions of what the generator writes, and allows for
//! rules that the site adds. If a generator writes only common rules, the file must contain
//! them and no others.
//!
//! The parser looks up every rule, so that must be cheap: only the length and the beginning of a
//! rule are looked up ([`may_be_marker`]). If they are those of a *marker*, which is the first
//! rule of a signature, the marker is compared, and the signature becomes a candidate. The other
//! rules of the candidates are searched once, at the end of the file. The rules of WordPress are
//! so frequent that no search is made for them: both of them are markers.

use super::template::Template;
use crate::document::{Directive, DirectiveKind, DocumentData};

/// The number of lines in which the rules of a signature are searched. All generators write
/// fewer; the limit bounds the work for hostile files.
const MAX_SEARCHED_LINES: usize = 16_384;

/// The path that WordPress disallows.
const WP_ADMIN: &[u8] = b"/wp-admin/";

/// The path that WordPress allows.
const WP_ADMIN_AJAX: &[u8] = b"/wp-admin/admin-ajax.php";

/// A combination of rules by which a template is recognized.
#[derive(Debug)]
struct Signature {
    template: Template,
    /// The whole name of a user-agent line that the file must have, in lower case, or `None`.
    agent: Option<&'static [u8]>,
    rules: &'static [SignatureRule],
}

/// A rule of a signature.
#[derive(Clone, Copy, Debug)]
struct SignatureRule {
    kind: DirectiveKind,
    path: &'static [u8],
}

const fn allow(path: &'static str) -> SignatureRule {
    SignatureRule {
        kind: DirectiveKind::Allow,
        path: path.as_bytes(),
    }
}

const fn disallow(path: &'static str) -> SignatureRule {
    SignatureRule {
        kind: DirectiveKind::Disallow,
        path: path.as_bytes(),
    }
}

/// Returns signatures from lines with a template, an agent in parentheses if the file must name it, and
/// rules.
macro_rules! signatures {
    ($($template:ident $(($agent:literal))?: $($kind:ident $path:literal),+;)*) => {
        &[$(Signature {
            template: Template::$template,
            agent: signatures!(@agent $($agent)?),
            rules: &[$($kind($path)),+],
        }),*]
    };
    (@agent) => { None };
    (@agent $agent:literal) => { Some($agent) };
}

/// Signatures of files that may have further rules. The first rule is the marker: choose a path
/// that is rare elsewhere. If several signatures match, the first one counts.
const SIGNATURES: &[Signature] = signatures! {
    Soft112: disallow "/top-downloads-by-week", disallow "/modal-download.html";
    Wikimedia: allow "/api/rest_v1/?doc", disallow "/api/", disallow "/trap/";
    Zendesk:
        disallow "/hc/change_language/", disallow "/hc/*/signin",
        disallow "/access/unauthenticated";
    Stackexchange: disallow "/*/ivc/*", disallow "/users/flair/", disallow "/users/login/";
    Substack:
        disallow "/channel-frame", disallow "/action/", disallow "/publish", disallow "/sign-in";
    Tumblr: disallow "/sticky-ad-iframe.html", disallow "/random", disallow "/day";
    Medium: disallow "/@me$", disallow "/@me/", disallow "/me/", disallow "/m/";
    Civicplus: disallow "/CurrentEventsView.aspx", disallow "/activedit", disallow "/OJA";
    Govoffice: disallow "/*GUESTBOOK*", disallow "/*Design*", disallow "/manager/";
    Drupal: disallow "/filter/tips/", disallow "/node/add/", disallow "/comment/reply/";
    Drupal: disallow "/filter/tips", disallow "/node/add/", disallow "/comment/reply/";
    Joomla:
        disallow "/installation/", disallow "/administrator/", disallow "/language/",
        disallow "/libraries/";
    Hubspot: disallow "/_hcms/preview/", disallow "/hs/manage-preferences/";
    Intercom: disallow "/[helpCenterIdentifier]/", disallow "/not-authorized";
    Discourse: disallow "/assets/browser-update*.js", disallow "/session";
    Teamtailor:
        disallow "/facebook/tab/", disallow "/messenger/", disallow "/messages/", disallow "/app/";
    Ghost: disallow "/members/api/comments/counts/", disallow "/ghost/";
    Mastodon: disallow "/media_proxy/", disallow "/interact/";
    Contao: disallow "/_contao/", disallow "/contao/";
    Contao: disallow "/contao/", disallow "/system/", disallow "/templates/";
    Dotnetnuke:
        disallow "/DesktopModules/", disallow "/App_GlobalResources/", disallow "/Providers/";
    Dedecms: disallow "/plus/advancedsearch.php", disallow "/plus/ad_js.php";
    Libguides: disallow "/friendly.php", disallow "/srch.php", disallow "/er.php";
    Freshdesk: allow "/helpdesk/attachments", disallow "/helpdesk/", disallow "/support/tickets/";
    Gitbook: disallow "/~gitbook/";
    Readme: disallow "/suggested-edits/", disallow "/edit/", disallow "/login", disallow "/logout";
    Successfactors: disallow "/talentcommunity/", disallow "/applybutton/", disallow "/preapply/";
    Phenom: disallow "*/lifeatphenom", disallow "*/jobcart";
    Unbounce: disallow "*/clkn/*", disallow "*/clkg/*";
    Yourmembership: disallow "/global_engine/ajax/", disallow "/global_inc/";
    Weebly (b"nerdybot"): disallow "/apps/", disallow "/ajax/";
    // Pages of advertisements on domains without content.
    ParkedDomain: disallow "/search_caf.php", disallow "/secondary_feed/";
    Bigcommerce:
        disallow "/productupdates.php", disallow "/finishorder.php", disallow "/orderstatus.php";
    Gitlab: disallow "/autocomplete/projects", disallow "/autocomplete/users";
};

/// Signatures of files that have exactly these rules and whose only user-agent lines are `*` and
/// the agent of the signature, if it has one. Each has at most [`MAX_WHOLE_FILE_RULES`] rules.
const WHOLE_FILE_SIGNATURES: &[Signature] = signatures! {
    Blogger (b"mediapartners-google"): disallow "", disallow "/search", allow "/";
    Blogger (b"mediapartners-google"):
        disallow "", disallow "/search", disallow "/share-widget", allow "/";
    // WordPress before version 4.4.
    Wordpress: disallow "/wp-admin/", disallow "/wp-includes/";
    Sharepoint: disallow "/_layouts/", disallow "/_vti_bin/", disallow "/_catalogs/";
    // Ghost before version 5.
    Ghost: disallow "/ghost/", disallow "/p/";
    Ghost: disallow "/ghost/", disallow "/p/", disallow "/email/";
    Ghost: disallow "/ghost/", disallow "/p/", disallow "/email/", disallow "/r/";
};

/// The largest number of rules of one of [`WHOLE_FILE_SIGNATURES`].
const MAX_WHOLE_FILE_RULES: u32 = 4;

/// For each of [`WHOLE_FILE_SIGNATURES`], the total length of its paths in bytes, modulo 64: a set
/// with one bit per value.
const WHOLE_FILE_LENGTH_BITS: u64 = {
    let mut lengths = 0;
    let mut i = 0;
    while i < WHOLE_FILE_SIGNATURES.len() {
        let rules = WHOLE_FILE_SIGNATURES[i].rules;
        assert!(rules.len() >= 2 && rules.len() <= MAX_WHOLE_FILE_RULES as usize);
        let mut len = 0;
        let mut rule = 0;
        while rule < rules.len() {
            len += rules[rule].path.len();
            rule += 1;
        }
        lengths |= 1 << (len % 64);
        i += 1;
    }
    lengths
};

/// How much of a file its template is known to have written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// The site may have added rules.
    Unknown,
    WholeFile,
}

/// The markers found so far in a file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SeenMarkers {
    disallows_wp_admin: bool,
    allows_admin_ajax: bool,
    /// The signatures whose markers occur, one bit per index in [`SIGNATURES`].
    candidates: u64,
}

impl SeenMarkers {
    /// Adds a rule for which [`may_be_marker`] returned true.
    #[cold]
    pub(super) fn add(&mut self, kind: DirectiveKind, path: &[u8]) {
        if path == WP_ADMIN {
            self.disallows_wp_admin |= kind == DirectiveKind::Disallow;
        } else if path == WP_ADMIN_AJAX {
            self.allows_admin_ajax |= kind == DirectiveKind::Allow;
        } else {
            for (i, signature) in SIGNATURES.iter().enumerate() {
                let marker = signature.rules[0];
                let is_marker = marker.path == path && marker.kind == kind;
                self.candidates |= u64::from(is_marker) << i;
            }
        }
    }

    /// Returns the template of a file that has been read completely, and how much of it the
    /// template is known to have written.
    pub(super) fn find_template(
        &self,
        document: &DocumentData,
        body: &[u8],
    ) -> Option<(Template, Extent)> {
        if self.disallows_wp_admin && self.allows_admin_ajax {
            return Some((Template::Wordpress, Extent::Unknown));
        }
        let file = SearchedFile { document, body };
        if self.candidates != 0
            && let Some(template) = file.match_candidates(self.candidates)
        {
            return Some((template, Extent::Unknown));
        }
        match document.summary.n_allow + document.summary.n_disallow {
            n_rules @ 2..=MAX_WHOLE_FILE_RULES => file.match_whole_file(n_rules as usize),
            _ => None,
        }
    }
}

/// For each length of a path modulo 64, the hashes of the markers of that length, one bit per hash.
static MARKER_HASH_BITS: [u64; 64] = {
    let mut markers = [0; 64];
    let mut i = 0;
    while i < SIGNATURES.len() {
        markers = insert_marker(markers, SIGNATURES[i].rules[0].path);
        i += 1;
    }
    assert!(i <= u64::BITS as usize, "each has a bit in a `u64`");
    insert_marker(insert_marker(markers, WP_ADMIN), WP_ADMIN_AJAX)
};

/// Returns `markers` with the bit of one more marker.
const fn insert_marker(mut markers: [u64; 64], path: &[u8]) -> [u64; 64] {
    let Some(begin) = path.first_chunk() else {
        panic!("a marker has five bytes or more");
    };
    markers[path.len() % 64] |= 1 << hash_beginning(begin);
    markers
}

/// Returns true for every path of a marker, and for few other paths.
#[inline(always)]
pub(super) fn may_be_marker(path: &[u8]) -> bool {
    path.first_chunk()
        .is_some_and(|begin| MARKER_HASH_BITS[path.len() % 64] >> hash_beginning(begin) & 1 != 0)
}

/// Returns a hash below 64 of the beginning of a path. The first byte is not hashed, because it is
/// nearly always `/`.
const fn hash_beginning(begin: &[u8; 5]) -> u32 {
    let word = u32::from_le_bytes([begin[1], begin[2], begin[3], begin[4]]);
    word.wrapping_mul(0x9e37_79b1) >> 26
}

/// A file in which the rules of signatures are searched.
#[derive(Clone, Copy)]
struct SearchedFile<'a> {
    document: &'a DocumentData,
    body: &'a [u8],
}

impl<'a> SearchedFile<'a> {
    /// Returns the template of the first of the candidate signatures that matches.
    fn match_candidates(self, candidates: u64) -> Option<Template> {
        let is_candidate = |(i, _): &(usize, &Signature)| candidates >> i & 1 != 0;
        let mut signatures = SIGNATURES.iter().enumerate().filter(is_candidate);
        let found = signatures.find(|(_, signature)| self.matches_signature(signature));
        found.map(|(_, signature)| signature.template)
    }

    /// Returns the template of a file that has exactly the rules of one of
    /// [`WHOLE_FILE_SIGNATURES`], or of WordPress in a folder.
    fn match_whole_file(self, n_rules: usize) -> Option<(Template, Extent)> {
        let directives = self.document.directives.iter();
        let rules = directives.filter(|line| is_rule(line.kind));
        let path_bytes: usize = rules.map(|line| line.value.len()).sum();
        if WHOLE_FILE_LENGTH_BITS >> (path_bytes % 64) & 1 != 0 {
            let mut signatures = WHOLE_FILE_SIGNATURES.iter();
            let n_agents = self.document.summary.n_user_agents;
            let is_match = |signature: &&Signature| {
                signature.rules.len() == n_rules
                    && n_agents == 1 + u32::from(signature.agent.is_some())
                    && self.matches_signature(signature)
            };
            if let Some(signature) = signatures.find(is_match) {
                return Some((signature.template, Extent::WholeFile));
            }
        }
        let may_be_wordpress = n_rules == 2 && path_bytes > WP_ADMIN.len() + WP_ADMIN_AJAX.len();
        (may_be_wordpress && self.is_wordpress_in_folder())
            .then_some((Template::Wordpress, Extent::Unknown))
    }

    /// Returns true if the file has the rules and the agent of a signature.
    fn matches_signature(self, signature: &Signature) -> bool {
        let has_rule = |rule: &SignatureRule| {
            self.lines_of_kind(rule.kind)
                .any(|line| self.document.text(self.body, line.value) == rule.path)
        };
        let has_agent = |name: &[u8]| {
            self.lines_of_kind(DirectiveKind::UserAgent)
                .any(|line| self.document.text(self.body, line.name) == name)
        };
        signature.rules.iter().all(has_rule) && signature.agent.is_none_or(has_agent)
    }

    /// Returns true if the two rules of a file are those of WordPress below the same folder, such
    /// as `/blog/wp-admin/`.
    fn is_wordpress_in_folder(self) -> bool {
        let path = |kind| {
            let line = self.lines_of_kind(kind).next()?;
            Some(self.document.text(self.body, line.value))
        };
        let folder = path(DirectiveKind::Allow).and_then(|path| path.strip_suffix(WP_ADMIN_AJAX));
        let admin = path(DirectiveKind::Disallow).and_then(|path| path.strip_suffix(WP_ADMIN));
        folder.is_some() && folder == admin
    }

    /// Returns the directives of a kind among the first [`MAX_SEARCHED_LINES`].
    fn lines_of_kind(self, kind: DirectiveKind) -> impl Iterator<Item = &'a Directive> {
        let lines = self.document.directives.iter().take(MAX_SEARCHED_LINES);
        lines.filter(move |line| line.kind == kind)
    }
}

fn is_rule(kind: DirectiveKind) -> bool {
    matches!(kind, DirectiveKind::Allow | DirectiveKind::Disallow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parser;

    fn recognize_template(body: &str) -> Option<&'static str> {
        let mut parser = Parser::new();
        let template = parser.parse(body.as_bytes()).summary().template;
        template.map(Template::name)
    }

    /// Writes the rules of a signature, and a group of its agent.
    fn write_file(signature: &Signature) -> String {
        let mut body = String::new();
        if let Some(agent) = signature.agent {
            let agent = std::str::from_utf8(agent).unwrap();
            body = format!("User-agent: {agent}\nCrawl-delay: 1\n\n");
        }
        body.push_str("User-agent: *\n");
        for rule in signature.rules {
            let key = match rule.kind {
                DirectiveKind::Allow => "Allow",
                _ => "Disallow",
            };
            let path = std::str::from_utf8(rule.path).unwrap();
            body.push_str(&format!("{key}: {path}\n"));
        }
        body
    }

    /// Returns the rules of a signature as lines of its file.
    fn rule_lines(body: &str) -> Vec<&str> {
        let rules = body.lines().skip_while(|line| *line != "User-agent: *");
        rules.skip(1).collect()
    }

    #[test]
    fn every_signature_needs_all_its_rules_as_they_are() {
        for signature in SIGNATURES.iter().chain(WHOLE_FILE_SIGNATURES) {
            let name = Some(signature.template.name());
            let body = write_file(signature);
            assert_eq!(recognize_template(&body), name, "{body}");
            for line in rule_lines(&body) {
                let other_kind = match line.strip_prefix("Disallow") {
                    Some(path) => format!("Allow{path}"),
                    None => line.replace("Allow", "Disallow"),
                };
                for other in ["", &format!("{line}x"), &other_kind] {
                    let changed = body.replace(&format!("{line}\n"), &format!("{other}\n"));
                    // Two files of a generator may differ by this rule.
                    let is_signature = WHOLE_FILE_SIGNATURES.iter().any(|whole| {
                        let lines = write_file(whole);
                        rule_lines(&lines) == rule_lines(&changed.replace("\n\n", "\n"))
                    });
                    if !is_signature {
                        assert_ne!(
                            recognize_template(&changed),
                            name,
                            "{line:?}, {other:?}: {body}"
                        );
                    }
                }
            }
            if let Some(agent) = signature.agent {
                let other = body.replace(std::str::from_utf8(agent).unwrap(), "otherbot");
                assert_eq!(recognize_template(&other), None, "{other}");
            }
        }
    }

    /// Returns the first and the last line that the vendor of a template wrote.
    fn vendor_lines(body: &str) -> Option<(u32, u32)> {
        let mut parser = Parser::new();
        let lines = parser.parse(body.as_bytes()).summary().vendor_lines;
        lines.map(|lines| (lines.first, lines.last))
    }

    #[test]
    fn the_lines_of_a_vendor_are_a_closed_block_or_a_whole_file() {
        for signature in WHOLE_FILE_SIGNATURES {
            let body = write_file(signature);
            let n_lines = body.lines().count() as u32 + 1;
            assert_eq!(vendor_lines(&body), Some((1, n_lines)), "{body}");
        }
        for signature in SIGNATURES {
            assert_eq!(vendor_lines(&write_file(signature)), None);
        }
        let begin = "# BEGIN Cloudflare Managed content\n";
        let end = "# END Cloudflare Managed Content\n";
        let rules = "User-agent: GPTBot\nDisallow: /\n";
        let block = format!("{begin}{rules}{end}");
        assert_eq!(vendor_lines(&block), Some((1, 4)));
        let own = format!("{rules}\n{block}{rules}");
        assert_eq!(vendor_lines(&own), Some((4, 7)));
        // The comment that ends a block without a beginning means nothing.
        assert_eq!(vendor_lines(&format!("{end}{block}{end}")), Some((2, 5)));
        let several = [format!("{block}{block}"), format!("{begin}{block}")];
        let others = [
            format!("{begin}{rules}"),
            format!("{end}{rules}"),
            rules.to_owned(),
        ];
        for body in several.iter().chain(&others) {
            assert_eq!(vendor_lines(body), None, "{body}");
        }
        let wordpress = "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n";
        assert_eq!(vendor_lines(wordpress), None);
    }

    #[test]
    fn further_rules_count_only_where_the_whole_file_is_compared() {
        let further = "Disallow: /of-the-site/\nAllow: /of-the-site/a\n";
        for signature in SIGNATURES {
            let body = write_file(signature) + further;
            assert_eq!(
                recognize_template(&body),
                Some(signature.template.name()),
                "{body}"
            );
        }
        for signature in WHOLE_FILE_SIGNATURES {
            let body = write_file(signature) + further;
            assert_eq!(recognize_template(&body), None, "{body}");
        }
    }

    #[test]
    fn order_groups_case_of_keys_and_line_ends_do_not_matter() {
        let body = "user-agent: a\r\ndisallow: /hs/manage-preferences/\r\nuser-agent: b\r\n\
                    DISALLOW : /_hcms/preview/ # comment\r\n";
        assert_eq!(recognize_template(body), Some("hubspot"));
        assert_eq!(recognize_template(&body.replace('\n', "")), Some("hubspot"));
    }

    #[test]
    fn wordpress_is_recognized_in_a_folder_and_before_version_4_4() {
        let folder = "User-agent: *\nDisallow: /wp/wp-admin/\n\
                      Allow: /wp/wp-admin/admin-ajax.php\n\nSitemap: https://h/wp-sitemap.xml\n";
        assert_eq!(recognize_template(folder), Some("wordpress"));
        let deeper = folder.replace("/wp/", "/a/b/");
        assert_eq!(recognize_template(&deeper), Some("wordpress"));
        let two_folders = folder.replace("Disallow: /wp", "Disallow: /blog");
        assert_eq!(recognize_template(&two_folders), None);
        let with_others = format!("{folder}Disallow: /search\n");
        assert_eq!(recognize_template(&with_others), None);
        let old = "User-agent: *\nDisallow: /wp-admin/\nDisallow: /wp-includes/\n";
        assert_eq!(recognize_template(old), Some("wordpress"));
        assert_eq!(
            recognize_template(&format!("{old}Disallow: /wp-content/\n")),
            None
        );
        assert_eq!(
            recognize_template("User-agent: *\nDisallow: /wp-admin/\n"),
            None
        );
    }

    #[test]
    fn blogger_is_recognized_by_its_whole_file() {
        let blog = "User-agent: Mediapartners-Google\nDisallow:\n\nUser-agent: *\n\
                    Disallow: /search\nAllow: /\n\nSitemap: https://h/sitemap.xml\n";
        assert_eq!(recognize_template(blog), Some("blogger"));
        let newer = blog.replace("Allow", "Disallow: /share-widget\nAllow");
        assert_eq!(recognize_template(&newer), Some("blogger"));
        let custom = blog.replace("Allow: /", "Disallow: /");
        assert_eq!(recognize_template(&custom), None);
        let more_agents = blog.replace("\nDisallow:\n", "\nUser-agent: Bingbot\nDisallow:\n");
        assert_eq!(recognize_template(&more_agents), None);
        let portal = blog.replace("/search", "/search\nDisallow: /user/");
        assert_eq!(recognize_template(&portal), None);
    }

    #[test]
    fn a_comment_counts_more_than_rules() {
        let hubspot = "Disallow: /_hcms/preview/\nDisallow: /hs/manage-preferences/\n";
        let body = format!("# START YOAST BLOCK\nUser-agent: *\n{hubspot}");
        assert_eq!(recognize_template(&body), Some("yoast"));
    }

    #[test]
    fn the_first_signature_counts() {
        let both = "User-agent: *\nDisallow: /interact/\nDisallow: /media_proxy/\n\
                    Disallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n";
        assert_eq!(recognize_template(both), Some("wordpress"));
    }

    #[test]
    fn only_the_first_lines_are_searched() {
        let rules = "Disallow: /~gitbook/\n";
        let before = "Disallow: /a\n".repeat(MAX_SEARCHED_LINES - 2);
        let last = format!("User-agent: *\n{before}{rules}");
        assert_eq!(recognize_template(&last), Some("gitbook"));
        let beyond = format!("User-agent: *\nDisallow: /a\n{before}{rules}");
        assert_eq!(recognize_template(&beyond), None);
    }
}
