//! Templates: software and services that generate robots.txt files.
//!
//! A file is attributed to a template by a comment that its generator writes and people rarely
//! write themselves, or otherwise by its rules (`template_rules.rs`). If a generator changes its
//! comment or rules, add the new ones and keep the old ones.

/// The software or service that generated a file.
///
/// If the comments of a file belong to several templates, the first one in this order is reported.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Template {
    /// Cloudflare's managed robots.txt, from `BEGIN Cloudflare Managed content` on.
    CloudflareManaged,
    /// Yoast SEO for WordPress.
    Yoast,
    /// Plain WordPress, recognized by its rules. Rank Math, All in One SEO and others write no
    /// comment.
    Wordpress,
    /// Shopify, a shop platform.
    Shopify,
    /// Wix, a website builder.
    Wix,
    /// Squarespace, a website builder.
    Squarespace,
    /// Drupal, a content management system.
    Drupal,
    /// Joomla, a content management system.
    Joomla,
    /// Magento, software for shops.
    Magento,
    /// PrestaShop, software for shops.
    Prestashop,
    /// Blogger, the blog host of Google.
    Blogger,
    /// TYPO3, a content management system.
    Typo3,
    /// Weebly, a website builder.
    Weebly,
    /// Parked domains that show advertisements.
    ParkedDomain,
    /// Soft112, a directory of software.
    Soft112,
    /// The wikis of the Wikimedia Foundation.
    Wikimedia,
    /// Help centers of Zendesk.
    Zendesk,
    /// The sites of the Stack Exchange network.
    Stackexchange,
    /// Newsletters of Substack.
    Substack,
    /// Blogs of Tumblr.
    Tumblr,
    /// Publications of Medium.
    Medium,
    /// CivicPlus, for municipalities.
    Civicplus,
    /// GovOffice, for municipalities.
    Govoffice,
    /// HubSpot, a host of marketing sites.
    Hubspot,
    /// Communities of Salesforce.
    Salesforce,
    /// Help centers of Intercom.
    Intercom,
    /// Discourse, software for forums.
    Discourse,
    /// Career sites of Teamtailor.
    Teamtailor,
    /// Ghost, software for blogs and newsletters.
    Ghost,
    /// Mastodon, a server of social networks.
    Mastodon,
    /// Contao, a content management system.
    Contao,
    /// DotNetNuke (DNN), a content management system.
    Dotnetnuke,
    /// SharePoint, an intranet and document server of Microsoft.
    Sharepoint,
    /// DedeCMS, a Chinese content management system.
    Dedecms,
    /// LibGuides of Springshare.
    Libguides,
    /// Help centers of Freshdesk.
    Freshdesk,
    /// GitBook, a host of documentation.
    Gitbook,
    /// Documentation of ReadMe.
    Readme,
    /// Career sites of SAP SuccessFactors.
    Successfactors,
    /// Career sites of Phenom.
    Phenom,
    /// Landing pages of Unbounce.
    Unbounce,
    /// YourMembership, for associations.
    Yourmembership,
    /// BigCommerce, a shop platform.
    Bigcommerce,
    /// GitLab, a host of Git repositories.
    Gitlab,
    /// Flywheel, a host of WordPress.
    Flywheel,
    /// The control panel Hestia.
    Hestiacp,
    /// The control panel Vesta.
    Vestacp,
    /// SEOmatic for Craft CMS.
    Seomatic,
    /// Umbraco, a content management system.
    Umbraco,
    /// Invision Community, software for forums.
    InvisionCommunity,
    /// DSpace, software for repositories of publications.
    Dspace,
    /// Short links of Bitly.
    Bitly,
}

impl Template {
    /// All templates.
    pub const ALL: &[Self] = &[
        Self::CloudflareManaged,
        Self::Yoast,
        Self::Wordpress,
        Self::Shopify,
        Self::Wix,
        Self::Squarespace,
        Self::Drupal,
        Self::Joomla,
        Self::Magento,
        Self::Prestashop,
        Self::Blogger,
        Self::Typo3,
        Self::Weebly,
        Self::ParkedDomain,
        Self::Soft112,
        Self::Wikimedia,
        Self::Zendesk,
        Self::Stackexchange,
        Self::Substack,
        Self::Tumblr,
        Self::Medium,
        Self::Civicplus,
        Self::Govoffice,
        Self::Hubspot,
        Self::Salesforce,
        Self::Intercom,
        Self::Discourse,
        Self::Teamtailor,
        Self::Ghost,
        Self::Mastodon,
        Self::Contao,
        Self::Dotnetnuke,
        Self::Sharepoint,
        Self::Dedecms,
        Self::Libguides,
        Self::Freshdesk,
        Self::Gitbook,
        Self::Readme,
        Self::Successfactors,
        Self::Phenom,
        Self::Unbounce,
        Self::Yourmembership,
        Self::Bigcommerce,
        Self::Gitlab,
        Self::Flywheel,
        Self::Hestiacp,
        Self::Vestacp,
        Self::Seomatic,
        Self::Umbraco,
        Self::InvisionCommunity,
        Self::Dspace,
        Self::Bitly,
    ];

    /// Returns the name that the tables store.
    pub fn name(self) -> &'static str {
        match self {
            Self::CloudflareManaged => "cloudflare_managed",
            Self::Yoast => "yoast",
            Self::Wordpress => "wordpress",
            Self::Shopify => "shopify",
            Self::Wix => "wix",
            Self::Squarespace => "squarespace",
            Self::Drupal => "drupal",
            Self::Joomla => "joomla",
            Self::Magento => "magento",
            Self::Prestashop => "prestashop",
            Self::Blogger => "blogger",
            Self::Typo3 => "typo3",
            Self::Weebly => "weebly",
            Self::ParkedDomain => "parked_domain",
            Self::Soft112 => "soft112",
            Self::Wikimedia => "wikimedia",
            Self::Zendesk => "zendesk",
            Self::Stackexchange => "stackexchange",
            Self::Substack => "substack",
            Self::Tumblr => "tumblr",
            Self::Medium => "medium",
            Self::Civicplus => "civicplus",
            Self::Govoffice => "govoffice",
            Self::Hubspot => "hubspot",
            Self::Salesforce => "salesforce",
            Self::Intercom => "intercom",
            Self::Discourse => "discourse",
            Self::Teamtailor => "teamtailor",
            Self::Ghost => "ghost",
            Self::Mastodon => "mastodon",
            Self::Contao => "contao",
            Self::Dotnetnuke => "dotnetnuke",
            Self::Sharepoint => "sharepoint",
            Self::Dedecms => "dedecms",
            Self::Libguides => "libguides",
            Self::Freshdesk => "freshdesk",
            Self::Gitbook => "gitbook",
            Self::Readme => "readme",
            Self::Successfactors => "successfactors",
            Self::Phenom => "phenom",
            Self::Unbounce => "unbounce",
            Self::Yourmembership => "yourmembership",
            Self::Bigcommerce => "bigcommerce",
            Self::Gitlab => "gitlab",
            Self::Flywheel => "flywheel",
            Self::Hestiacp => "hestiacp",
            Self::Vestacp => "vestacp",
            Self::Seomatic => "seomatic",
            Self::Umbraco => "umbraco",
            Self::InvisionCommunity => "invision_community",
            Self::Dspace => "dspace",
            Self::Bitly => "bitly",
        }
    }
}

/// The beginnings of the comments that generators write, in lower case, without `#` and blanks.
const COMMENT_PREFIXES: &[(&[u8], Template)] = &[
    (
        b"begin cloudflare managed content",
        Template::CloudflareManaged,
    ),
    (b"start yoast block", Template::Yoast),
    (
        b"this robots.txt file was created by yoast",
        Template::Yoast,
    ),
    (
        b"we use shopify as our ecommerce platform",
        Template::Shopify,
    ),
    (b"optimization for google ads bot", Template::Wix),
    (b"squarespace robots txt", Template::Squarespace),
    (
        b"this file is to prevent the crawling and indexing of certain parts",
        Template::Drupal,
    ),
    (
        b"if the joomla site is installed within a folder",
        Template::Joomla,
    ),
    (b"if the joomla site is installed", Template::Joomla),
    (b"magento", Template::Magento),
    (b"google image crawler setup", Template::Magento),
    (
        b"robots.txt automaticaly generated by prestashop",
        Template::Prestashop,
    ),
    (
        b"robots.txt automatically generated by prestashop",
        Template::Prestashop,
    ),
    (b"robots.txt for typo3", Template::Typo3),
    (
        b"default robots.txt for sfdc communities sites",
        Template::Salesforce,
    ),
    (b"default flywheel robots file", Template::Flywheel),
    (b"hestiacp autogenerated robots.txt", Template::Hestiacp),
    (b"vestacp autogenerated robots.txt", Template::Vestacp),
    (
        b"live - don't allow web crawlers to index cpresources/",
        Template::Seomatic,
    ),
    (
        b"default - don't allow web crawlers to index cpresources/",
        Template::Seomatic,
    ),
    (b"robots.txt for umbraco", Template::Umbraco),
    (
        b"rules for invision community (https://invisioncommunity.com)",
        Template::InvisionCommunity,
    ),
    (b"the url to the dspace sitemaps", Template::Dspace),
    (b"welcome to bitly =)", Template::Bitly),
];

/// For each first letter of [`COMMENT_PREFIXES`], the second letters that follow it, one bit per
/// letter. Nearly all other comments begin with another pair of letters.
static SECOND_LETTERS: [u32; 26] = {
    let mut second_letters = [0; 26];
    let mut i = 0;
    while i < COMMENT_PREFIXES.len() {
        let (Some(first), Some(second)) = (
            letter_index(COMMENT_PREFIXES[i].0[0]),
            letter_index(COMMENT_PREFIXES[i].0[1]),
        ) else {
            panic!("a comment begins with two letters");
        };
        second_letters[first] |= 1 << second;
        i += 1;
    }
    second_letters
};

/// Returns the position of a lower-case letter in the alphabet, from 0.
const fn letter_index(byte: u8) -> Option<usize> {
    match byte {
        b'a'..=b'z' => Some((byte - b'a') as usize),
        _ => None,
    }
}

/// Returns the template whose generator writes this comment. `text` is the comment after its `#`.
pub(crate) fn find_comment_template(text: &[u8]) -> Option<Template> {
    let text = trim_comment_decoration(text);
    let begin: [u8; 2] = text.first_chunk()?.map(|byte| byte.to_ascii_lowercase());
    if SECOND_LETTERS[letter_index(begin[0])?] >> letter_index(begin[1])? & 1 == 0 {
        return None;
    }
    COMMENT_PREFIXES
        .iter()
        .find(|(comment, _)| comment.starts_with(&begin) && starts_with_ignore_case(text, comment))
        .map(|&(_, template)| template)
}

/// Returns true if a comment ends Cloudflare's managed block.
pub(crate) fn is_managed_block_end(text: &[u8]) -> bool {
    starts_with_ignore_case(
        trim_comment_decoration(text),
        b"end cloudflare managed content",
    )
}

/// Returns a comment without the punctuation and blanks before its first word.
fn trim_comment_decoration(text: &[u8]) -> &[u8] {
    let begin = text
        .iter()
        .position(|&byte| !matches!(byte, b'#' | b'-' | b'=' | b'*' | b' ' | b'\t'));
    &text[begin.unwrap_or(text.len())..]
}

/// Returns true if `text` begins with `prefix`, ignoring case.
pub(crate) fn starts_with_ignore_case(text: &[u8], prefix: &[u8]) -> bool {
    text.len() >= prefix.len() && text[..prefix.len()].eq_ignore_ascii_case(prefix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_of_templates_are_recognized_in_any_case_and_decoration() {
        assert_eq!(
            find_comment_template(b" BEGIN Cloudflare Managed content"),
            Some(Template::CloudflareManaged)
        );
        assert_eq!(
            find_comment_template(b"BEGIN Cloudflare Managed Content"),
            Some(Template::CloudflareManaged)
        );
        assert_eq!(
            find_comment_template(b" START YOAST BLOCK"),
            Some(Template::Yoast)
        );
        assert_eq!(
            find_comment_template(b" Welcome to Bitly =)"),
            Some(Template::Bitly)
        );
        assert_eq!(find_comment_template(b" Welcome to Bitly"), None);
        assert_eq!(find_comment_template(b" We welcome all crawlers"), None);
        assert_eq!(find_comment_template(b" b"), None);
        assert_eq!(find_comment_template(b" hello"), None);
        assert_eq!(find_comment_template(b""), None);
        assert!(is_managed_block_end(b" END Cloudflare Managed Content"));
    }

    #[test]
    fn every_comment_is_recognized_and_no_shorter_one() {
        for &(comment, template) in COMMENT_PREFIXES {
            assert_eq!(find_comment_template(comment), Some(template));
            let upper = [b"# ", &comment.to_ascii_uppercase()[..], b" (and more)"].concat();
            assert_eq!(find_comment_template(&upper), Some(template));
            let shorter = find_comment_template(&comment[..comment.len() - 1]);
            let is_other = COMMENT_PREFIXES
                .iter()
                .any(|&(other, _)| other != comment && comment.starts_with(other));
            assert_eq!(shorter.is_some(), is_other);
        }
    }

    #[test]
    fn names_of_templates_are_unique() {
        let names: std::collections::BTreeSet<&str> = Template::ALL
            .iter()
            .map(|template| template.name())
            .collect();
        assert_eq!(names.len(), Template::ALL.len());
        let is_at = |(i, &template)| template as usize == i;
        assert!(Template::ALL.iter().enumerate().all(is_at));
    }
}
