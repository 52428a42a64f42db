//! The devices of the system, by cpal.

use core::str::FromStr;
use std::boxed::Box;
use std::format;
use std::string::{String, ToString};

use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{
    BufferSize, Device, DeviceId, ErrorKind, FromSample, SampleFormat, SizedSample, Stream,
    StreamConfig, SupportedBufferSize, SupportedStreamConfig,
};

use super::frames::FramesOut;
use super::opened::{AudioDevice, AudioDevices, DeviceError};

/// The frames that a device is to ask for at a time: 11 ms.
const PIECE: u32 = 512;

/// The most channels of a device.
const CHANNELS_MAX: u16 = 32;

/// The devices of the system: the one that is chosen in its settings, or one by its name.
///
/// What the library has is on the global heap, and its thread is the library's.
#[derive(Clone, Debug, Default)]
pub struct SystemDevices {
    id: Option<String>,
}

impl SystemDevices {
    /// Returns the device that is chosen in the settings of the system, whichever that is when it is opened.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the device of an id, as `cpal` has them: `alsa:null`.
    #[must_use]
    pub fn named(id: &str) -> Self {
        Self { id: Some(id.to_string()) }
    }

    fn device(&self) -> Result<Device, DeviceError> {
        match &self.id {
            None => {
                let device = cpal::default_host().default_output_device();
                device.ok_or_else(|| unopened("the system has none"))
            }
            Some(id) => {
                let known = DeviceId::from_str(id).map_err(unopened)?;
                let host = cpal::host_from_id(known.host()).map_err(unopened)?;
                host.device_by_id(&known).ok_or_else(|| unopened(format!("there is no `{id}`")))
            }
        }
    }
}

impl AudioDevices for SystemDevices {
    fn open(&mut self, rate: u32, frames: FramesOut) -> Result<Box<dyn AudioDevice>, DeviceError> {
        let device = self.device()?;
        let chosen = choose(&device, rate)?;
        let rate = chosen.sample_rate();
        if !(1..=CHANNELS_MAX).contains(&chosen.channels()) || rate == 0 {
            return Err(unopened(format!("it has {} channels at {rate} Hz", chosen.channels())));
        }
        let config = StreamConfig {
            channels: chosen.channels(),
            sample_rate: rate,
            buffer_size: match chosen.buffer_size() {
                SupportedBufferSize::Range { min, max } if (*min..=*max).contains(&PIECE) => {
                    BufferSize::Fixed(PIECE)
                }
                _ => BufferSize::Default,
            },
        };
        let stream = match chosen.sample_format() {
            SampleFormat::F32 => build::<f32>(&device, config, frames),
            SampleFormat::F64 => build::<f64>(&device, config, frames),
            SampleFormat::I16 => build::<i16>(&device, config, frames),
            SampleFormat::I32 => build::<i32>(&device, config, frames),
            SampleFormat::U8 => build::<u8>(&device, config, frames),
            SampleFormat::U16 => build::<u16>(&device, config, frames),
            SampleFormat::U32 => build::<u32>(&device, config, frames),
            other => Err(unopened(format!("its samples are {other}"))),
        }?;
        stream.play().map_err(unopened)?;
        Ok(Box::new(SystemDevice { _stream: stream, rate }))
    }
}

/// A device of the system that plays.
struct SystemDevice {
    /// Ends when it is dropped.
    _stream: Stream,
    rate: u32,
}

impl AudioDevice for SystemDevice {
    fn rate(&self) -> u32 {
        self.rate
    }
}

/// Returns how a device is opened: with two channels of floats at the rate that is wanted, or as it wants itself.
fn choose(device: &Device, rate: u32) -> Result<SupportedStreamConfig, DeviceError> {
    let wanted = device.supported_output_configs().into_iter().flatten().find(|range| {
        range.channels() == 2
            && range.sample_format() == SampleFormat::F32
            && (range.min_sample_rate()..=range.max_sample_rate()).contains(&rate)
    });
    match wanted.and_then(|range| range.try_with_sample_rate(rate)) {
        Some(config) => Ok(config),
        None => device.default_output_config().map_err(unopened),
    }
}

fn build<T: SizedSample + FromSample<f32>>(
    device: &Device,
    config: StreamConfig,
    mut frames: FramesOut,
) -> Result<Stream, DeviceError> {
    let channels = usize::from(config.channels);
    let loss = frames.loss();
    let stream = device.build_output_stream::<T, _, _>(
        config,
        move |samples, _| {
            let count = samples.len() / channels;
            let mut places = samples.chunks_exact_mut(channels);
            frames.take(count, |frame| {
                if let Some(place) = places.next() {
                    write(frame, place);
                }
            });
        },
        move |error| match error.kind() {
            // It plays on.
            ErrorKind::DeviceChanged | ErrorKind::RealtimeDenied | ErrorKind::Xrun => {}
            _ => loss(),
        },
        None,
    );
    stream.map_err(unopened)
}

/// Writes a frame on the channels of a device: the middle of both on one, silence on those after the second.
fn write<T: SizedSample + FromSample<f32>>([left, right]: [f32; 2], place: &mut [T]) {
    match place {
        [only] => *only = T::from_sample((left + right) * 0.5),
        [first, second, others @ ..] => {
            (*first, *second) = (T::from_sample(left), T::from_sample(right));
            others.fill(T::EQUILIBRIUM);
        }
        [] => {}
    }
}

fn unopened(reason: impl ToString) -> DeviceError {
    DeviceError::Unopened { reason: reason.to_string() }
}
