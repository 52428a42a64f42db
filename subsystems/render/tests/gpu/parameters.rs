//! What an object has for shaders besides its material.

use loligo_render::gpu::{GpuRenderer, MaterialData};
use loligo_render::{IndirectArgs, InstanceParameters, RowParameters};

use crate::scene::{color, draw_all, gpu, pixel, renderer, square, with_memory};

const TINTED: &str = "
struct Instance { x: vec4<f32>, y: vec4<f32>, z: vec4<f32> }
struct Parameters { color: vec4<f32>, numbers: vec4<f32> }
struct Frame { view_projection: mat4x4<f32> }
struct Material { base_color: vec4<f32> }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> instances: array<Instance>;
@group(0) @binding(4) var<storage, read> parameter_numbers: array<u32>;
@group(0) @binding(5) var<storage, read> parameters: array<Parameters>;
@group(1) @binding(0) var<uniform> material: Material;

struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) color: vec3<f32>,
}

@vertex
fn vs_main(@location(0) position: vec3<f32>, @builtin(instance_index) number: u32) -> Varying {
    var place = 0u;
    if number < arrayLength(&parameter_numbers) {
        place = parameter_numbers[number];
    }
    let own = parameters[place];
    let instance = instances[number];
    let point = vec4(position, 1.0);
    let world = vec3(dot(instance.x, point), dot(instance.y, point), dot(instance.z, point));
    let color = material.base_color.rgb * own.color.rgb + own.numbers.rgb;
    return Varying(frame.view_projection * vec4(world, 1.0), color);
}

@fragment
fn fs_main(in: Varying) -> @location(0) vec4<f32> {
    return vec4(in.color, 1.0);
}
";

const RED: InstanceParameters =
    InstanceParameters { color: [1.0, 0.0, 0.0, 1.0], ..InstanceParameters::NEUTRAL };
const BLUE: InstanceParameters =
    InstanceParameters { color: [0.0; 4], numbers: [0.0, 0.0, 1.0, 0.0] };

/// Draws the two squares by one record of one material; returns a pixel of each.
fn pair(renderer: &mut GpuRenderer<'_>, memory: &dyn loligo_allocators::Allocator) -> [[u8; 3]; 2] {
    let geometry = renderer.geometry(0).expect("it was set");
    let both = [(0, IndirectArgs::new(geometry, 0, 2))];
    let (sums, pixels) = draw_all(renderer, &both, memory).expect("it is drawn");
    assert_eq!(sums.records, 1, "one record for both");
    [pixel(&pixels, 8, 4), pixel(&pixels, 8, 12)]
}

#[test]
fn objects_of_one_draw_differ_by_their_parameters() {
    let Some(gpu) = gpu() else { return };
    with_memory(|memory| {
        let mut renderer = renderer(gpu, memory).expect("a device");
        renderer.try_set_shader(0, "tinted.shader", TINTED).expect("it is right");
        renderer.try_set_material(0, &color([1.0; 3], 0)).expect("a device");
        let background = MaterialData { shader: 1, ..MaterialData::default() };
        renderer.try_set_material(2, &background).expect("a device");
        square(&mut renderer).expect("it fits");
        let [white, red, blue] = [[255; 3], [255, 0, 0], [0, 0, 255]];
        assert_eq!(pair(&mut renderer, memory), [white, white], "nothing was ever set");
        let set = |renderer: &mut GpuRenderer<'_>, numbers: &[u32], values: &[_]| {
            let parameters = RowParameters { numbers, values };
            renderer.try_set_parameters(&parameters).expect("there is room");
            pair(renderer, memory)
        };
        let values = [InstanceParameters::NEUTRAL, RED, BLUE];
        assert_eq!(set(&mut renderer, &[0, 1], &values), [white, red]);
        assert_eq!(set(&mut renderer, &[2, 1], &values), [blue, red], "both");
        assert_eq!(set(&mut renderer, &[2, 1], &[values[0], BLUE, RED]), [red, blue], "others");
        assert_eq!(
            set(&mut renderer, &[1], &values),
            [red, white],
            "instances after all have none"
        );
        // More than before: the buffers are others.
        let mut many = vec![0; 5_000];
        (many[1], many[4_999]) = (299, 1);
        let mut far = vec![RED; 299];
        (far[0], far[298]) = (values[0], values[0]);
        far.push(BLUE);
        assert_eq!(set(&mut renderer, &many, &far), [white, blue]);
        assert_eq!(set(&mut renderer, &[], &[]), [white, white], "none any more");
    });
}
