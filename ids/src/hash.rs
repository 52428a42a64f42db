//! String hashes: names while compiling, numbers at run time, and names again while debugging.
//!
//! After Niklas Frykholm, "Static Hash Values" (2010), "Simple perfect murmur hashing" (2009),
//! "Code Snippet: Murmur hash inverse / pre-image" (2011) and "Strings Redux" (2011). Changes: the
//! compiler evaluates the hash itself, so no macro spells it out and no constant can go stale;
//! bytes are read in one order on every machine; inverses are extended to printable text of any
//! length; the search for a seed stops at the first collision and distinguishes two equal keys from
//! an unlucky seed; and the table that maps hashes back to names is one checked block of bytes that
//! can be memory-mapped.
//!
//! Both hashes are quick and spread names well. They are not cryptographic: anyone can make a name
//! for a given hash ([`preimage_32`]), and names whose hashes are equal under every seed.

mod buffer;
mod id_string;
mod inverse;
mod key;
mod murmur;
mod perfect_seed;
mod preimage;
#[cfg(test)]
mod random;
mod reverse_lookup;
#[cfg(test)]
mod test_memory;

pub use id_string::{IdString, IdString32, IdString64};
pub use inverse::{murmur2_32_inverse, murmur2_64a_inverse};
pub use key::Key;
pub use murmur::{murmur2_32, murmur2_64a};
pub use perfect_seed::{PerfectSeedError, SMALL_KEYS_MAX, perfect_seed, perfect_seed_in};
pub use preimage::{preimage_32, preimage_64};
pub use reverse_lookup::{
    DamagedLookup, LookupBytes, LookupError, ReverseLookup, ReverseLookupBuilder, Shown,
};
