//! The text of a glTF file.

use core::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use glam::{Quat, Vec3};

use crate::body::{BONES, Body};
use crate::mesh::Mesh;
use crate::picture::SQUARES;

/// What the bones do: for each frame where each bone is and how it is turned.
pub(crate) struct Animation {
    pub(crate) name: &'static str,
    pub(crate) rate: f32,
    pub(crate) frames: Vec<[(Vec3, Quat); BONES.len()]>,
}

/// A file under construction.
pub(crate) struct GltfText {
    nodes: String,
    mesh: String,
    skin: String,
    animations: Vec<String>,
    accessors: Vec<String>,
    views: Vec<String>,
    bytes: Vec<u8>,
}

const FLOAT: u32 = 5126;
const BYTE: u32 = 5121;
const SHORT: u32 = 5123;

impl GltfText {
    pub(crate) fn new(body: &Body) -> Self {
        let mut nodes = Vec::new();
        for (at, (name, _)) in BONES.iter().enumerate() {
            let [x, y, z] = body.offsets[at].to_array();
            let children: Vec<_> = (0..BONES.len())
                .filter(|child| BONES[*child].1 == Some(at))
                .map(|child| child.to_string())
                .collect();
            let children = match children.is_empty() {
                true => String::new(),
                false => format!(", \"children\": [ {} ]", children.join(", ")),
            };
            nodes.push(format!(
                "    {{ \"name\": \"{name}\", \"translation\": [ {x}, {y}, {z} ]{children} }}"
            ));
        }
        nodes.push("    { \"name\": \"body\", \"mesh\": 0, \"skin\": 0 }".to_owned());
        Self {
            nodes: nodes.join(",\n"),
            mesh: String::new(),
            skin: String::new(),
            animations: Vec::new(),
            accessors: Vec::new(),
            views: Vec::new(),
            bytes: Vec::new(),
        }
    }

    /// Adds an accessor and returns its number.
    fn add(
        &mut self,
        kind: &str,
        (component, count): (u32, usize),
        bytes: &[u8],
        more: &str,
    ) -> usize {
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0);
        }
        let (offset, length, view) = (self.bytes.len(), bytes.len(), self.views.len());
        self.views.push(format!(
            "    {{ \"buffer\": 0, \"byteOffset\": {offset}, \"byteLength\": {length} }}"
        ));
        self.accessors.push(format!(
            "    {{ \"bufferView\": {view}, \"componentType\": {component}, \"count\": {count}, \"type\": \"{kind}\"{more} }}"
        ));
        self.bytes.extend_from_slice(bytes);
        view
    }

    fn add_floats(&mut self, kind: &str, components: usize, floats: &[f32], more: &str) -> usize {
        let bytes: Vec<u8> = floats.iter().flat_map(|float| float.to_le_bytes()).collect();
        self.add(kind, (FLOAT, floats.len() / components), &bytes, more)
    }

    pub(crate) fn add_skin(&mut self, body: &Body, mesh: &Mesh) {
        let count = mesh.vertices.len();
        let places: Vec<f32> = mesh.vertices.iter().flat_map(|of| of.place.to_array()).collect();
        let (low, high) = mesh.vertices.iter().fold((Vec3::MAX, Vec3::MIN), |(low, high), of| {
            (low.min(of.place), high.max(of.place))
        });
        let bounds = format!(
            ", \"min\": [ {}, {}, {} ], \"max\": [ {}, {}, {} ]",
            low.x, low.y, low.z, high.x, high.y, high.z
        );
        let place = self.add_floats("VEC3", 3, &places, &bounds);
        let normals: Vec<f32> = mesh.vertices.iter().flat_map(|of| of.normal.to_array()).collect();
        let normal = self.add_floats("VEC3", 3, &normals, "");
        let middle = |color: usize| [(color as f32 + 0.5) / SQUARES as f32, 0.5];
        let uvs: Vec<f32> = mesh.vertices.iter().flat_map(|of| middle(of.color)).collect();
        let uv = self.add_floats("VEC2", 2, &uvs, "");
        let bones: Vec<u8> = mesh
            .vertices
            .iter()
            .flat_map(|of| [of.bones[0] as u8, of.bones[1] as u8, 0, 0])
            .collect();
        let joints = self.add("VEC4", (BYTE, count), &bones, "");
        let weights: Vec<u8> =
            mesh.vertices.iter().flat_map(|of| [255 - of.second, of.second, 0, 0]).collect();
        let weights = self.add("VEC4", (BYTE, count), &weights, ", \"normalized\": true");
        let corners: Vec<u8> =
            mesh.triangles.iter().flatten().flat_map(|corner| corner.to_le_bytes()).collect();
        let indices = self.add("SCALAR", (SHORT, 3 * mesh.triangles.len()), &corners, "");
        self.mesh = format!(
            "{{ \"attributes\": {{ \"POSITION\": {place}, \"NORMAL\": {normal}, \"TEXCOORD_0\": {uv}, \
             \"JOINTS_0\": {joints}, \"WEIGHTS_0\": {weights} }}, \"indices\": {indices} }}"
        );
        let mut matrices = Vec::new();
        for bone in 0..BONES.len() {
            let [x, y, z] = (-body.place(bone)).to_array();
            matrices
                .extend([1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, z, 1.0]);
        }
        let rests = self.add_floats("MAT4", 16, &matrices, "");
        let joints: Vec<_> = (0..BONES.len()).map(|bone| bone.to_string()).collect();
        self.skin = format!(
            "{{ \"name\": \"walker\", \"joints\": [ {} ], \"inverseBindMatrices\": {rests} }}",
            joints.join(", ")
        );
    }

    pub(crate) fn add_animation(&mut self, animation: &Animation) {
        let Animation { name, rate, frames } = animation;
        let times: Vec<f32> = (0..frames.len()).map(|frame| frame as f32 / rate).collect();
        let end = times.last().copied().unwrap_or(0.0);
        let bounds = format!(", \"min\": [ 0 ], \"max\": [ {end} ]");
        let time = self.add_floats("SCALAR", 1, &times, &bounds);
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        for bone in 0..BONES.len() {
            // What stays where it is has a key.
            let places: Vec<f32> = frames.iter().flat_map(|of| of[bone].0.to_array()).collect();
            let turns: Vec<f32> = frames.iter().flat_map(|of| of[bone].1.to_array()).collect();
            for (path, kind, numbers) in
                [("translation", "VEC3", places), ("rotation", "VEC4", turns)]
            {
                let components = if path == "rotation" { 4 } else { 3 };
                let first = &numbers[..components];
                if path == "translation"
                    && bone > 1
                    && numbers.chunks(components).all(|of| of == first)
                {
                    continue;
                }
                let output = self.add_floats(kind, components, &numbers, "");
                let sampler = samplers.len();
                samplers.push(format!("{{ \"input\": {time}, \"output\": {output} }}"));
                channels.push(format!(
                    "{{ \"sampler\": {sampler}, \"target\": {{ \"node\": {bone}, \"path\": \"{path}\" }} }}"
                ));
            }
        }
        self.animations.push(format!(
            "    {{ \"name\": \"{name}\",\n      \"channels\": [ {} ],\n      \"samplers\": [ {} ] }}",
            channels.join(", "),
            samplers.join(", ")
        ));
    }

    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let body = BONES.len();
        // A text takes all of it.
        let _ = write!(
            text,
            "{{\n  \"asset\": {{ \"version\": \"2.0\", \"generator\": \"loligo-animation, example walker\" }},\n  \
             \"scene\": 0,\n  \"scenes\": [ {{ \"nodes\": [ 0, {body} ] }} ],\n  \"nodes\": [\n{}\n  ],\n  \
             \"meshes\": [ {{ \"name\": \"walker\", \"primitives\": [ {} ] }} ],\n  \"skins\": [ {} ],\n  \
             \"animations\": [\n{}\n  ],\n  \"accessors\": [\n{}\n  ],\n  \"bufferViews\": [\n{}\n  ],\n  \
             \"buffers\": [ {{ \"byteLength\": {}, \"uri\": \"data:application/octet-stream;base64,{}\" }} ]\n}}\n",
            self.nodes,
            self.mesh,
            self.skin,
            self.animations.join(",\n"),
            self.accessors.join(",\n"),
            self.views.join(",\n"),
            self.bytes.len(),
            STANDARD.encode(&self.bytes)
        );
        text
    }
}
