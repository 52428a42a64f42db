//! What a subsystem is to an engine.
#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

mod commands;
mod drawer;
mod error;
mod frame;
#[cfg(feature = "gpu")]
mod job_row;
mod phase;
mod places;
mod report;
mod resource_change;
mod row;
mod schema;
mod side_thread;
mod subsystem;
mod tail_read;
mod text;
mod viewpoint;

pub use commands::{Commands, Wire};
pub use drawer::{Drawer, Drawing, DrawnVertex, MadeDrawer, SkinnedMesh, Skinner};
pub use error::SubsystemError;
pub use frame::Frame;
#[cfg(feature = "gpu")]
pub use job_row::{JobRow, MadeJob, MakeJob};
pub use phase::Phase;
pub use places::Places;
pub use report::{Report, ReportValue};
pub use resource_change::ResourceChange;
pub use row::{
    ListNeeds, ListResourceNeeds, MadeSubsystem, MakeDrawer, MakeSubsystem, SubsystemRow,
};
#[cfg(feature = "script")]
pub use schema::ENTITY;
pub use schema::{EventField, EventSchema, FieldKind, FieldValue, Sending, size_of_field};
pub use side_thread::SideThread;
#[cfg(feature = "script")]
pub use subsystem::SubsystemFunction;
pub use subsystem::{MadeThread, Subsystem, SubsystemMemory};
pub use tail_read::TailRead;
pub use text::{EventText, TEXT_BYTES};
pub use viewpoint::Viewpoint;

#[doc(hidden)]
pub use loligo_containers::Event as __Event;
