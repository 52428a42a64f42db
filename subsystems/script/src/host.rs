//! What scripts need from their host.

/// The world that bound functions use, and what else the engine gives to scripts. All methods have
/// a default.
pub trait Host {
    /// Returns the source of a module, by the name that `require` was given: the payload of the
    /// resource of type `lua` and of that name, for instance. `None` where there is none.
    fn module(&mut self, name: &str) -> Option<&[u8]> {
        let _ = name;
        None
    }

    /// Takes a line that a script printed, without the end of line.
    fn print(&mut self, line: &[u8]) {
        let _ = line;
    }
}

/// No world, no modules.
impl Host for () {}
