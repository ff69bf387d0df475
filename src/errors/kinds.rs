//! The macro that declares the kinds of errors of a package.

use escapes::quote_for_shell;
use std::fmt;
use std::ops::Deref;
use std::path::Path;

/// The path that an error is about, in messages and hints.
#[derive(Clone, Copy, Debug)]
pub struct Place<'p>(pub &'p Path);

impl Place<'_> {
    /// Returns the path quoted for a shell.
    pub fn quoted(&self) -> String {
        quote_for_shell(&self.0.to_string_lossy())
    }
}

impl Deref for Place<'_> {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.display().fmt(f)
    }
}

/// Declares an enum of errors. A variant has its message, and may have a hint: advice of the command line, which only it
/// prints. The texts may use the fields of the variant and the [`Place`] of the error, under the name after `at`. A hint
/// in braces is an expression of the type `Option<String>`.
///
/// ```
/// errors::kinds! {
///     /// The kinds of errors of an output.
///     #[derive(Debug)]
///     pub enum OutputErrorKind at place {
///         /// The output exists.
///         Exists => "'{place}' exists";
///             -> "choose another -o";
///         /// The output is too small.
///         Small {
///             /// The size that is needed, in bytes.
///             least: u64,
///         } => "'{place}' needs {} KiB", least >> 10;
///         /// Another reason.
///         Other(why: String) => "{why}";
///     }
/// }
///
/// impl errors::Kind for OutputErrorKind {}
///
/// let error = errors::Error::new(OutputErrorKind::Exists, "out");
/// assert_eq!(error.to_string(), "'out' exists");
/// assert_eq!(error.hint().unwrap(), "choose another -o");
/// ```
#[macro_export]
macro_rules! kinds {
    (@hint) => {
        ::std::option::Option::None
    };
    (@hint { $hint:expr }) => {
        $hint
    };
    (@hint $hint:literal $(, $argument:expr)*) => {
        ::std::option::Option::Some(::std::format!($hint $(, $argument)*))
    };
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $name:ident at $place:ident {
            $(
                $(#[$doc:meta])*
                $variant:ident
                $({ $($(#[$field_doc:meta])* $field:ident: $kind:ty),* $(,)? })?
                $(($value:ident: $value_kind:ty))?
                => $message:literal $(, $argument:expr)*;
                $(-> $hint:literal $(, $hint_argument:expr)*;)?
                $(-> { $hint_of:expr };)?
            )*
        }
    ) => {
        $(#[$attribute])*
        $visibility enum $name {
            $(
                $(#[$doc])*
                $variant $({ $($(#[$field_doc])* $field: $kind,)* })? $(($value_kind))?,
            )*
        }

        impl $crate::Message for $name {
            fn write_message(
                &self,
                $place: $crate::Place<'_>,
                f: &mut ::std::fmt::Formatter<'_>,
            ) -> ::std::fmt::Result {
                match self {
                    $(
                        Self::$variant $({ $($field),* })? $(($value))? => {
                            $($(let _ = $field;)*)?
                            ::std::write!(f, $message $(, $argument)*)
                        }
                    )*
                }
            }

            fn hint(&self, $place: $crate::Place<'_>) -> ::std::option::Option<::std::string::String> {
                let _ = $place;
                match self {
                    $(
                        Self::$variant $({ $($field),* })? $(($value))? => {
                            $($(let _ = $field;)*)?
                            $(let _ = $value;)?
                            $crate::kinds!(@hint $($hint $(, $hint_argument)*)? $({ $hint_of })?)
                        }
                    )*
                }
            }
        }
    };
}

/// Declares an enum of reasons, as [`kinds!`](crate::kinds) does, that is shown within the messages of others.
#[macro_export]
macro_rules! reasons {
    ($(#[$attribute:meta])* $visibility:vis enum $name:ident at $place:ident { $($variants:tt)* }) => {
        $crate::kinds! { $(#[$attribute])* $visibility enum $name at $place { $($variants)* } }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let place = $crate::Place(::std::path::Path::new(""));
                $crate::Message::write_message(self, place, f)
            }
        }
    };
}
