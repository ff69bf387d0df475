//! The kinds of errors of this package.

use crate::Scheme;
use disk::error::Kind;
use std::fmt;
use std::path::Path;

/// The kinds of errors of servers, and of copies to them.
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
    /// The destination of a copy has an object that does not belong to the dataset.
    OtherObjectsThere {
        /// The path of the first such object, below the destination.
        path: String,
    },
    /// A file of a dataset has other bytes than were written.
    FileChanged {
        /// The XXH3-64 of the file, in hexadecimal.
        digest: String,
        /// The XXH3-64 of the bytes that were written, in hexadecimal.
        written: String,
    },
    /// A copy was interrupted.
    CopyInterrupted,
}

impl Kind for RemoteErrorKind {
    fn write_message(&self, path: &Path, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = path.display();
        match self {
            Self::AccessDenied { .. } => write!(f, "access to '{place}' is denied"),
            Self::NoCertificate => write!(f, "'{place}' has no certificate in PEM"),
            Self::Store => write!(f, "'{place}' cannot be requested"),
            Self::OtherObjectsThere { path } => write!(
                f,
                "'{place}' has other objects, such as '{path}', which are left unchanged"
            ),
            Self::FileChanged { digest, written } => write!(
                f,
                "'{place}' is damaged or changed: its XXH3-64 is {digest}, and was {written} when it was written"
            ),
            Self::CopyInterrupted => write!(f, "interrupted; '{place}' is not complete"),
            Self::NetworkStart => f.write_str("the network cannot be used"),
            Self::NoRemote => f.write_str(
                "this program was built without the feature `remote`, so it cannot read URLs",
            ),
        }
    }

    fn is_before_start(&self) -> bool {
        !matches!(
            self,
            Self::AccessDenied { .. }
                | Self::Store
                | Self::FileChanged { .. }
                | Self::CopyInterrupted
        )
    }

    fn is_interruption(&self) -> bool {
        *self == Self::CopyInterrupted
    }
}
