// Stone, metal, paint and lamps: a sun with a soft shadow, light from the sky and from the ground, point lights, fog.
// Material: base color times texture times the object's own color; roughness, metallic, emission; textures of normals, surface and emission; cutout;
// extra.x metres that one tile of the texture covers on the ground and on walls (0: the mesh's own coordinates),
// extra.y how much the brightness differs from instance to instance (0 to 1).

struct Frame {
    view_projection: mat4x4<f32>,
    inverse_view_projection: mat4x4<f32>,
    sun_view_projection: mat4x4<f32>,
    eye: vec4<f32>,
    sun_direction: vec4<f32>,
    sun_color: vec4<f32>,
    sky_color: vec4<f32>,
    ground_color: vec4<f32>,
    fog: vec4<f32>,
    window: vec4<f32>,
    numbers: vec4<u32>,
    light_bins: vec4<f32>,
    sun_maps: array<mat4x4<f32>, 4>,
    sun_parts: array<vec4<f32>, 4>,
    sun_metres: vec4<f32>,
}

struct Instance {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

struct Light {
    place: vec4<f32>,
    color: vec4<f32>,
}

struct Parameters {
    color: vec4<f32>,
    numbers: vec4<f32>,
}

struct Material {
    base_color: vec4<f32>,
    surface: vec4<f32>,
    extra: vec4<f32>,
    textures: vec4<u32>,
}

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> instances: array<Instance>;
@group(0) @binding(2) var<storage, read> lights: array<Light>;
@group(0) @binding(3) var<storage, read> light_grid: array<u32>;
@group(0) @binding(4) var<storage, read> parameter_numbers: array<u32>;
@group(0) @binding(5) var<storage, read> parameters: array<Parameters>;
@group(1) @binding(0) var<uniform> material: Material;
@group(1) @binding(1) var color_texture: texture_2d<f32>;
@group(1) @binding(2) var color_sampler: sampler;
@group(2) @binding(0) var shadow_texture: texture_depth_2d;
@group(2) @binding(1) var shadow_sampler: sampler_comparison;
@group(3) @binding(0) var normal_texture: texture_2d<f32>;
@group(3) @binding(1) var surface_texture: texture_2d<f32>;
@group(3) @binding(2) var emission_texture: texture_2d<f32>;

const PI: f32 = 3.14159265;

// Bits of material.textures.
const HAS_NORMALS: u32 = 2u;
const HAS_SURFACE: u32 = 4u;
const HAS_EMISSION: u32 = 8u;

struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    @location(3) @interpolate(flat) brightness: f32,
    @location(4) @interpolate(flat) tint: vec4<f32>,
}

// The parameters of an object; white and zeros where it has none.
fn parameters_of(instance: u32) -> Parameters {
    var place = 0u;
    if instance < arrayLength(&parameter_numbers) {
        place = parameter_numbers[instance];
    }
    return parameters[place];
}

fn placed(instance: Instance, position: vec3<f32>) -> vec3<f32> {
    let point = vec4(position, 1.0);
    return vec3(dot(instance.x, point), dot(instance.y, point), dot(instance.z, point));
}

// Turns a normal by the cofactors of the matrix, which hold for any scale.
fn turned(instance: Instance, normal: vec3<f32>) -> vec3<f32> {
    let x = cross(instance.y.xyz, instance.z.xyz);
    let y = cross(instance.z.xyz, instance.x.xyz);
    let z = cross(instance.x.xyz, instance.y.xyz);
    return normalize(vec3(dot(x, normal), dot(y, normal), dot(z, normal)));
}

// A number from 0 to 1 that looks random.
fn hashed(number: u32) -> f32 {
    var bits = number * 747796405u + 2891336453u;
    bits = ((bits >> ((bits >> 28u) + 4u)) ^ bits) * 277803737u;
    bits = (bits >> 22u) ^ bits;
    return f32(bits) / 4294967295.0;
}

// Where in the texture a place is.
fn laid(world: vec3<f32>, normal: vec3<f32>, uv: vec2<f32>) -> vec2<f32> {
    let metres = material.extra.x;
    if metres <= 0.0 {
        return uv;
    }
    // The texture is laid along the two axes that the surface faces least.
    let facing = abs(normal);
    if facing.y >= max(facing.x, facing.z) {
        return world.xz / metres;
    }
    if facing.x >= facing.z {
        return vec2(world.z, -world.y) / metres;
    }
    return vec2(world.x, -world.y) / metres;
}

@vertex
fn vs_main(
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    @builtin(instance_index) number: u32,
) -> Varying {
    let instance = instances[number];
    var out: Varying;
    out.world = placed(instance, position);
    out.normal = turned(instance, normal);
    out.position = frame.view_projection * vec4(out.world, 1.0);
    out.uv = laid(out.world, out.normal, uv);
    out.brightness = 1.0 + material.extra.y * (hashed(number) - 0.5);
    out.tint = parameters_of(number).color;
    return out;
}

@vertex
fn vs_shadow(
    @location(0) position: vec3<f32>,
    @builtin(instance_index) number: u32,
) -> @builtin(position) vec4<f32> {
    return frame.sun_view_projection * vec4(placed(instances[number], position), 1.0);
}

struct Cut {
    @builtin(position) position: vec4<f32>,
    @location(0) uv: vec2<f32>,
    @location(1) @interpolate(flat) opacity: f32,
}

@vertex
fn vs_shadow_cutout(
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    @builtin(instance_index) number: u32,
) -> Cut {
    let instance = instances[number];
    let world = placed(instance, position);
    let opacity = material.base_color.a * parameters_of(number).color.a;
    return Cut(frame.sun_view_projection * vec4(world, 1.0), laid(world, turned(instance, normal), uv), opacity);
}

@fragment
fn fs_shadow_cutout(in: Cut) {
    let opacity = in.opacity * textureSample(color_texture, color_sampler, in.uv).a;
    if opacity < material.surface.w {
        discard;
    }
}

// Turns a normal by what the texture says. The directions in which the texture's rows and columns go on come from how
// place and uv change from pixel to pixel, so that vertices need none.
fn bent(normal: vec3<f32>, world: vec3<f32>, uv: vec2<f32>) -> vec3<f32> {
    // 128 is straight; blocks have no blue.
    let texel = (textureSample(normal_texture, color_sampler, uv).xy * 255.0 - 128.0) / 127.0;
    let out = sqrt(max(1.0 - dot(texel, texel), 0.0));
    let across = dpdx(world);
    let down = dpdy(world);
    let one = cross(down, normal);
    let other = cross(normal, across);
    let u = one * dpdx(uv.x) + other * dpdy(uv.x);
    let v = one * dpdx(uv.y) + other * dpdy(uv.y);
    // Rows of the screen go down, and backs are seen as well.
    let side = sign(dot(one, across)) * inverseSqrt(max(max(dot(u, u), dot(v, v)), 1e-30));
    return normalize(u * (side * texel.x) - v * (side * texel.y) + normal * out);
}

// How much of the sun is seen, from 0 to 1, by the finest shadow map that has the place.
fn sunlit(world: vec3<f32>, normal: vec3<f32>, pixel: vec2<f32>) -> f32 {
    let texels = vec2<f32>(textureDimensions(shadow_texture));
    let slope = 1.0 - abs(dot(normal, frame.sun_direction.xyz));
    for (var map = 0u; map < frame.numbers.w; map++) {
        // A step away from the surface, of a texel and a half, or it would lie in its own shadow.
        let away = world + normal * frame.sun_metres[map] * (0.7 + 1.3 * slope);
        let clip = frame.sun_maps[map] * vec4(away, 1.0);
        let part = frame.sun_parts[map];
        // What is looked at around the place is in the map as well.
        let inner = vec2(1.0) - 6.0 / (texels * part.zw);
        if all(abs(clip.xy) < inner) && clip.z >= 0.0 && clip.z <= 1.0 {
            let place = part.xy + (clip.xy * vec2(0.5, -0.5) + 0.5) * part.zw;
            return open(place, clip.z, 2.2 / texels, pixel);
        }
    }
    return 1.0;
}

// The share of sixteen places around one that are not in the shadow, turned by a pattern over the pixels.
fn open(place: vec2<f32>, depth: f32, reach: vec2<f32>, pixel: vec2<f32>) -> f32 {
    let turn = 6.2831853 * fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715))));
    var sum = 0.0;
    for (var at = 0u; at < 16u; at++) {
        let radius = sqrt((f32(at) + 0.5) / 16.0);
        let angle = f32(at) * 2.3999632 + turn;
        let offset = vec2(cos(angle), sin(angle)) * radius * reach;
        sum += textureSampleCompareLevel(shadow_texture, shadow_sampler, place + offset, depth);
    }
    return sum / 16.0;
}

// The light that a surface throws back towards the eye, for one direction that light comes from.
fn reflected(
    base: vec3<f32>,
    roughness: f32,
    metallic: f32,
    normal: vec3<f32>,
    to_eye: vec3<f32>,
    to_light: vec3<f32>,
) -> vec3<f32> {
    let facing = max(dot(normal, to_light), 0.0);
    let half_way = normalize(to_eye + to_light);
    let n_h = max(dot(normal, half_way), 0.0);
    let n_v = max(dot(normal, to_eye), 0.001);
    let v_h = max(dot(to_eye, half_way), 0.0);
    let alpha = max(roughness * roughness, 0.002);
    let spread = n_h * n_h * (alpha * alpha - 1.0) + 1.0;
    let facets = alpha * alpha / (PI * spread * spread);
    let k = (roughness + 1.0) * (roughness + 1.0) / 8.0;
    let hidden = 1.0 / (4.0 * (n_v * (1.0 - k) + k) * (facing * (1.0 - k) + k));
    let head_on = mix(vec3(0.04), base, metallic);
    let mirrored = head_on + (1.0 - head_on) * pow(1.0 - v_h, 5.0);
    let spread_out = base * (1.0 - metallic) / PI;
    return (spread_out * (1.0 - mirrored) + mirrored * (facets * hidden)) * facing;
}

@fragment
fn fs_main(in: Varying, @builtin(front_facing) is_front: bool) -> @location(0) vec4<f32> {
    return lit(in, is_front, textureSample(color_texture, color_sampler, in.uv));
}

@fragment
fn fs_cutout(in: Varying, @builtin(front_facing) is_front: bool) -> @location(0) vec4<f32> {
    let texel = textureSample(color_texture, color_sampler, in.uv);
    let color = lit(in, is_front, texel);
    if color.a < material.surface.w {
        discard;
    }
    return color;
}

fn lit(in: Varying, is_front: bool, texel: vec4<f32>) -> vec4<f32> {
    var surface = vec3(1.0);
    if (material.textures.x & HAS_SURFACE) != 0u {
        surface = textureSample(surface_texture, color_sampler, in.uv).rgb;
    }
    let color = material.base_color * in.tint;
    var emission = color.rgb * material.surface.z;
    if (material.textures.x & HAS_EMISSION) != 0u {
        emission *= textureSample(emission_texture, color_sampler, in.uv).rgb;
    } else {
        emission *= texel.rgb;
    }
    let base = color.rgb * texel.rgb * in.brightness;
    let roughness = clamp(material.surface.x * surface.y, 0.05, 1.0);
    let metallic = material.surface.y * surface.z;
    var normal = normalize(in.normal) * select(-1.0, 1.0, is_front);
    if (material.textures.x & HAS_NORMALS) != 0u {
        normal = bent(normal, in.world, in.uv);
    }
    let from_eye = in.world - frame.eye.xyz;
    let distance = length(from_eye);
    let to_eye = -from_eye / distance;

    // From above comes the sky's light, from below what the ground throws back.
    let up = normal.y * 0.5 + 0.5;
    let around = mix(frame.ground_color.rgb, frame.sky_color.rgb, up);
    let head_on = mix(vec3(0.04), base, metallic);
    let grazing = pow(1.0 - max(dot(normal, to_eye), 0.0), 5.0);
    let mirror_up = reflect(-to_eye, normal).y * 0.5 + 0.5;
    let mirrored = mix(frame.ground_color.rgb, frame.sky_color.rgb, mirror_up);
    let shine = (head_on + (1.0 - head_on) * grazing * (1.0 - roughness)) * (1.0 - roughness * 0.7);
    var light = (base * (1.0 - metallic) * around + mirrored * shine) * surface.x;

    let to_sun = frame.sun_direction.xyz;
    if dot(normal, to_sun) > 0.0 {
        let sun = frame.sun_color.rgb * sunlit(in.world, normal, in.position.xy);
        light += PI * sun * reflected(base, roughness, metallic, normal, to_eye, to_sun);
    }
    // The lights whose bits are set in the word of the pixel's tile, between the first and the last of its depth.
    let clip = frame.view_projection * vec4(in.world, 1.0);
    let place = (clip.xy / clip.w * vec2(0.5, -0.5) + 0.5) * vec2(32.0, 18.0);
    let tile = vec2<u32>(clamp(place, vec2(0.0), vec2(31.0, 17.0)));
    let bin = light_grid[u32(clamp((clip.w - frame.light_bins.x) * frame.light_bins.y, 0.0, 255.0))];
    let first = bin & 0xffffu;
    let last = bin >> 16u;
    for (var word = first / 32u; first <= last && word <= last / 32u; word++) {
        let low = select(0u, first % 32u, word == first / 32u);
        let high = select(31u, last % 32u, word == last / 32u);
        var bits = light_grid[256u + word * 576u + tile.y * 32u + tile.x];
        bits = extractBits(bits, low, high - low + 1u) << low;
        while bits != 0u {
            let lamp = lights[word * 32u + firstTrailingBit(bits)];
            bits &= bits - 1u;
            let away = lamp.place.xyz - in.world;
            let squared = dot(away, away);
            let range = lamp.place.w;
            let near = saturate(1.0 - squared / (range * range));
            if near > 0.0 {
                let strength = lamp.color.w * near * near / (squared + 0.25);
                let direction = away * inverseSqrt(squared + 0.0001);
                light += strength * lamp.color.rgb
                    * reflected(base, roughness, metallic, normal, to_eye, direction);
            }
        }
    }
    light += emission;

    // Haze takes on the color of the sun where one looks into it.
    let haze = 1.0 - exp(-frame.fog.w * distance);
    let into_sun = pow(max(dot(-to_eye, to_sun), 0.0), 8.0);
    let fog = frame.fog.rgb + frame.sun_color.rgb * (0.25 * into_sun);
    return vec4(mix(light, fog, haze), color.a * texel.a);
}
