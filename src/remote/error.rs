//! The kinds of errors of this package.

use crate::Scheme;

errors::kinds! {
    /// The kinds of errors of servers.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum RemoteErrorKind at place {
        /// The first answer of a server is that access is denied.
        AccessDenied {
            /// The protocol.
            scheme: Scheme,
        } => "access to '{place}' is denied";
            -> { Some(access_hint(*scheme).to_owned()) };
        /// A file has no certificates in PEM.
        NoCertificate => "'{place}' has no certificate in PEM";
        /// The store of an object cannot be created, because its URL or its settings are not valid.
        Store => "'{place}' cannot be requested";
        /// The thread of the network cannot be started.
        NetworkStart => "the network cannot be used";
        /// The program was built without the feature `remote`.
        NoRemote => "this program was built without the feature `remote`, so it cannot read URLs";
            -> "download the archives, or build it with the default features";
    }
}

impl errors::Kind for RemoteErrorKind {
    fn is_before_start(&self) -> bool {
        !matches!(self, Self::AccessDenied { .. } | Self::Store)
    }
}

fn access_hint(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::S3 => {
            "give credentials (AWS_ACCESS_KEY_ID …; those of the AWS command line with eval \"$(aws \
             configure export-credentials --format env)\"), or --no-sign-request for a public \
             bucket; Common Crawl's needs an account, https://data.commoncrawl.org/ does not"
        }
        _ => "check the URL in a browser; it may need user information or a query",
    }
}
