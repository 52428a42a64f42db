//! The window that a game is shown in: opened when the engine boots, asked once a frame.
//!
//! Without the feature `window` there is no window, and all of this does nothing.

#[cfg(feature = "window")]
use core::time::Duration;

#[cfg(feature = "window")]
use loligo_platform::{Window, WindowState};

use loligo_containers::{EventStream, GrowError};

use crate::error::EngineError;
#[cfg(feature = "window")]
use crate::memory::Library;
use crate::memory::SharedAllocator;
#[cfg(feature = "window")]
use crate::options::BackEndChoice;
use crate::options::{EngineOptions, GameSettings};

/// How long a frame waits while the window is not visible: some sixty frames a second, so that
/// tools are served.
#[cfg(feature = "window")]
const UNSEEN: Duration = Duration::from_millis(16);

/// What players do.
type PlayerEvents<'m> = EventStream<'m, SharedAllocator<'m>>;

/// The window, if one was asked for.
pub(crate) struct WindowSetup {
    #[cfg(feature = "window")]
    window: Option<Window>,
}

/// What the engine has of it.
pub(crate) struct GameWindow<'e> {
    #[cfg(feature = "window")]
    window: Option<&'e mut Window>,
    #[cfg(not(feature = "window"))]
    nothing: core::marker::PhantomData<&'e ()>,
}

#[cfg(feature = "window")]
impl WindowSetup {
    /// Opens a window with the game's title, if one is asked for.
    pub(crate) fn try_new(
        options: &EngineOptions<'_>,
        is_drawn: bool,
        settings: &GameSettings<'_, SharedAllocator<'_>>,
    ) -> Result<Self, EngineError> {
        if !options.has_window {
            return Ok(Self { window: None });
        }
        if !is_drawn {
            let why = "the subsystem `render` is left out; take it in";
            return Err(EngineError::NothingToShow { why });
        }
        if options.back_end == BackEndChoice::Text {
            let why = "the back end is text; choose another one";
            return Err(EngineError::NothingToShow { why });
        }
        // It was made of text.
        let title = core::str::from_utf8(&settings.title).unwrap_or_default();
        let size = options.size.unwrap_or(settings.window);
        Ok(Self { window: Some(Library::Winit.run(|| Window::try_open(title, size))?) })
    }

    pub(crate) const fn is_there(&self) -> bool {
        self.window.is_some()
    }

    /// Returns the renderer's handle of the window.
    pub(crate) fn target(&self) -> Option<std::sync::Arc<dyn loligo_gpu::SurfaceTarget>> {
        self.window.as_ref().map(|window| window.handles() as _)
    }

    pub(crate) const fn lend(&mut self) -> GameWindow<'_> {
        GameWindow { window: self.window.as_mut() }
    }
}

#[cfg(feature = "window")]
impl GameWindow<'_> {
    /// Asks what has happened, and appends what the player did; waits a little while the window is not visible.
    pub(crate) fn poll(&mut self, events: &mut PlayerEvents<'_>) -> Result<(), GrowError> {
        let Some(window) = &mut self.window else { return Ok(()) };
        let wait = if window.state().is_seen() { Duration::ZERO } else { UNSEEN };
        Library::Winit.run(|| window.poll_events(wait, events)).map(drop)
    }

    fn state(&self) -> Option<WindowState> {
        self.window.as_ref().map(|window| window.state())
    }

    /// Returns how large pictures for it are.
    pub(crate) fn picture(&self) -> Option<[u32; 2]> {
        self.state().map(|state| state.picture())
    }

    /// Returns `true` if a picture would be seen in it.
    pub(crate) fn is_seen(&self) -> bool {
        self.state().is_some_and(|state| state.is_seen())
    }

    /// Returns `true` if the player wants to end the game: by closing the window, or by Escape where
    /// the game does not use it.
    pub(crate) fn is_end_asked(&self, uses_escape: bool) -> bool {
        self.state().is_some_and(|state| {
            state.is_close_asked() || state.is_escape_pressed() && !uses_escape
        })
    }
}

#[cfg(not(feature = "window"))]
impl WindowSetup {
    #[expect(clippy::unnecessary_wraps, reason = "with a window it may fail")]
    pub(crate) const fn try_new(
        _: &EngineOptions<'_>,
        _: bool,
        _: &GameSettings<'_, SharedAllocator<'_>>,
    ) -> Result<Self, EngineError> {
        Ok(Self {})
    }

    pub(crate) const fn is_there(&self) -> bool {
        false
    }

    pub(crate) const fn lend(&mut self) -> GameWindow<'_> {
        GameWindow { nothing: core::marker::PhantomData }
    }
}

#[cfg(not(feature = "window"))]
impl GameWindow<'_> {
    #[expect(clippy::unnecessary_wraps, reason = "with a window it may fail")]
    pub(crate) const fn poll(&mut self, _: &mut PlayerEvents<'_>) -> Result<(), GrowError> {
        Ok(())
    }

    pub(crate) const fn picture(&self) -> Option<[u32; 2]> {
        None
    }

    pub(crate) const fn is_seen(&self) -> bool {
        false
    }

    pub(crate) const fn is_end_asked(&self, _: bool) -> bool {
        false
    }
}
