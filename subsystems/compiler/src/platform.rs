//! Platforms: what they are called in names of files, and their byte order.

use loligo_containers::Endian;

/// A platform that data can be compiled from and for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Platform {
    /// What it is called, as a property in names of files too.
    pub name: &'static str,
    /// The byte order of its machines.
    pub endian: Endian,
}

/// The platforms that are known, the machines of the article among them.
pub const PLATFORMS: [Platform; 9] = [
    Platform { name: "android", endian: Endian::Little },
    Platform { name: "ios", endian: Endian::Little },
    Platform { name: "linux", endian: Endian::Little },
    Platform { name: "macos", endian: Endian::Little },
    Platform { name: "ps3", endian: Endian::Big },
    Platform { name: "web", endian: Endian::Little },
    Platform { name: "win32", endian: Endian::Little },
    Platform { name: "windows", endian: Endian::Little },
    Platform { name: "x360", endian: Endian::Big },
];

impl Platform {
    /// Returns the platform of a name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        PLATFORMS.into_iter().find(|platform| platform.name == name)
    }

    /// Returns the platform that this program runs on; `linux` if it is not one of the known
    /// platforms.
    #[must_use]
    pub fn here() -> Self {
        let native = |platform: &Self| platform.endian == Endian::NATIVE;
        let named = Self::find(std::env::consts::OS).filter(native);
        named.unwrap_or(Self { name: "linux", endian: Endian::NATIVE })
    }
}
