//! A window of the system, by winit.

use core::fmt;
use core::time::Duration;
use std::string::ToString as _;
use std::sync::Arc;

use loligo_allocators::Allocator;
use loligo_containers::{EventStream, GrowError};
use raw_window_handle::{
    DisplayHandle, HandleError, HasDisplayHandle, HasWindowHandle, WindowHandle,
};
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::error::EventLoopError;
use winit::event::{DeviceEvent, DeviceId, ElementState, KeyEvent, WindowEvent};
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::keyboard::{Key, NamedKey};
use winit::platform::pump_events::{EventLoopExtPumpEvents as _, PumpStatus};
use winit::window::WindowId;

use crate::reason::Reason;
use crate::window_error::WindowError;
use crate::window_state::{WindowChange, WindowState};
use crate::winit_input::WinitInput;

/// How long a display is waited for until it has a window, and how many times.
const OPENING: Duration = Duration::from_millis(100);
const OPENINGS_MAX: u32 = 50;

/// A window of the system, and the connection to its display.
///
/// The game asks it once a frame what has happened, so a frame stays a call of the game's, as it is
/// without a window. A program opens one in its life.
///
/// # Memory
///
/// winit takes it from the program's global allocator, in all three calls and in the drop: a
/// program that guards its heap exempts them.
///
/// # Threads
///
/// It stays on the thread that opened it: the main thread, as systems other than Linux demand.
/// [`WindowHandles`] go anywhere, for the renderer.
///
/// # Examples
///
/// ```no_run
/// use core::time::Duration;
///
/// use loligo_platform::Window;
///
/// let mut window = Window::try_open("Courtyard", [1280, 720])?;
/// while !window.poll(Duration::ZERO).is_close_asked() {
///     // A frame.
/// }
/// # Ok::<(), loligo_platform::WindowError>(())
/// ```
pub struct Window {
    shown: Shown,
    /// Dropped last: the connection to the display.
    event_loop: EventLoop<()>,
}

/// The renderer's handle of a window. The window is open until the last of them is dropped.
pub struct WindowHandles(winit::window::Window);

impl Window {
    /// Opens a window with a title and a size in pixels; the system may give it another size.
    ///
    /// # Complexity
    ///
    /// Displays take some milliseconds.
    ///
    /// # Errors
    ///
    /// [`WindowError`]: there is no display, it gives no window, or the program has had one.
    ///
    /// # Panics
    ///
    /// If this is not the program's main thread, on systems other than Linux.
    pub fn try_open(title: &str, [width, height]: [u32; 2]) -> Result<Self, WindowError> {
        let mut builder = EventLoop::builder();
        #[cfg(target_os = "linux")]
        winit::platform::x11::EventLoopBuilderExtX11::with_any_thread(&mut builder, true);
        let mut event_loop = builder.build().map_err(|error| match error {
            EventLoopError::RecreationAttempt => WindowError::Again,
            error => WindowError::Display { why: reason(&error) },
        })?;
        let mut opening = Opening { title, size: [width, height], opened: None };
        for _ in 0..OPENINGS_MAX {
            let status = event_loop.pump_app_events(Some(OPENING), &mut opening);
            match (opening.opened.take(), status) {
                (Some(shown), _) => return Ok(Self { shown: shown?, event_loop }),
                (None, PumpStatus::Exit(_)) => return Err(WindowError::Ended),
                (None, PumpStatus::Continue) => {}
            }
        }
        Err(WindowError::Ended)
    }

    /// Processes the pending events, and returns the new state of the window.
    ///
    /// Where nothing has, it waits up to `wait` for something: a game that nobody sees need not run
    /// on at full speed.
    ///
    /// # Complexity
    ///
    /// O(events).
    pub fn poll(&mut self, wait: Duration) -> WindowState {
        if let PumpStatus::Exit(_) = self.event_loop.pump_app_events(Some(wait), &mut self.shown) {
            // Nobody will say more.
            self.shown.state.apply(WindowChange::CloseAsked);
        }
        self.shown.state
    }

    /// As [`poll`](Self::poll), and appends what players did to `events`, in order: the events
    /// that this crate declares, but those of gamepads.
    ///
    /// # Complexity
    ///
    /// O(events). The stream grows from the allocator that it was made with.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for an event: it and later ones of this call are lost,
    /// and the state of the window is right all the same. Treat it as a lost focus.
    pub fn poll_events<A: Allocator + ?Sized>(
        &mut self,
        wait: Duration,
        events: &mut EventStream<'_, A>,
    ) -> Result<WindowState, GrowError> {
        let mut polling = Polling { shown: &mut self.shown, events, pushed: Ok(()) };
        let status = self.event_loop.pump_app_events(Some(wait), &mut polling);
        let pushed = polling.pushed;
        if let PumpStatus::Exit(_) = status {
            self.shown.state.apply(WindowChange::CloseAsked);
        }
        pushed.map(|()| self.shown.state)
    }

    /// Returns what became of the window when it was asked last.
    #[must_use]
    pub const fn state(&self) -> WindowState {
        self.shown.state
    }

    /// Returns the renderer's handle of the window.
    #[must_use]
    pub fn handles(&self) -> Arc<WindowHandles> {
        Arc::clone(&self.shown.handles)
    }
}

impl fmt::Debug for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Window").field("state", &self.shown.state).finish_non_exhaustive()
    }
}

impl HasWindowHandle for WindowHandles {
    fn window_handle(&self) -> Result<WindowHandle<'_>, HandleError> {
        self.0.window_handle()
    }
}

impl HasDisplayHandle for WindowHandles {
    fn display_handle(&self) -> Result<DisplayHandle<'_>, HandleError> {
        self.0.display_handle()
    }
}

impl fmt::Debug for WindowHandles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WindowHandles").finish_non_exhaustive()
    }
}

/// A window that is not there yet: systems give one when the loop of events has begun.
struct Opening<'t> {
    title: &'t str,
    size: [u32; 2],
    opened: Option<Result<Shown, WindowError>>,
}

impl ApplicationHandler for Opening<'_> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        let [width, height] = self.size.map(|pixels| pixels.max(1));
        let attributes = winit::window::Window::default_attributes()
            .with_title(self.title)
            .with_inner_size(PhysicalSize::new(width, height));
        let opened = event_loop.create_window(attributes).map(|window| Shown {
            state: WindowState::new(window.inner_size().into()),
            input: WinitInput::default(),
            handles: Arc::new(WindowHandles(window)),
        });
        self.opened = Some(opened.map_err(|error| WindowError::Refused { why: reason(&error) }));
    }

    fn window_event(&mut self, _: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        if let (Some(Ok(shown)), Some(change)) = (&mut self.opened, change(&event)) {
            shown.state.apply(change);
        }
    }
}

/// A window that is there.
struct Shown {
    state: WindowState,
    input: WinitInput,
    handles: Arc<WindowHandles>,
}

impl ApplicationHandler for Shown {
    fn resumed(&mut self, _: &ActiveEventLoop) {}

    fn window_event(&mut self, _: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        if let Some(change) = change(&event) {
            self.state.apply(change);
        }
    }
}

/// A window whose input is wanted.
struct Polling<'w, 's, 'a, A: Allocator + ?Sized> {
    shown: &'w mut Shown,
    events: &'s mut EventStream<'a, A>,
    pushed: Result<(), GrowError>,
}

impl<A: Allocator + ?Sized> ApplicationHandler for Polling<'_, '_, '_, A> {
    fn resumed(&mut self, _: &ActiveEventLoop) {}

    fn window_event(&mut self, _: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        if let Some(change) = change(&event) {
            self.shown.state.apply(change);
        }
        if self.pushed.is_ok() {
            self.pushed = self.shown.input.window_event(&event, self.events);
        }
    }

    fn device_event(&mut self, _: &ActiveEventLoop, _: DeviceId, event: DeviceEvent) {
        if self.pushed.is_ok() {
            self.pushed = self.shown.input.device_event(&event, self.events);
        }
    }
}

/// Returns what winit says, without the place in its source that it begins with.
fn reason(error: &dyn fmt::Display) -> Reason {
    let text = error.to_string();
    let said = text.split_once(".rs:").and_then(|(_, rest)| rest.split_once(": "));
    Reason::new(&said.map_or(text.as_str(), |(_, said)| said).trim_end_matches('.'))
}

/// Returns what an event changes.
fn change(event: &WindowEvent) -> Option<WindowChange> {
    match event {
        WindowEvent::Resized(size) => Some(WindowChange::Resized((*size).into())),
        WindowEvent::Occluded(is_hidden) => Some(WindowChange::Hidden(*is_hidden)),
        WindowEvent::CloseRequested | WindowEvent::Destroyed => Some(WindowChange::CloseAsked),
        WindowEvent::KeyboardInput {
            event:
                KeyEvent {
                    logical_key: Key::Named(NamedKey::Escape), state: ElementState::Pressed, ..
                },
            is_synthetic: false,
            ..
        } => Some(WindowChange::EscapePressed),
        _ => None,
    }
}
