//! What has become of a window: the few facts that a game needs.

/// Something has happened to a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowChange {
    /// Its new size in pixels; zero while it is minimised, on some systems.
    Resized([u32; 2]),
    /// Nothing of it is seen, or something again.
    Hidden(bool),
    /// Its button was pressed, or the system asks it to close.
    CloseAsked,
    /// The Escape key was pressed.
    EscapePressed,
}

/// What has become of a window.
///
/// Sizes come in bursts while a border is dragged: the last one counts, and a game makes its
/// targets once a frame.
///
/// # Memory
///
/// 12 bytes of plain data.
///
/// # Examples
///
/// ```
/// use loligo_platform::{WindowChange, WindowState};
///
/// let mut state = WindowState::new([1280, 720]);
/// state.apply(WindowChange::Resized([0, 0]));
/// assert!(!state.is_seen(), "minimised");
/// assert_eq!(state.picture(), [1280, 720], "and pictures are as large as before");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowState {
    /// The last size with any pixels.
    picture: [u32; 2],
    is_empty: bool,
    is_hidden: bool,
    is_close_asked: bool,
    is_escape_pressed: bool,
}

impl WindowState {
    /// Returns the state of a window of this size in pixels, at least one each way.
    #[must_use]
    pub const fn new([width, height]: [u32; 2]) -> Self {
        let picture = [if width == 0 { 1 } else { width }, if height == 0 { 1 } else { height }];
        Self {
            picture,
            is_empty: false,
            is_hidden: false,
            is_close_asked: false,
            is_escape_pressed: false,
        }
    }

    /// Takes a change in. O(1).
    pub const fn apply(&mut self, change: WindowChange) {
        match change {
            WindowChange::Resized([width, height]) => {
                self.is_empty = width == 0 || height == 0;
                if !self.is_empty {
                    self.picture = [width, height];
                }
            }
            WindowChange::Hidden(is_hidden) => self.is_hidden = is_hidden,
            WindowChange::CloseAsked => self.is_close_asked = true,
            WindowChange::EscapePressed => self.is_escape_pressed = true,
        }
    }

    /// Returns how wide and how high pictures for it are: its size, or the last one that it had any
    /// pixels in.
    #[must_use]
    pub const fn picture(&self) -> [u32; 2] {
        self.picture
    }

    /// Returns `true` if anything of it can be seen.
    #[must_use]
    pub const fn is_seen(&self) -> bool {
        !self.is_empty && !self.is_hidden
    }

    /// Returns `true` if it was asked to close. It stays open until it is dropped.
    #[must_use]
    pub const fn is_close_asked(&self) -> bool {
        self.is_close_asked
    }

    /// Returns `true` if the Escape key was pressed since it was opened.
    #[must_use]
    pub const fn is_escape_pressed(&self) -> bool {
        self.is_escape_pressed
    }
}

#[cfg(test)]
mod tests {
    use super::{WindowChange, WindowState};

    #[test]
    fn a_minimised_window_keeps_its_picture_and_comes_back() {
        let mut state = WindowState::new([800, 600]);
        assert!(state.is_seen(), "{state:?}");
        for empty in [[0, 0], [0, 600], [800, 0]] {
            state.apply(WindowChange::Resized(empty));
            assert!(!state.is_seen(), "{empty:?}: {state:?}");
            assert_eq!(state.picture(), [800, 600], "{empty:?}");
        }
        state.apply(WindowChange::Resized([1024, 768]));
        assert!(state.is_seen(), "{state:?}");
        assert_eq!(state.picture(), [1024, 768], "the size that it comes back with");
        assert_eq!(WindowState::new([0, 5]).picture(), [1, 5], "one pixel at least");
    }

    #[test]
    fn what_is_covered_is_not_seen_whatever_its_size() {
        let mut state = WindowState::new([800, 600]);
        state.apply(WindowChange::Hidden(true));
        state.apply(WindowChange::Resized([640, 480]));
        assert!(!state.is_seen(), "{state:?}");
        state.apply(WindowChange::Hidden(false));
        assert!(state.is_seen(), "{state:?}");
    }

    #[test]
    fn the_wish_to_end_stays() {
        for (change, asked) in [
            (WindowChange::CloseAsked, [true, false]),
            (WindowChange::EscapePressed, [false, true]),
        ] {
            let mut state = WindowState::new([8, 8]);
            state.apply(change);
            state.apply(WindowChange::Resized([9, 9]));
            assert_eq!([state.is_close_asked(), state.is_escape_pressed()], asked, "{change:?}");
        }
    }
}
