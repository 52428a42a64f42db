//! Plain-data tasks in a fixed table.
#![doc = include_str!("../README.md")]
#![no_std]
#![expect(
    unsafe_code,
    reason = "tasks are closures kept as bytes, which may borrow; every block has its argument"
)]

extern crate std;

mod board;
mod closure;
mod error;
mod event;
mod failures;
mod fork;
mod forks;
mod hub;
mod id;
mod lent;
mod local;
mod observer;
mod parallel;
mod plain;
mod queue;
mod ring;
mod scope;
mod slot;
mod state;
mod sync;
mod table;
mod task;
mod tasks;
mod turn;

pub use error::{
    AddError, ChangeError, RegisterError, ScopeError, StartError, TASKS_MAX, THREADS_MAX, WaitError,
};
pub use event::Event;
pub use hub::{Handle, MainThread, Stats, Worker};
pub use id::TaskId;
pub use observer::{Begun, Observer};
pub use parallel::PIECES_A_THREAD;
pub use scope::Scope;
pub use task::{Name, PRIORITY_MAX, Task, ThreadIndex};
pub use tasks::{Settings, Tasks};
