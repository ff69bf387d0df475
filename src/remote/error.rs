//! The kinds of errors of this package.

use crate::Scheme;
use errors::Kind;
use std::fmt;
use std::path::Path;

/// The kinds of errors of servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteErrorKind {
    /// The first answer of a server is that access is denied.
    AccessDenied {
        /// The protocol.
        scheme: Scheme,
    },
    /// A file has no certificates in PEM.
    NoCertificate,
    /// The store of an object cannot be created, because its URL or its settings are not valid.
    Store,
    /// The thread of the network cannot be started.
    NetworkStart,
    /// The program was built without the feature `remote`.
    NoRemote,
}

impl Kind for RemoteErrorKind {
    fn write_message(&self, path: &Path, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = path.display();
        match self {
            Self::AccessDenied { .. } => write!(f, "access to '{place}' is denied"),
            Self::NoCertificate => write!(f, "'{place}' has no certificate in PEM"),
            Self::Store => write!(f, "'{place}' cannot be requested"),
            Self::NetworkStart => f.write_str("the network cannot be used"),
            Self::NoRemote => f.write_str(
                "this program was built without the feature `remote`, so it cannot read URLs",
            ),
        }
    }

    fn is_before_start(&self) -> bool {
        !matches!(self, Self::AccessDenied { .. } | Self::Store)
    }
}
