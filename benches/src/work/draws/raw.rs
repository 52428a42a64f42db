//! wgpu without anything around it, with the calls that our renderer makes: the same groups,
//! records and draws.

use wgpu::util::{BufferInitDescriptor, DeviceExt as _};

use crate::clock;
use crate::work::draws::{CORNERS, DRAWS, Driver, RecordedCalls, SHADER, SIDE, STATES};

/// How draws are passed to wgpu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Calls {
    /// As our renderer does: a group and an indirect draw of many records.
    Same,
    /// A call for each draw, and a group where its state is another one.
    OneEach,
}

/// Bytes of a record.
const RECORD: u64 = 20;

/// Bytes of the numbers of a frame, of a transform, of a light, of a material.
const SIZES: [u64; 4] = [320, 48, 32, 48];

/// A device, and all that the draws need.
pub(crate) struct Raw {
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipeline: wgpu::RenderPipeline,
    view: wgpu::TextureView,
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
    records: wgpu::Buffer,
    numbers: wgpu::Buffer,
    frame: wgpu::BindGroup,
    materials: Vec<wgpu::BindGroup>,
    /// What a pass reads: nothing, and still a group.
    reads: wgpu::BindGroup,
    calls: Vec<[u32; 3]>,
    bytes: Vec<u8>,
}

impl Raw {
    /// Opens the device that our renderer uses, too; `None` if there is no device.
    pub(crate) fn new(driver: Driver, recorded: &RecordedCalls) -> Option<Self> {
        let (device, queue) = opened(driver)?;
        let buffer = |usage, contents: &[u8]| {
            device.create_buffer_init(&BufferInitDescriptor { label: None, contents, usage })
        };
        let zeroed = |usage, bytes: u64| buffer(usage, &vec![0; bytes as usize]);
        let copied = wgpu::BufferUsages::COPY_DST;
        let [numbers_bytes, transform, light, material] = SIZES;
        let storage = wgpu::BufferUsages::STORAGE | copied;
        let uniform = wgpu::BufferUsages::UNIFORM | copied;
        let numbers = zeroed(uniform, numbers_bytes);
        let transforms = zeroed(storage, transform * u64::from(DRAWS));
        let lights = zeroed(storage, light);
        let layouts = layouts(&device);
        let group = |layout: &wgpu::BindGroupLayout, entries: &[wgpu::BindGroupEntry<'_>]| {
            device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries })
        };
        let frame = group(
            &layouts[0],
            &[
                entry(0, numbers.as_entire_binding()),
                entry(1, transforms.as_entire_binding()),
                entry(2, lights.as_entire_binding()),
            ],
        );
        let white = target(&device, wgpu::TextureUsages::TEXTURE_BINDING);
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor::default());
        let materials = (0..STATES).map(|_| {
            let constants = zeroed(uniform, material);
            let entries = [
                entry(0, constants.as_entire_binding()),
                entry(1, wgpu::BindingResource::TextureView(&white)),
                entry(2, wgpu::BindingResource::Sampler(&sampler)),
            ];
            group(&layouts[1], &entries)
        });
        let indices = [0_u32, 1, 2].map(u32::to_ne_bytes);
        Some(Self {
            pipeline: pipeline(&device, &layouts),
            view: target(&device, wgpu::TextureUsages::RENDER_ATTACHMENT),
            vertices: buffer(
                wgpu::BufferUsages::VERTEX,
                bytemuck::cast_slice(CORNERS.as_flattened()),
            ),
            indices: buffer(wgpu::BufferUsages::INDEX, indices.as_flattened()),
            records: buffer(wgpu::BufferUsages::INDIRECT | copied, &recorded.records),
            numbers,
            frame,
            materials: materials.collect(),
            reads: group(&layouts[2], &[]),
            calls: recorded.calls.clone(),
            bytes: recorded.records.clone(),
            device,
            queue,
        })
    }

    /// Draws the frame, and waits outside of the clock until the card is done.
    pub(crate) fn pass(&self, told: Calls) -> u64 {
        let ns = clock::time(|| {
            self.queue.write_buffer(&self.numbers, 0, &[1; SIZES[0] as usize]);
            if told == Calls::Same {
                self.queue.write_buffer(&self.records, 0, &self.bytes);
            }
            let mut encoder = self.device.create_command_encoder(&Default::default());
            self.encode(&mut encoder, told);
            self.queue.submit([encoder.finish()]);
        });
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("the card answers");
        ns
    }

    fn encode(&self, encoder: &mut wgpu::CommandEncoder, told: Calls) {
        let color = wgpu::RenderPassColorAttachment {
            view: &self.view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations::default(),
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(color)],
            ..Default::default()
        });
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.set_bind_group(0, &self.frame, &[]);
        pass.set_bind_group(2, &self.reads, &[]);
        pass.set_pipeline(&self.pipeline);
        for [state, first, count] in &self.calls {
            pass.set_bind_group(1, &self.materials[*state as usize], &[]);
            match told {
                Calls::Same => {
                    let offset = u64::from(*first) * RECORD;
                    pass.multi_draw_indexed_indirect(&self.records, offset, *count);
                }
                Calls::OneEach => (*first..first + count).for_each(|number| {
                    pass.draw_indexed(0..3, 0, number..number + 1);
                }),
            }
        }
    }
}

fn entry(binding: u32, resource: wgpu::BindingResource<'_>) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry { binding, resource }
}

/// Opens a device in the way in which `loligo-gpu` does.
fn opened(driver: Driver) -> Option<(wgpu::Device, wgpu::Queue)> {
    let mut description = wgpu::InstanceDescriptor::new_without_display_handle();
    description.backends = match driver {
        Driver::Noop => wgpu::Backends::NOOP,
        Driver::Fast => wgpu::Backends::PRIMARY,
    };
    description.backend_options.noop.enable = driver == Driver::Noop;
    description.flags = wgpu::InstanceFlags::empty();
    let instance = wgpu::Instance::new(description);
    let request = wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        ..Default::default()
    };
    let adapter = pollster::block_on(instance.request_adapter(&request)).ok()?;
    let description = wgpu::DeviceDescriptor {
        required_features: wgpu::Features::INDIRECT_FIRST_INSTANCE,
        required_limits: adapter.limits(),
        ..Default::default()
    };
    pollster::block_on(adapter.request_device(&description)).ok()
}

/// The layouts of the groups of the frame, of a material, and of what a pass reads.
fn layouts(device: &wgpu::Device) -> [wgpu::BindGroupLayout; 3] {
    let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
        ty,
        count: None,
    };
    let buffer =
        |ty| wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
    let uniform = buffer(wgpu::BufferBindingType::Uniform);
    let storage = buffer(wgpu::BufferBindingType::Storage { read_only: true });
    let texture = wgpu::BindingType::Texture {
        sample_type: wgpu::TextureSampleType::Float { filterable: true },
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
    let sampler = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
    let groups: [&[wgpu::BindingType]; 3] =
        [&[uniform, storage, storage], &[uniform, texture, sampler], &[]];
    groups.map(|group| {
        let entries: Vec<_> = (0..).zip(group).map(|(number, ty)| entry(number, *ty)).collect();
        let description = wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries };
        device.create_bind_group_layout(&description)
    })
}

fn target(device: &wgpu::Device, usage: wgpu::TextureUsages) -> wgpu::TextureView {
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: SIDE, height: SIDE, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8UnormSrgb,
        usage,
        view_formats: &[],
    });
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

fn pipeline(device: &wgpu::Device, layouts: &[wgpu::BindGroupLayout; 3]) -> wgpu::RenderPipeline {
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        bind_group_layouts: &layouts.each_ref().map(Some),
        ..Default::default()
    });
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(SHADER.into()),
    });
    let attributes = wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32x2];
    let vertices = wgpu::VertexBufferLayout {
        array_stride: 32,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &attributes,
    };
    let color = wgpu::ColorTargetState {
        format: wgpu::TextureFormat::Rgba8UnormSrgb,
        blend: None,
        write_mask: wgpu::ColorWrites::ALL,
    };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("vs_main"),
            compilation_options: Default::default(),
            buffers: &[Some(vertices)],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("fs_main"),
            compilation_options: Default::default(),
            targets: &[Some(color)],
        }),
        multiview_mask: None,
        cache: None,
    })
}
