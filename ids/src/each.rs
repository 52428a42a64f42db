//! A sequence in the formats of serde whose elements are taken one by one, without a list of them.

use core::fmt;
use core::marker::PhantomData;

use serde_core::de::{Deserialize, DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};

/// Passes each element of a sequence on; the first that is refused ends it.
pub(crate) struct Each<X, V> {
    pass: V,
    element: PhantomData<fn(X)>,
}

impl<X, D: fmt::Display, V: FnMut(X) -> Result<(), D>> Each<X, V> {
    pub(crate) fn new(pass: V) -> Self {
        Self { pass, element: PhantomData }
    }
}

impl<'de, X: Deserialize<'de>, D: fmt::Display, V: FnMut(X) -> Result<(), D>> DeserializeSeed<'de>
    for Each<X, V>
{
    type Value = ();

    fn deserialize<F: Deserializer<'de>>(self, deserializer: F) -> Result<(), F::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, X: Deserialize<'de>, D: fmt::Display, V: FnMut(X) -> Result<(), D>> Visitor<'de>
    for Each<X, V>
{
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<Q: SeqAccess<'de>>(mut self, mut elements: Q) -> Result<(), Q::Error> {
        while let Some(element) = elements.next_element()? {
            (self.pass)(element).map_err(Q::Error::custom)?;
        }
        Ok(())
    }
}
