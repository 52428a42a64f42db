//! The end of a resource's name, kept in the resource for a debugger.

use core::fmt;

/// The last 32 bytes of a name, fewer where that would cut a character; none in data that is
/// shipped.
///
/// # Examples
///
/// ```
/// use loligo_resources::DebugName;
///
/// let name = DebugName::new("vegetation/trees/scandinavia/larch_3");
/// assert_eq!(name.as_str(), "tation/trees/scandinavia/larch_3");
/// assert!(DebugName::default().as_str().is_empty());
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct DebugName([u8; 32]);

impl DebugName {
    /// Keeps the end of a name.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let start = name.ceil_char_boundary(name.len().saturating_sub(32));
        let mut kept = [0; 32];
        let end = &name.as_bytes()[start..];
        kept[..end.len()].copy_from_slice(end);
        Self(kept)
    }

    /// Takes bytes from a header: text, then zeroes.
    pub(crate) fn from_bytes(bytes: [u8; 32]) -> Option<Self> {
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        let is_text = core::str::from_utf8(&bytes[..end]).is_ok();
        let is_padded = bytes[end..].iter().all(|&byte| byte == 0);
        (is_text && is_padded).then_some(Self(bytes))
    }

    pub(crate) const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let end = self.0.iter().position(|&byte| byte == 0).unwrap_or(self.0.len());
        // Only text is put in.
        core::str::from_utf8(&self.0[..end]).unwrap_or_default()
    }
}

impl fmt::Debug for DebugName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DebugName({:?})", self.as_str())
    }
}

impl fmt::Display for DebugName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
