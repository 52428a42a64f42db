//! What an event consists of, for those who read events of types that they do not know.

use loligo_containers::EventRecord;
use loligo_entities::Entity;

use crate::text::TEXT_BYTES;

/// The kind of ids of entities, in all functions that take or return one.
#[cfg(feature = "script")]
pub const ENTITY: loligo_script::IdKind = loligo_script::IdKind::new(16, "Entity");

/// What a field of an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldKind {
    /// A `u32`, as a number.
    Count,
    /// An `i32`.
    Integer,
    /// An `f32`.
    Number,
    /// A `u32`: 0 for false.
    Bool,
    /// A `u32`: the bits of an entity; 0 for none.
    Entity,
    /// `[f32; 3]`.
    Vector3,
    /// An [`EventText`](crate::EventText). It is for commands: scripts send it, and cannot read it
    /// from an event.
    Text,
}

impl FieldKind {
    /// Returns how many bytes a field of this kind has.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Count | Self::Integer | Self::Number | Self::Bool | Self::Entity => 4,
            Self::Vector3 => 12,
            Self::Text => TEXT_BYTES,
        }
    }

    /// Returns as what scripts give it.
    #[cfg(feature = "script")]
    #[must_use]
    pub const fn argument(self) -> loligo_script::Kind {
        use loligo_script::Kind;
        match self {
            Self::Count | Self::Integer | Self::Number => Kind::Number,
            Self::Bool => Kind::Bool,
            Self::Entity => Kind::OptionalId(ENTITY),
            Self::Vector3 => Kind::Vector3,
            Self::Text => Kind::Text,
        }
    }
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum FieldValue {
    /// A number.
    Number(f64),
    /// True or false.
    Bool(bool),
    /// An entity, or none.
    Entity(Option<Entity>),
    /// Three numbers.
    Vector3([f32; 3]),
}

/// A field of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventField {
    /// What people call it.
    pub name: &'static str,
    /// What it is.
    pub kind: FieldKind,
    /// Where it begins in the event's struct.
    pub offset: usize,
}

impl EventField {
    /// Writes an argument of a script into the bytes of an event, which are long enough.
    ///
    /// # Errors
    ///
    /// [`ArgumentError`](loligo_script::ArgumentError) for a number that a field cannot hold.
    #[cfg(feature = "script")]
    pub fn write(
        &self,
        call: &mut loligo_script::Call<'_>,
        argument: usize,
        event: &mut [u8],
    ) -> Result<(), loligo_script::ArgumentError> {
        let name = self.name;
        let mut whole = |low: f64, high: f64| {
            let number = call.number(argument);
            match number.fract() == 0.0 && (low..=high).contains(&number) {
                true => Ok(number),
                false => Err(call.refuse(format_args!(
                    "`{name}` is {number}; give a whole number from {low} to {high}"
                ))),
            }
        };
        let word = match self.kind {
            FieldKind::Count => whole(0.0, u32::MAX.into())? as u32,
            FieldKind::Integer => whole(i32::MIN.into(), i32::MAX.into())? as i32 as u32,
            FieldKind::Number => (call.number(argument) as f32).to_bits(),
            FieldKind::Bool => call.bool(argument).into(),
            FieldKind::Entity => call.optional_id(argument).unwrap_or(0),
            FieldKind::Vector3 => {
                for (at, number) in call.vector3(argument).to_array().into_iter().enumerate() {
                    event[self.offset + 4 * at..][..4].copy_from_slice(&number.to_ne_bytes());
                }
                return Ok(());
            }
            FieldKind::Text => {
                let bytes = call.text(argument)?.len();
                if bytes > TEXT_BYTES {
                    return Err(call.refuse(format_args!(
                        "`{name}` has {bytes} bytes where {TEXT_BYTES} are the most; shorten it, or send two"
                    )));
                }
                event[self.offset..][..bytes].copy_from_slice(call.text(argument)?.as_bytes());
                return Ok(());
            }
        };
        event[self.offset..][..4].copy_from_slice(&word.to_ne_bytes());
        Ok(())
    }

    /// Reads the field of an event of its type; `None` if the event is too short, or the field a
    /// text.
    #[inline]
    #[must_use]
    pub fn read(&self, event: &EventRecord<'_>) -> Option<FieldValue> {
        Some(match self.kind {
            FieldKind::Count => FieldValue::Number(event.field::<u32>(self.offset)?.into()),
            FieldKind::Integer => FieldValue::Number(event.field::<i32>(self.offset)?.into()),
            FieldKind::Number => FieldValue::Number(event.field::<f32>(self.offset)?.into()),
            FieldKind::Bool => FieldValue::Bool(event.field::<u32>(self.offset)? != 0),
            FieldKind::Entity => {
                FieldValue::Entity(Entity::from_bits(event.field::<u32>(self.offset)?))
            }
            FieldKind::Vector3 => FieldValue::Vector3(event.field(self.offset)?),
            FieldKind::Text => return None,
        })
    }
}

/// What an event is called and consists of. [`event_schema!`](crate::event_schema) makes it.
///
/// A script gets the events of a schema in a function of its name, with the fields as arguments:
/// an event `hit` with the fields `entity` and `force` calls `hit(entity, force)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventSchema {
    /// The name, in lower case with underscores.
    pub name: &'static str,
    /// The type by which streams know the event.
    pub kind: u32,
    /// A sentence for people: when it is sent.
    pub help: &'static str,
    /// Its fields, in the order of arguments.
    pub fields: &'static [EventField],
    /// How many bytes the struct has. Those of no field are zero where a script sends it.
    pub bytes: usize,
    /// How scripts send it.
    #[doc(hidden)]
    pub __sending: Sending,
}

/// How scripts send an event or a command: the names of both functions, and what they take.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sending {
    pub event: &'static str,
    pub command: &'static str,
    #[cfg(feature = "script")]
    pub arguments: &'static [loligo_script::Kind],
}

/// Makes a [`Sending`] of a name and kinds of fields.
#[doc(hidden)]
#[cfg(feature = "script")]
#[macro_export]
macro_rules! __sending {
    ($name:literal, $($kind:ident),*) => {
        $crate::Sending {
            event: concat!("Event.", $name),
            command: concat!("Command.", $name),
            arguments: const { &[$($crate::FieldKind::$kind.argument()),*] },
        }
    };
}

/// Makes a [`Sending`] of a name and kinds of fields.
#[doc(hidden)]
#[cfg(not(feature = "script"))]
#[macro_export]
macro_rules! __sending {
    ($name:literal, $($kind:ident),*) => {
        $crate::Sending { event: concat!("Event.", $name), command: concat!("Command.", $name) }
    };
}

/// Makes the [`EventSchema`] of a struct that is an event. Fields that are not named are for Rust
/// alone.
///
/// # Examples
///
/// ```
/// use bytemuck::{AnyBitPattern, NoUninit};
/// use loligo_containers::Event;
/// use loligo_interface::{EventSchema, event_schema};
///
/// #[derive(Clone, Copy, AnyBitPattern, NoUninit, Event)]
/// #[repr(C)]
/// struct Hit {
///     entity: u32,
///     force: f32,
/// }
///
/// const HIT: EventSchema = event_schema!(
///     Hit, "hit", "something has hit an entity", { entity: Entity, force: Number }
/// );
/// assert_eq!((HIT.fields[1].name, HIT.fields[1].offset), ("force", 4));
/// ```
///
/// A field of another size than its kind is refused:
///
/// ```compile_fail,E0080
/// # use bytemuck::{AnyBitPattern, NoUninit};
/// # use loligo_containers::Event;
/// # use loligo_interface::{EventSchema, event_schema};
/// # #[derive(Clone, Copy, AnyBitPattern, NoUninit, Event)]
/// # #[repr(C)]
/// # struct Hit {
/// #     force: f32,
/// # }
/// const HIT: EventSchema = event_schema!(Hit, "hit", "", { force: Vector3 });
/// ```
#[macro_export]
macro_rules! event_schema {
    ($event:ty, $name:literal, $help:literal, { $($field:ident: $kind:ident),* $(,)? }) => {
        $crate::EventSchema {
            name: $name,
            kind: <$event as $crate::__Event>::TYPE,
            help: $help,
            bytes: ::core::mem::size_of::<$event>(),
            __sending: $crate::__sending!($name, $($kind),*),
            fields: const {
                &[$({
                    let kind = $crate::FieldKind::$kind;
                    let bytes = $crate::size_of_field(|event: &$event| &event.$field);
                    assert!(bytes == kind.bytes(), "a field of that kind has another size");
                    $crate::EventField {
                        name: stringify!($field),
                        kind,
                        offset: ::core::mem::offset_of!($event, $field),
                    }
                }),*]
            },
        }
    };
}

/// Returns the size of a field that a function borrows.
#[doc(hidden)]
#[must_use]
pub const fn size_of_field<T, F>(_: fn(&T) -> &F) -> usize {
    size_of::<F>()
}
