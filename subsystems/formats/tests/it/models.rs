//! Models, read by a compiler that lists what is in them.

use core::fmt::Write as _;
use std::fs;

use glam::Mat4;
use loligo_compiler::{CompileError, Compiler, Compilers, Context, Project, Threads};
use loligo_formats::GltfFile;

/// Writes where each node is, the parents first, and the numbers of each accessor.
struct Lister;

impl Compiler for Lister {
    fn version(&self) -> u32 {
        1
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let path = context.source_path().to_owned();
        let bytes = context.read(&path)?;
        let file = GltfFile::read(context, &path, &bytes)?;
        let mut list = String::new();
        file.walk(file.scene()?.nodes(), Mat4::IDENTITY, &mut |node, space| {
            let place = space.transform_point3(glam::Vec3::ZERO);
            writeln!(list, "{} {place}", node.name().unwrap_or("?")).expect("a text takes it");
            Ok(())
        })?;
        for accessor in file.document().accessors() {
            let view = file.view(&accessor)?;
            for index in 0..view.len() {
                let numbers: [f32; 2] = view.numbers(index);
                writeln!(list, "{index} of {}: {numbers:?}", view.len()).expect("a text takes it");
            }
        }
        if list.contains("wanted") {
            let names = ["one".to_owned(), "two".to_owned()];
            return Err(file.unnamed("node", "wanted", &names));
        }
        Ok(list.into_bytes())
    }
}

/// Compiles a model of these nodes and this accessor's text; returns the list, or the error.
fn listed(nodes: &str, accessor: &str) -> Result<String, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let (sources, data) = (folder.path().join("sources"), folder.path().join("data"));
    fs::create_dir(&sources).expect("a folder");
    let text = format!(
        r#"{{ "asset": {{ "version": "2.0" }}, "scenes": [ {{ "nodes": [ 0 ] }} ],
        "nodes": [ {nodes} ], "accessors": [ {accessor} ],
        "bufferViews": [ {{ "buffer": 0, "byteLength": 6 }} ],
        "buffers": [ {{ "byteLength": 6, "uri": "data:;base64,AID/AH//" }} ] }}"#
    );
    fs::write(sources.join("a.list"), text).expect("it can be written");
    let mut compilers = Compilers::built_in();
    compilers.register("list", Lister);
    let project = Project::new(&sources, &data, &compilers);
    let report = project.compile(&Threads::default()).expect("the folders are there");
    if let Some(error) = report.errors.first() {
        return Err(error.to_string());
    }
    let files = fs::read_dir(data.join("blobs")).expect("a folder").flatten();
    let texts = files.filter_map(|file| fs::read(file.path()).ok());
    let found = texts.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(found.filter(|text| text.contains("root [")).collect())
}

#[test]
fn nodes_are_visited_with_their_places() {
    let nodes = r#"
        { "name": "root", "translation": [ 1, 0, 0 ], "children": [ 2, 1 ] },
        { "name": "second", "translation": [ 0, 2, 0 ] },
        { "name": "first", "scale": [ 2, 2, 2 ], "children": [ 3 ] },
        { "name": "below", "translation": [ 0, 0, 3 ] }"#;
    let list = listed(nodes, "").expect("it is whole");
    let wanted = "root [1, 0, 0]\nfirst [1, 0, 0]\nbelow [1, 0, 6]\nsecond [1, 2, 0]\n";
    assert!(list.contains(wanted), "{list}");
}

#[test]
fn a_node_in_itself_is_no_endless_walk() {
    let ring = r#"{ "name": "root", "children": [ 1 ] }, { "children": [ 0 ] }"#;
    let error = listed(ring, "").expect_err("a ring");
    assert!(error.contains("in a ring") && error.contains("; export"), "{error}");
    let mut chain = r#"{ "name": "root", "children": [ 1 ] }"#.to_owned();
    for child in 2..400 {
        write!(chain, r#", {{ "children": [ {child} ] }}"#).expect("a text takes it");
    }
    chain += r#", { "name": "last" }"#;
    let error = listed(&chain, "").expect_err("too deep");
    assert!(error.contains("more than 256 deep"), "{error}");
}

#[test]
fn numbers_of_bytes_are_parts_of_one() {
    let root = r#"{ "name": "root" }"#;
    let of = |kind: u32, count: u32| {
        format!(
            r#"{{ "bufferView": 0, "componentType": {kind}, "count": {count}, "type": "VEC2", "normalized": true }}"#
        )
    };
    let list = listed(root, &of(5121, 3)).expect("it is whole");
    assert!(list.contains("0 of 3: [0.0, 0.5019608]\n1 of 3: [1.0, 0.0]"), "{list}");
    let list = listed(root, &of(5120, 3)).expect("it is whole");
    assert!(list.contains("0 of 3: [0.0, -1.0]\n1 of 3: [-0.007874016, 0.0]"), "{list}");
    let error = listed(root, &of(5121, 4)).expect_err("there are six bytes");
    assert!(error.contains("accessor 0 has 4 elements, one every 2 bytes, and 6 bytes"), "{error}");
}

#[test]
fn an_unknown_name_is_answered_with_those_there_are() {
    let error = listed(r#"{ "name": "wanted" }"#, "").expect_err("it is asked for");
    assert!(error.contains("`a.list` has no node `wanted`; name one of one, two"), "{error}");
}
