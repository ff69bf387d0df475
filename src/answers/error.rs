//! The kinds of errors of this package.

use robots::MAX_FILE_LINES;

errors::kinds! {
    /// The kinds of errors of commands that answer questions.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum AnswerErrorKind at place {
        /// No crawler is given.
        NoCrawler => "no crawler is given";
            -> "name a crawler with --agent; '*' means every crawler that is not named";
        /// A robots.txt has more lines than are listed.
        TooManyLines => "the robots.txt in '{place}' has more than {},000 lines or anomalies, or lines of more than 64 MiB", MAX_FILE_LINES / 1000;
        /// A file is not a list of URLs. The text is the reason.
        NotAUrlList(why: String) => "'{place}' is not a URL list: {why}";
    }
}

impl errors::Kind for AnswerErrorKind {}
