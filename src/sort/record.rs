//! The macros that define structs of fields, and the codes of enums.

/// Defines a struct that is written as a field of a record: its fields one after the other, in this order. It may
/// borrow from the bytes of a record, with one lifetime.
///
/// ```
/// sort::record! {
///     /// A capture of a host.
///     pub struct Capture<'a> {
///         /// The number of its archive.
///         pub archive_no: i64,
///         pub digest: Option<&'a [u8]>,
///     }
/// }
/// ```
#[macro_export]
macro_rules! record {
    (
        $(#[$attribute:meta])* $visibility:vis struct $name:ident<$life:lifetime> {
            $($(#[$doc:meta])* $field_visibility:vis $field:ident: $kind:ty,)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $visibility struct $name<$life> {
            $($(#[$doc])* $field_visibility $field: $kind,)*
        }

        $crate::record!(@impl $life, $name<$life>, $name<'static>, $name, $($field: $kind,)*);
    };
    (
        $(#[$attribute:meta])* $visibility:vis struct $name:ident {
            $($(#[$doc:meta])* $field_visibility:vis $field:ident: $kind:ty,)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $visibility struct $name {
            $($(#[$doc])* $field_visibility $field: $kind,)*
        }

        $crate::record!(@impl 'a, $name, $name, $name, $($field: $kind,)*);
    };
    (@impl $life:lifetime, $kind:ty, $static:ty, $record:ident, $($field:ident: $field_kind:ty,)*) => {
        impl<$life> $crate::Field<$life> for $kind {
            #[inline]
            fn write(self, out: &mut Vec<u8>) {
                $($crate::Field::write(self.$field, out);)*
            }

            #[inline]
            fn read(fields: &mut $crate::sort_key::FieldReader<$life>) -> Self {
                // A copy stays in registers.
                let mut rest = *fields;
                let record = Self {
                    $($field: <$field_kind as $crate::Field<$life>>::read(&mut rest),)*
                };
                *fields = rest;
                record
            }
        }

        $crate::record!(@record $life, $static, $record, $kind);
    };
    (@record $life:lifetime, $static:ty, $record:ident, $kind:ty) => {
        impl $crate::Record for $static {
            type Of<$life> = $kind;
        }
    };
}

/// Implements [`Field`](crate::Field) for an enum: a variant is written as its place in this list, from 0.
#[macro_export]
macro_rules! codes {
    ($name:ident: $($variant:ident),* $(,)?) => {
        impl<'a> $crate::Field<'a> for $name {
            fn write(self, out: &mut Vec<u8>) {
                out.push(self as u8);
            }

            fn read(fields: &mut $crate::sort_key::FieldReader<'a>) -> Self {
                [$(Self::$variant),*][usize::from(fields.u8())]
            }
        }

        impl $crate::Record for $name {
            type Of<'a> = Self;
        }

        // The list has every variant, or the match is not complete, and in the order of the enum.
        const _: () = {
            let _: fn($name) = |variant| match variant {
                $($name::$variant => {})*
            };
            let (codes, mut i) = ([$($name::$variant as usize),*], 0);
            while i < codes.len() {
                assert!(codes[i] == i, "the list has the order of the enum");
                i += 1;
            }
        };
    };
}

/// Implements [`Field`](crate::Field) for a type that is written as another one, by two functions that convert them.
#[macro_export]
macro_rules! written_as {
    ($name:ident as $other:ty: $to:expr, $from:expr) => {
        impl<'a> $crate::Field<'a> for $name {
            #[inline]
            fn write(self, out: &mut Vec<u8>) {
                let to: fn(Self) -> $other = $to;
                $crate::Field::write(to(self), out);
            }

            #[inline]
            fn read(fields: &mut $crate::sort_key::FieldReader<'a>) -> Self {
                let from: fn($other) -> Self = $from;
                from($crate::Field::read(fields))
            }
        }

        impl $crate::Record for $name {
            type Of<'a> = Self;
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::sort_key::FieldReader;
    use crate::{Field, Record};

    record! {
        /// A record that borrows.
        struct Named<'a> {
            number: i64,
            kind: Kind,
            name: &'a str,
        }
    }

    record! {
        struct Place {
            offset: i64,
        }
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Kind {
        First,
        Second,
    }

    codes! { Kind: First, Second }

    #[test]
    fn structs_and_enums_are_read_as_they_were_written() {
        type Pair = (Named<'static>, Place);
        let name = String::from("a");
        for kind in [Kind::First, Kind::Second] {
            let named = Named {
                number: -7,
                kind,
                name: &name,
            };
            let mut out = Vec::new();
            (named, Place { offset: 3 }).write(&mut out);
            let read = <Pair as Record>::Of::read(&mut FieldReader::new(&out));
            assert_eq!(read, (named, Place { offset: 3 }));
        }
    }
}
