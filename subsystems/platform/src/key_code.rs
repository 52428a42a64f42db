//! Keys by their place on the keyboard.

use crate::named::named_enum;

/// Calls a macro with the codes that winit and the W3C call the same.
macro_rules! with_key_codes {
    ($then:ident) => {
        $then! {
            Backquote, Backslash, BracketLeft, BracketRight, Comma, Digit0, Digit1, Digit2, Digit3,
            Digit4, Digit5, Digit6, Digit7, Digit8, Digit9, Equal, IntlBackslash, IntlRo, IntlYen,
            KeyA, KeyB, KeyC, KeyD, KeyE, KeyF, KeyG, KeyH, KeyI, KeyJ, KeyK, KeyL, KeyM, KeyN,
            KeyO, KeyP, KeyQ, KeyR, KeyS, KeyT, KeyU, KeyV, KeyW, KeyX, KeyY, KeyZ, Minus, Period,
            Quote, Semicolon, Slash, AltLeft, AltRight, Backspace, CapsLock, ContextMenu,
            ControlLeft, ControlRight, Enter, ShiftLeft, ShiftRight, Space, Tab, Convert, KanaMode,
            Lang1, Lang2, Lang3, Lang4, Lang5, NonConvert, Delete, End, Help, Home, Insert,
            PageDown, PageUp, ArrowDown, ArrowLeft, ArrowRight, ArrowUp, NumLock, Numpad0, Numpad1,
            Numpad2, Numpad3, Numpad4, Numpad5, Numpad6, Numpad7, Numpad8, Numpad9, NumpadAdd,
            NumpadBackspace, NumpadClear, NumpadClearEntry, NumpadComma, NumpadDecimal,
            NumpadDivide, NumpadEnter, NumpadEqual, NumpadHash, NumpadMemoryAdd, NumpadMemoryClear,
            NumpadMemoryRecall, NumpadMemoryStore, NumpadMemorySubtract, NumpadMultiply,
            NumpadParenLeft, NumpadParenRight, NumpadStar, NumpadSubtract, Escape, Fn, FnLock,
            PrintScreen, ScrollLock, Pause, BrowserBack, BrowserFavorites, BrowserForward,
            BrowserHome, BrowserRefresh, BrowserSearch, BrowserStop, Eject, LaunchApp1, LaunchApp2,
            LaunchMail, MediaPlayPause, MediaSelect, MediaStop, MediaTrackNext, MediaTrackPrevious,
            Power, Sleep, AudioVolumeDown, AudioVolumeMute, AudioVolumeUp, WakeUp, Again, Copy, Cut,
            Find, Open, Paste, Props, Select, Undo, F1, F2, F3, F4, F5, F6, F7, F8, F9, F10, F11,
            F12, F13, F14, F15, F16, F17, F18, F19, F20, F21, F22, F23, F24,
        }
    };
}

#[cfg(feature = "window")]
pub(crate) use with_key_codes;

macro_rules! declare {
    ($($code:ident),* $(,)?) => {
        named_enum! {
            /// A key by its place on the keyboard, whatever the layout prints on it.
            ///
            /// The names are the codes of the W3C ("UI Events KeyboardEvent code Values"): `KeyW`
            /// is the key above `KeyS` on every keyboard, and types a Z on a French one.
            ///
            /// # Memory
            ///
            /// Two bytes.
            ///
            /// # Examples
            ///
            /// ```
            /// use loligo_platform::KeyCode;
            ///
            /// assert_eq!(KeyCode::from_name("ArrowUp"), Some(KeyCode::ArrowUp));
            /// assert_eq!(KeyCode::KeyW.name(), "KeyW");
            /// ```
            KeyCode: u16 { Unidentified, MetaLeft, MetaRight, $($code),* }
        }
    };
}

with_key_codes!(declare);
