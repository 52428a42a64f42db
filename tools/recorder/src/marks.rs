//! Functions that a program may call itself, if it finds them by `dlsym`.

use crate::caller::Caller;
use crate::exports::stub;
use crate::raw::OP_MARK;
use crate::run::record;

stub! {
    /// Writes a mark into the recording: the end of a frame, a turn, or whatever the program does
    /// again and again; `value` mostly is its number.
    loligo_frame_mark(value: u64), "mov rsi, rsp", "mov rdx, rbp" => mark
}

unsafe extern "C" fn mark(value: u64, place: *const u64, frame: *const u64) {
    // SAFETY: the stub above hands in its stack pointer and its frame pointer.
    let caller = unsafe { Caller::new(place, frame) };
    record(OP_MARK, 0, core::ptr::null_mut(), value, caller);
}
