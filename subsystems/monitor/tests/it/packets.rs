//! A reader of protocol buffers that knows wire types alone: fields by number, in their order.

/// A field's value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Field {
    Number(u64),
    Double(f64),
    /// A text or a message.
    Bytes(Vec<u8>),
}

impl Field {
    /// Reads the message that it is.
    pub(crate) fn into_message(self) -> Message {
        match self {
            Self::Bytes(bytes) => Message::read(&bytes),
            other => panic!("{other:?} is no message"),
        }
    }
}

/// The fields of a message.
#[derive(Clone, Debug)]
pub(crate) struct Message(pub(crate) Vec<(u32, Field)>);

impl Message {
    /// Reads a message, which must be nothing else to its last byte.
    pub(crate) fn read(mut bytes: &[u8]) -> Self {
        let mut fields = Vec::new();
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            let value = match key & 7 {
                0 => Field::Number(varint(&mut bytes)),
                1 => {
                    let (value, rest) = bytes.split_at(8);
                    bytes = rest;
                    Field::Double(f64::from_le_bytes(value.try_into().expect("there are 8")))
                }
                2 => {
                    let len = varint(&mut bytes) as usize;
                    assert!(
                        len <= bytes.len(),
                        "a field of {len} bytes, of which {} are there",
                        bytes.len()
                    );
                    let (value, rest) = bytes.split_at(len);
                    bytes = rest;
                    Field::Bytes(value.to_vec())
                }
                wire => panic!("wire type {wire}"),
            };
            fields.push(((key >> 3) as u32, value));
        }
        Self(fields)
    }

    pub(crate) fn field(&self, number: u32) -> Option<&Field> {
        self.0.iter().find(|(found, _)| *found == number).map(|(_, field)| field)
    }

    pub(crate) fn number(&self, number: u32) -> Option<u64> {
        match self.field(number)? {
            Field::Number(value) => Some(*value),
            other => panic!("field {number} is {other:?} and no number"),
        }
    }

    pub(crate) fn double(&self, number: u32) -> Option<f64> {
        match self.field(number)? {
            Field::Double(value) => Some(*value),
            other => panic!("field {number} is {other:?} and no double"),
        }
    }

    pub(crate) fn message(&self, number: u32) -> Option<Self> {
        match self.field(number)? {
            Field::Bytes(bytes) => Some(Self::read(bytes)),
            other => panic!("field {number} is {other:?} and no message"),
        }
    }

    pub(crate) fn text(&self, number: u32) -> Option<String> {
        match self.field(number)? {
            Field::Bytes(bytes) => Some(String::from_utf8(bytes.clone()).expect("texts are UTF-8")),
            other => panic!("field {number} is {other:?} and no text"),
        }
    }
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let (first, rest) = bytes.split_first().expect("a number ends within its message");
        *bytes = rest;
        assert!(shift < 64, "a number has ten bytes at most");
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return value;
        }
    }
    unreachable!("the loop returns")
}
