//! Typed records of any source, one after the other.

use super::field::{Field, GroupKey, Record};
use super::sort_key::FieldReader;
use errors::Error;
use std::marker::PhantomData;

/// A source of records in order, as bytes.
pub trait RecordSource {
    /// Returns the current record; `None` at the end.
    fn peek(&self) -> Option<&[u8]>;

    /// Goes to the next record.
    ///
    /// # Errors
    ///
    /// Those of reading.
    fn advance(&mut self) -> Result<(), Error>;
}

impl<S: RecordSource + ?Sized> RecordSource for Box<S> {
    fn peek(&self) -> Option<&[u8]> {
        (**self).peek()
    }

    fn advance(&mut self) -> Result<(), Error> {
        (**self).advance()
    }
}

/// A stream of records of type `R`. A record that it returns is borrowed until the next call.
pub struct Stream<S, R> {
    source: S,
    /// True if the current record of the source was returned, so that the next call goes on to the next one.
    is_passed: bool,
    record: PhantomData<fn() -> R>,
}

impl<S: RecordSource, R: Record> Stream<S, R> {
    /// Creates a stream that begins at the current record of a source.
    pub fn new(source: S) -> Self {
        Self {
            source,
            is_passed: false,
            record: PhantomData,
        }
    }

    /// Returns the source.
    pub fn source(&self) -> &S {
        &self.source
    }

    /// Returns the next record without going on; `None` at the end.
    ///
    /// # Errors
    ///
    /// Those of reading, as in all methods.
    #[inline]
    pub fn peek(&mut self) -> Result<Option<R::Of<'_>>, Error> {
        Ok(self.peek_bytes()?.map(read::<R>))
    }

    /// Returns the next record; `None` at the end.
    #[inline]
    pub fn next_record(&mut self) -> Result<Option<R::Of<'_>>, Error> {
        Ok(self.next_bytes()?.map(read::<R>))
    }

    /// Returns the next record if it satisfies a condition.
    pub fn next_if(
        &mut self,
        is_wanted: impl FnOnce(R::Of<'_>) -> bool,
    ) -> Result<Option<R::Of<'_>>, Error> {
        self.settle()?;
        self.is_passed = self
            .source
            .peek()
            .is_some_and(|bytes| is_wanted(read::<R>(bytes)));
        Ok(self.source.peek().filter(|_| self.is_passed).map(read::<R>))
    }

    /// Returns true if there is no next record.
    pub fn is_at_end(&mut self) -> Result<bool, Error> {
        Ok(self.peek_bytes()?.is_none())
    }

    /// Like [`peek`](Self::peek), but returns the bytes of the record.
    #[inline]
    pub fn peek_bytes(&mut self) -> Result<Option<&[u8]>, Error> {
        self.settle()?;
        Ok(self.source.peek())
    }

    /// Like [`next_record`](Self::next_record), but returns the bytes of the record.
    #[inline]
    pub fn next_bytes(&mut self) -> Result<Option<&[u8]>, Error> {
        self.settle()?;
        let record = self.source.peek();
        self.is_passed = record.is_some();
        Ok(record)
    }

    #[inline]
    fn settle(&mut self) -> Result<(), Error> {
        if std::mem::take(&mut self.is_passed) {
            self.source.advance()?;
        }
        Ok(())
    }
}

impl<S: RecordSource, K: Record, V: Record> Stream<S, (K, V)> {
    /// Sets `key` to that of the next group, after the records of `key` that are left. Returns false at the end.
    pub fn next_group(&mut self, key: &mut GroupKey<K>) -> Result<bool, Error> {
        self.settle()?;
        while !key.bytes().is_empty()
            && self
                .source
                .peek()
                .is_some_and(|record| record.starts_with(key.bytes()))
        {
            self.source.advance()?;
        }
        let next = self.source.peek();
        next.into_iter().for_each(|record| key.set_from(record));
        Ok(next.is_some())
    }

    /// Returns the next record without its key, if it has this one.
    #[inline]
    pub fn next_of(&mut self, key: &GroupKey<K>) -> Result<Option<V::Of<'_>>, Error> {
        self.settle()?;
        let record = self.source.peek();
        let value = record.and_then(|record| record.strip_prefix(key.bytes()));
        self.is_passed = value.is_some();
        Ok(value.map(read::<V>))
    }

    /// Returns the next record without its key, if it has this one and satisfies a condition.
    #[inline]
    pub fn next_of_if(
        &mut self,
        key: &GroupKey<K>,
        is_wanted: impl FnOnce(V::Of<'_>) -> bool,
    ) -> Result<Option<V::Of<'_>>, Error> {
        self.settle()?;
        let record = self.source.peek();
        let value = record
            .and_then(|record| record.strip_prefix(key.bytes()))
            .map(read::<V>);
        let value = value.filter(|value| is_wanted(*value));
        self.is_passed = value.is_some();
        Ok(value)
    }

    /// Goes to the first record whose key is `key` or a later one.
    pub fn skip_to(&mut self, key: &GroupKey<K>) -> Result<(), Error> {
        self.settle()?;
        let key = key.bytes();
        // A key is not the beginning of another one, so a record that begins with these bytes has this key.
        while self
            .source
            .peek()
            .is_some_and(|record| record < key && !record.starts_with(key))
        {
            self.source.advance()?;
        }
        Ok(())
    }

    /// Goes to the first record whose key is `key` or a later one, and returns it if it has this key.
    pub fn find(&mut self, key: &GroupKey<K>) -> Result<Option<V::Of<'_>>, Error> {
        self.skip_to(key)?;
        self.next_of(key)
    }
}

/// Reads a record, or what follows its key.
#[inline]
pub fn read<R: Record>(bytes: &[u8]) -> R::Of<'_> {
    R::Of::read(&mut FieldReader::new(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records in memory.
    struct Records(Vec<Vec<u8>>, usize);

    impl RecordSource for Records {
        fn peek(&self) -> Option<&[u8]> {
            self.0.get(self.1).map(Vec::as_slice)
        }

        fn advance(&mut self) -> Result<(), Error> {
            self.1 += 1;
            Ok(())
        }
    }

    fn stream() -> Stream<Records, (u32, u8)> {
        let records = [(1u32, 10u8), (1, 11), (2, 20), (4, 40), (4, 41)];
        let bytes = records.map(|record| {
            let mut bytes = Vec::new();
            record.write(&mut bytes);
            bytes
        });
        Stream::new(Records(bytes.to_vec(), 0))
    }

    #[test]
    fn a_group_is_read_to_its_end_or_passed_over() {
        let (mut stream, mut key, mut found) = (stream(), GroupKey::default(), Vec::new());
        while stream.next_group(&mut key).unwrap() {
            found.push((key.get(), stream.next_of(&key).unwrap()));
        }
        assert_eq!(found, [(1, Some(10)), (2, Some(20)), (4, Some(40))]);
        assert!(stream.is_at_end().unwrap());
        assert_eq!(stream.next_record().unwrap(), None);
    }

    #[test]
    fn a_key_is_found_or_passed() {
        let mut stream = stream();
        assert_eq!(stream.find(&GroupKey::new(2)).unwrap(), Some(20));
        assert_eq!(stream.find(&GroupKey::new(3)).unwrap(), None);
        assert_eq!(stream.peek().unwrap(), Some((4, 40)));
        assert_eq!(
            stream
                .next_of_if(&GroupKey::new(4), |value| value > 40)
                .unwrap(),
            None
        );
        assert_eq!(
            stream.next_if(|(_, value)| value == 40).unwrap(),
            Some((4, 40))
        );
        assert_eq!(stream.next_of(&GroupKey::new(4)).unwrap(), Some(41));
        assert_eq!(stream.next_of(&GroupKey::new(4)).unwrap(), None);
    }
}
