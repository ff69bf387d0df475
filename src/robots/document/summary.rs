//! Counts and flags of a whole file.

use crate::parse::template::Template;

/// Counts and flags of a whole file. Lines that do not [count](crate::Directive::counts) are
/// included.
#[derive(Clone, Copy, Debug)]
pub struct Summary {
    /// The number of lines, including an empty last line.
    pub n_lines: u32,
    /// The number of groups according to Google's parser.
    pub n_groups: u32,
    /// The number of user-agent lines, including misspelled ones.
    pub n_user_agents: u32,
    /// The number of allow lines, including those before the first group.
    pub n_allow: u32,
    /// The number of disallow lines, including those before the first group.
    pub n_disallow: u32,
    /// The number of sitemap lines, including misspelled ones.
    pub n_sitemaps: u32,
    /// The number of lines that contain only a comment.
    pub n_comment_lines: u32,
    /// The number of blank lines, including an empty last line.
    pub n_blank_lines: u32,
    /// The number of lines with a key other than user-agent, allow, disallow and sitemap
    /// ([`DirectiveKind::Other`](crate::DirectiveKind::Other)).
    pub n_directives: u32,
    /// The length of the longest line, in bytes.
    pub max_line_bytes: u32,
    /// True if the body begins with a complete UTF-8 byte order mark.
    pub has_bom: bool,
    /// True if the body is valid UTF-8.
    pub is_valid_utf8: bool,
    /// The line ending of all lines, or [`LineEndings::Mixed`] if they differ.
    pub line_endings: LineEndings,
    /// The class of the content, determined from the body alone.
    pub content: ContentClass,
    /// The software or service that generated the file, if it is recognized.
    pub template: Option<Template>,
    /// The lines that the vendor of the template wrote, if their extent is known: a block between
    /// the comments of Cloudflare, or the whole file if nobody else has exactly its rules. `None`
    /// also if a file has several such blocks, or one without an end.
    pub vendor_lines: Option<LineRange>,
}

/// Lines that follow one another, by their numbers from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRange {
    /// The number of the first line.
    pub first: u32,
    /// The number of the last line.
    pub last: u32,
}

impl Default for Summary {
    fn default() -> Self {
        Self {
            n_lines: 0,
            n_groups: 0,
            n_user_agents: 0,
            n_allow: 0,
            n_disallow: 0,
            n_sitemaps: 0,
            n_comment_lines: 0,
            n_blank_lines: 0,
            n_directives: 0,
            max_line_bytes: 0,
            has_bom: false,
            is_valid_utf8: true,
            line_endings: LineEndings::None,
            content: ContentClass::Empty,
            template: None,
            vendor_lines: None,
        }
    }
}

/// The kind of line ends in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEndings {
    /// There is a single line, without a line end.
    None,
    /// All lines end with LF.
    Lf,
    /// All lines end with CRLF.
    CrLf,
    /// All lines end with CR.
    Cr,
    /// The lines end in different ways.
    Mixed,
}

impl LineEndings {
    /// Returns the name that the tables store.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lf => "lf",
            Self::CrLf => "crlf",
            Self::Cr => "cr",
            Self::Mixed => "mixed",
        }
    }
}

/// The class of the content of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentClass {
    /// The body has allow or disallow lines.
    Rules,
    /// The body has text but no rules.
    NoRules,
    /// The body has only comments and blank lines.
    CommentsOnly,
    /// The body is empty or has only blanks.
    Empty,
    /// The body is an HTML page, with or without lines that can be read as rules.
    Html,
    /// The body is not text.
    Binary,
}

impl ContentClass {
    /// All classes, in the order of their declaration.
    pub const ALL: [Self; 6] = [
        Self::Rules,
        Self::NoRules,
        Self::CommentsOnly,
        Self::Empty,
        Self::Html,
        Self::Binary,
    ];

    /// Returns the name that the tables store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::NoRules => "no_rules",
            Self::CommentsOnly => "comments_only",
            Self::Empty => "empty",
            Self::Html => "html",
            Self::Binary => "binary",
        }
    }

    /// Returns true if the body is an HTML page or not text, so that its lines are not meant as
    /// directives.
    pub fn is_page_or_binary(self) -> bool {
        matches!(self, Self::Html | Self::Binary)
    }
}
