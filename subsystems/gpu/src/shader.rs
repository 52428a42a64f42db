//! Shaders: WGSL that was checked.

use core::fmt;
use std::string::String;
use std::vec::Vec;

use crate::error::{GpuError, Message, ShaderError};
use crate::gpu::Gpu;
use crate::scope::{Kept, scope};

/// A shader that was read and checked; pipelines are made of it.
#[derive(Debug)]
pub struct Shader {
    pub(crate) module: Kept<wgpu::ShaderModule>,
    name: Kept<String>,
    entries: Kept<Vec<String>>,
    /// A bit for each group that it sees something of.
    groups: u32,
}

impl Shader {
    /// Returns the name that it was given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns `true` if it has an entry point of that name. O(entry points).
    #[must_use]
    pub fn has_entry(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry == name)
    }

    /// Returns `true` if it sees something of the group of that number.
    #[must_use]
    pub fn has_group(&self, number: u32) -> bool {
        self.groups.checked_shr(number).is_some_and(|bits| bits & 1 == 1)
    }
}

impl Gpu {
    /// Reads and checks a shader. `name` is what errors begin with: the name of its file, as a
    /// rule.
    ///
    /// # Complexity
    ///
    /// O(bytes), some milliseconds for a shader of 200 lines.
    ///
    /// # Errors
    ///
    /// [`GpuError::Shader`] with line and column.
    pub fn try_shader(&self, name: &str, text: &str) -> Result<Shader, GpuError> {
        scope(|| {
            let fault = |location: Option<wgpu::naga::SourceLocation>, said: &dyn fmt::Display| {
                let (line, column) = place(text, location.map(|location| location.offset));
                let (name, message) = (Message::new(&name), Message::new(said));
                GpuError::Shader(ShaderError { name, line, column, message })
            };
            // wgpu reads the text once more, but does not say which entry points it found.
            let parsed = wgpu::naga::front::wgsl::parse_str(text).map_err(|error| {
                // Some labels are of no place in the text.
                let mut places = error.labels().filter(|(place, _)| place.is_defined());
                fault(places.next().map(|(place, _)| place.location(text)), &error.message())
            })?;
            let variables = parsed.global_variables.iter();
            let groups = variables.filter_map(|(_, variable)| variable.binding);
            let groups = groups.filter_map(|binding| 1_u32.checked_shl(binding.group));
            let groups = groups.fold(0, |all, group| all | group);
            let entries = parsed.entry_points.iter().map(|entry| entry.name.clone()).collect();
            let guard = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
            let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(name),
                source: wgpu::ShaderSource::Wgsl(text.into()),
            });
            let refused = pollster::block_on(guard.pop());
            let info = pollster::block_on(module.get_compilation_info());
            let is_error = |message: &&wgpu::CompilationMessage| {
                message.message_type == wgpu::CompilationMessageType::Error
            };
            if let Some(first) = info.messages.iter().find(is_error) {
                let location = first.location.map(|location| location.offset);
                let (line, column) = place(text, location);
                let (name, message) = (Message::new(&name), Message::new(&said(&first.message)));
                return Err(ShaderError { name, line, column, message }.into());
            }
            match refused {
                Some(refused) => Err(fault(None, &refused)),
                None => Ok(Shader {
                    module: Kept::new(module),
                    name: Kept::new(name.into()),
                    entries: Kept::new(entries),
                    groups,
                }),
            }
        })
    }
}

/// Returns line and column, in characters.
fn place(text: &str, offset: Option<u32>) -> (u32, u32) {
    let Some(offset) = offset else { return (0, 0) };
    let before = text.get(..offset as usize).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
    let column = 1 + before[line_start..].chars().count();
    (line as u32, column as u32)
}

/// Returns what is said, without the picture of the text that naga draws around it.
fn said(message: &str) -> &str {
    let start = message.find("error: ").map_or(0, |at| at + "error: ".len());
    message[start..].lines().next().unwrap_or(message).trim()
}
