//! The device.

use core::fmt;
use core::time::Duration;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{GpuError, Message};
use crate::scope::{Kept, scope};

/// How long a graphics card may take for what it is waited for, before it counts as lost.
const WAIT: Duration = Duration::from_secs(60);

/// Which graphics card is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AdapterChoice {
    /// The fastest, which may be a driver that draws by software if there is no other.
    #[default]
    Fast,
    /// A driver that draws by software: pictures do not depend on the machine's card.
    Software,
    /// None: all calls are checked as for a card, and nothing is drawn. It is there on every
    /// machine, and nothing of a driver is in what is measured.
    #[cfg(feature = "noop")]
    Noop,
}

/// What is wanted of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GpuOptions {
    /// Which graphics card.
    pub adapter: AdapterChoice,
    /// Lets the card check the records of indirect draws before it draws them. Leave it out only
    /// where a program checks them itself, as `loligo-render` does: it takes a compute pass and
    /// time for each draw.
    pub check_indirect: bool,
}

/// What a device says of itself.
#[derive(Debug)]
pub struct GpuInfo {
    /// The name of the graphics card.
    pub name: Message,
    /// Its driver and the driver's version.
    pub driver: Message,
    /// The interface that it is reached by, such as `vulkan`.
    pub interface: &'static str,
    /// Whether it is a software driver and not a card.
    pub is_software: bool,
}

/// A graphics card and its queue of commands.
///
/// Whatever it makes belongs to it and is freed when it is dropped, once the card no longer uses
/// it.
///
/// # Memory
///
/// wgpu takes it from the program's global allocator, within the hook of
/// [`set_scope`](crate::set_scope); the driver takes it from the system.
///
/// # Threads
///
/// `Send` and `Sync`: any thread may make objects and encode, and all commands are drawn in the
/// order in which they are submitted.
///
/// # Examples
///
/// ```
/// use loligo_gpu::{Gpu, GpuOptions};
///
/// match Gpu::try_new(&GpuOptions::default()) {
///     Ok(gpu) => println!("{}", gpu.info().name),
///     Err(error) => println!("{error}"),
/// }
/// ```
pub struct Gpu {
    pub(crate) device: Kept<wgpu::Device>,
    pub(crate) queue: Kept<wgpu::Queue>,
    info: GpuInfo,
    /// The first error that was reported outside of a call.
    problem: Arc<Mutex<Option<Message>>>,
}

/// What a card needs for textures of blocks.
const BLOCKS: wgpu::Features = wgpu::Features::TEXTURE_COMPRESSION_BC;

/// What a card needs for those of ASTC.
const ASTC: wgpu::Features = wgpu::Features::TEXTURE_COMPRESSION_ASTC;

impl Gpu {
    /// Looks for a graphics card and opens it; no window is needed.
    ///
    /// # Complexity
    ///
    /// Drivers take from a few milliseconds to a second.
    ///
    /// # Errors
    ///
    /// [`GpuError::NoDriver`], [`GpuError::Lacks`] or [`GpuError::Device`].
    pub fn try_new(options: &GpuOptions) -> Result<Self, GpuError> {
        let instance = new_instance(options);
        let adapter =
            scope(|| pollster::block_on(instance.request_adapter(&wanted_adapter(options))))
                .map_err(|why| GpuError::NoDriver { why: Message::new(&why) })?;
        Self::open(&Kept::new(adapter))
    }

    /// Opens a graphics card.
    pub(crate) fn open(adapter: &wgpu::Adapter) -> Result<Self, GpuError> {
        let info = scope(|| {
            let info = Kept::new(adapter.get_info());
            GpuInfo {
                name: Message::new(&info.name),
                driver: Message::new(&format_args!("{} {}", info.driver, info.driver_info)),
                interface: info.backend.to_str(),
                is_software: info.device_type == wgpu::DeviceType::Cpu,
            }
        });
        let needed = wgpu::Features::INDIRECT_FIRST_INSTANCE;
        if !scope(|| adapter.features()).contains(needed) {
            let what = "indirect draws of instances from any number on";
            return Err(GpuError::Lacks { adapter: info.name, what });
        }
        let description = wgpu::DeviceDescriptor {
            label: Some("loligo"),
            required_features: needed | (scope(|| adapter.features()) & BLOCKS.union(ASTC)),
            required_limits: scope(|| adapter.limits()),
            ..Default::default()
        };
        let opened = scope(|| pollster::block_on(adapter.request_device(&description)));
        let (device, queue) = match opened {
            Ok((device, queue)) => (Kept::new(device), Kept::new(queue)),
            Err(why) => {
                return Err(GpuError::Device { adapter: info.name, why: Message::new(&why) });
            }
        };
        let problem = Arc::new(Mutex::new(None));
        let kept = Arc::clone(&problem);
        // Without a handler wgpu panics. The first problem is the cause of those that follow.
        scope(|| {
            device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
                let mut slot = kept.lock().unwrap_or_else(PoisonError::into_inner);
                slot.get_or_insert_with(|| Message::new(&error));
            }));
        });
        Ok(Self { device, queue, info, problem })
    }

    /// Returns what the device says of itself.
    #[must_use]
    pub const fn info(&self) -> &GpuInfo {
        &self.info
    }

    /// Returns `true` if it reads textures of blocks: [`Format::Bc1`](crate::Format) and its like.
    #[must_use]
    pub fn has_blocks(&self) -> bool {
        scope(|| self.device.features()).contains(BLOCKS)
    }

    /// Returns `true` if it reads textures of blocks of ASTC.
    #[must_use]
    pub fn has_astc(&self) -> bool {
        scope(|| self.device.features()).contains(ASTC)
    }

    /// Returns how wide and how high a texture may be.
    #[must_use]
    pub fn texture_pixels_max(&self) -> u32 {
        scope(|| self.device.limits().max_texture_dimension_2d)
    }

    /// Waits until everything is done that was submitted.
    ///
    /// # Errors
    ///
    /// [`GpuError::Lost`] if it is not done within a minute.
    pub fn try_wait(&self) -> Result<(), GpuError> {
        let poll = wgpu::PollType::Wait { submission_index: None, timeout: Some(WAIT) };
        match scope(|| self.device.poll(poll)) {
            Ok(_) => Ok(()),
            Err(why) => {
                Err(GpuError::Lost { what: "waiting for a frame", why: Message::new(&why) })
            }
        }
    }

    /// Returns what went wrong without a caller to say it to, once.
    pub(crate) fn take_problem(&self) -> Option<Message> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Calls wgpu and returns what it has to say against it.
    pub(crate) fn checked<R>(
        &self,
        what: &dyn fmt::Display,
        work: impl FnOnce() -> R,
    ) -> Result<R, GpuError> {
        scope(|| {
            let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
            let internal = self.device.push_error_scope(wgpu::ErrorFilter::Internal);
            let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
            let result = work();
            // In the opposite order; outside of browsers the answers are there at once.
            let refused = pollster::block_on(validation.pop());
            let failed = pollster::block_on(internal.pop());
            let out_of_memory = pollster::block_on(memory.pop());
            if out_of_memory.is_some() {
                return Err(GpuError::Memory { what: Message::new(what) });
            }
            match refused.or(failed) {
                None => Ok(result),
                Some(why) => {
                    Err(GpuError::Refused { what: Message::new(what), why: Message::new(&why) })
                }
            }
        })
    }
}

/// Returns what finds graphics cards.
pub(crate) fn new_instance(options: &GpuOptions) -> Kept<wgpu::Instance> {
    Kept::new(scope(|| {
        let mut description = wgpu::InstanceDescriptor::new_without_display_handle();
        description.backends = wgpu::Backends::PRIMARY;
        #[cfg(feature = "noop")]
        if options.adapter == AdapterChoice::Noop {
            description.backends = wgpu::Backends::NOOP;
            description.backend_options.noop.enable = true;
        }
        description.flags = if options.check_indirect {
            wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL
        } else {
            wgpu::InstanceFlags::empty()
        };
        wgpu::Instance::new(description)
    }))
}

/// Returns which of them is looked for.
pub(crate) fn wanted_adapter(
    options: &GpuOptions,
) -> wgpu::RequestAdapterOptions<'static, 'static> {
    wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        force_fallback_adapter: options.adapter == AdapterChoice::Software,
        ..Default::default()
    }
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gpu").field("info", &self.info).finish_non_exhaustive()
    }
}
