//! Enums whose items have names: of keys, buttons and axes.

/// Declares a fieldless enum, numbered from 0 on, with its names.
macro_rules! named_enum {
    ($(#[$doc:meta])* $name:ident: $bits:ident { $($item:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(
            Clone,
            Copy,
            Debug,
            PartialEq,
            Eq,
            PartialOrd,
            Ord,
            Hash,
            bytemuck::NoUninit,
            bytemuck::CheckedBitPattern,
        )]
        #[repr($bits)]
        pub enum $name {
            $(
                #[doc = concat!("`", stringify!($item), "`.")]
                $item,
            )*
        }

        impl $name {
            /// All of them, each at its number.
            pub const ALL: &'static [Self] = &[$(Self::$item),*];

            /// Returns the name, as sources of content write it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$item => stringify!($item),)*
                }
            }

            /// Returns the one with a name.
            ///
            /// # Complexity
            ///
            /// O(names): for content that is compiled, not for a frame.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|item| item.name() == name)
            }

            /// Returns the one with a number. O(1).
            #[must_use]
            pub fn from_number(number: $bits) -> Option<Self> {
                Self::ALL.get(usize::from(number)).copied()
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

pub(crate) use named_enum;

#[cfg(test)]
mod tests {
    use crate::{KeyCode, MouseButton, PadAxis, PadButton};

    macro_rules! check {
        ($($name:ident),*) => {$(
            for (number, item) in $name::ALL.iter().enumerate() {
                assert_eq!(*item as usize, number, "{item}");
                assert_eq!($name::from_number(number as _), Some(*item), "{item}");
                assert_eq!($name::from_name(item.name()), Some(*item), "{item}");
            }
            assert_eq!($name::from_number($name::ALL.len() as _), None, "one too many");
            assert_eq!($name::from_name("Nothing"), None, "an unknown name");
        )*};
    }

    #[test]
    fn names_and_numbers_lead_back() {
        check!(KeyCode, MouseButton, PadAxis, PadButton);
    }
}
