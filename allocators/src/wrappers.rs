//! Wrappers around another allocator: they count, limit, record and detect misuse.

pub(crate) mod canary;
pub(crate) mod failing;
pub(crate) mod fill;
pub(crate) mod proxy;
pub(crate) mod quarantine;
pub(crate) mod shared_proxy;
pub(crate) mod trace;
pub(crate) mod verify;
