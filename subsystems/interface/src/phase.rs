//! The phases of a frame.

/// A place in the frame at which an engine steps its subsystems.
///
/// ```text
/// frame    | input | update | update | .. | pose | matrices | listen |
/// update   | think | scripts, logic | simulate | events, commands |
/// ```
///
/// # Examples
///
/// ```
/// use loligo_interface::Phase;
///
/// assert!(Phase::Think < Phase::Simulate, "phases are in the order of a frame");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Once a frame, before all else: what the player did.
    Input,
    /// In each update, before scripts and the game's logic.
    Think,
    /// In each update, after these: what follows from what they did.
    Simulate,
    /// Once a frame, before matrices are computed: where things are seen.
    Pose,
    /// Once a frame, after matrices were computed: what hears and shows.
    Listen,
}

impl Phase {
    /// All phases, in the order of a frame.
    pub const ALL: [Self; 5] = [Self::Input, Self::Think, Self::Simulate, Self::Pose, Self::Listen];
}
