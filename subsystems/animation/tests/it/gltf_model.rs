//! Small glTF files, made by hand.

use core::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A channel: node, path, interpolation, times and values.
pub(crate) type Curve<'c> = (usize, &'c str, &'c str, &'c [f32], &'c [f32]);

/// A file under construction: accessors over one buffer of floats.
#[derive(Default)]
pub(crate) struct Model {
    floats: Vec<f32>,
    views: String,
    accessors: String,
    count: usize,
    pub(crate) nodes: String,
    pub(crate) skins: String,
    pub(crate) animations: String,
}

impl Model {
    /// Adds numbers and returns the accessor's index.
    pub(crate) fn add(&mut self, kind: &str, components: usize, numbers: &[f32]) -> usize {
        let comma = if self.count == 0 { "" } else { ", " };
        let (offset, bytes) = (4 * self.floats.len(), 4 * numbers.len());
        write!(
            self.views,
            r#"{comma}{{ "buffer": 0, "byteOffset": {offset}, "byteLength": {bytes} }}"#
        )
        .expect("a text takes it");
        let (view, count) = (self.count, numbers.len() / components);
        write!(
            self.accessors,
            r#"{comma}{{ "bufferView": {view}, "componentType": 5126, "count": {count}, "type": "{kind}",
            "min": [ 0 ], "max": [ 9 ] }}"#
        )
        .expect("a text takes it");
        self.floats.extend_from_slice(numbers);
        self.count += 1;
        view
    }

    /// Adds an animation of channels.
    pub(crate) fn animate(&mut self, name: &str, channels: &[Curve<'_>]) {
        let (mut list, mut samplers) = (String::new(), String::new());
        for (at, (node, path, interpolation, times, values)) in channels.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            let input = self.add("SCALAR", 1, times);
            let output = match *path {
                "rotation" => self.add("VEC4", 4, values),
                "weights" => self.add("SCALAR", 1, values),
                _ => self.add("VEC3", 3, values),
            };
            write!(
                samplers,
                r#"{comma}{{ "input": {input}, "output": {output}, "interpolation": "{interpolation}" }}"#
            )
            .expect("a text takes it");
            write!(
                list,
                r#"{comma}{{ "sampler": {at}, "target": {{ "node": {node}, "path": "{path}" }} }}"#
            )
            .expect("a text takes it");
        }
        let comma = if self.animations.is_empty() { "" } else { ", " };
        write!(
            self.animations,
            r#"{comma}{{ "name": "{name}", "channels": [ {list} ], "samplers": [ {samplers} ] }}"#
        )
        .expect("a text takes it");
    }

    /// Returns the text of the file.
    pub(crate) fn text(&self) -> String {
        let bytes: Vec<u8> = self.floats.iter().flat_map(|float| float.to_le_bytes()).collect();
        let list = |name: &str, items: &str| match items.is_empty() {
            true => String::new(),
            false => format!(r#", "{name}": [ {items} ]"#),
        };
        format!(
            r#"{{ "asset": {{ "version": "2.0" }}, "scenes": [ {{ "nodes": [ 0 ] }} ],
            "nodes": [ {} ], "buffers": [ {{ "byteLength": {}, "uri": "data:;base64,{}" }} ]
            {}{}{}{} }}"#,
            self.nodes,
            bytes.len(),
            STANDARD.encode(&bytes),
            list("bufferViews", &self.views),
            list("accessors", &self.accessors),
            list("skins", &self.skins),
            list("animations", &self.animations),
        )
    }
}

/// Makes an arm: a root that turns z up to y up, a shoulder, an elbow and a prop that is no bone.
pub(crate) fn arm() -> Model {
    let mut model = Model {
        nodes: r#"
            { "name": "root", "rotation": [ -0.70710677, 0, 0, 0.70710677 ], "children": [ 3, 1 ] },
            { "name": "shoulder", "translation": [ 0, 0, 1 ], "children": [ 2 ] },
            { "name": "elbow", "translation": [ 0.5, 0, 0 ] },
            { "name": "prop" }"#
            .to_owned(),
        ..Model::default()
    };
    // Of the shoulder, and of the elbow: the way back from where they are in the bind pose.
    let matrix = |x: f32, z: f32| {
        [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, 0.0, z, 1.0]
    };
    let all = [matrix(0.0, -1.0), matrix(-0.5, -1.0)].concat();
    let matrices = model.add("MAT4", 16, &all);
    model.skins =
        format!(r#"{{ "name": "arm", "joints": [ 1, 2 ], "inverseBindMatrices": {matrices} }}"#);
    model
}
