//! A request of a tool.

use core::fmt;

use loligo_sjson::ValueRef;

/// What a tool asks for.
#[derive(Clone, Copy)]
pub struct ToolRequest<'r> {
    /// Which tool: a number that no other has or had.
    pub tool: u32,
    /// The member `type`.
    pub kind: &'r str,
    /// All members.
    pub body: ValueRef<'r>,
}

impl fmt::Debug for ToolRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tool, kind, body: _ } = self;
        f.debug_struct("ToolRequest")
            .field("tool", tool)
            .field("kind", kind)
            .finish_non_exhaustive()
    }
}
