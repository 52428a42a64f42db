//! Entities and levels of a project: what they inherit, what they refer to, how their faults are
//! reported.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use loligo_compiler::{Compilers, Dependency, Entry, Index, Project, Report, Threads};
use loligo_containers::BlobBytes;
use loligo_entities::compile::{PlainCompiler, PlainField, PlainKind, register, standard};
use loligo_entities::{ComponentType, EntityResource, ResourceWords};
use loligo_ids::{IdString32, IdString64};
use loligo_resources::HEADER_BYTES;

use crate::memory::with_memory;

const RENDER: PlainCompiler = PlainCompiler {
    name: "render",
    component: ComponentType::new("render", 50),
    fields: &[
        PlainField {
            key: "mesh",
            kind: PlainKind::Resource { type_name: "data", is_needed: true },
        },
        PlainField {
            key: "material",
            kind: PlainKind::Resource { type_name: "data", is_needed: false },
        },
        PlainField { key: "size", kind: PlainKind::Number(1.0) },
        PlainField { key: "axis", kind: PlainKind::Vector([0.0, 1.0, 0.0]) },
        PlainField { key: "color", kind: PlainKind::Quad([1.0; 4]) },
        PlainField { key: "hidden", kind: PlainKind::Bool(false) },
        PlainField { key: "layer", kind: PlainKind::Name },
    ],
    known: "mesh, material, size, axis, color, hidden, layer",
};

struct Place {
    folder: tempfile::TempDir,
    compilers: Compilers,
}

impl Place {
    fn with(files: &[(&str, &str)]) -> Self {
        let mut compilers = Compilers::built_in();
        let mut components = standard();
        components.push(Arc::new(RENDER));
        register(&mut compilers, components);
        let place = Self { folder: tempfile::tempdir().expect("a folder"), compilers };
        for (path, contents) in files {
            place.write(path, contents);
        }
        place
    }

    fn write(&self, path: &str, contents: &str) {
        let path = self.folder.path().join("sources").join(path);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
        fs::write(path, contents).expect("it can be written");
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn compile(&self) -> Report {
        let sources = self.folder.path().join("sources");
        let project = Project::new(&sources, &self.data(), &self.compilers);
        project.compile(&Threads::default()).expect("the folders are there")
    }

    fn errors(&self) -> Vec<String> {
        self.compile().errors.iter().map(ToString::to_string).collect()
    }

    fn entry(&self, name: &str) -> Entry {
        let bytes = fs::read(self.data().join("index")).expect("it is there");
        let index = Index::from_bytes(&bytes).expect("it is whole");
        let found = index.entries.iter().find(|entry| entry.name.name == name).cloned();
        found.expect("it was compiled")
    }

    fn open<R>(&self, name: &str, check: impl FnOnce(&EntityResource<'_>) -> R) -> R {
        let file = self.entry(name).output.expect("it went well").file;
        let bytes = fs::read(self.data().join(format!("blobs/{file}"))).expect("it is there");
        with_memory(|memory| {
            let copy = BlobBytes::try_copy_in(&bytes[HEADER_BYTES..], memory).expect("memory");
            check(&EntityResource::open(&copy).expect("it was compiled"))
        })
    }
}

#[test]
fn what_is_inherited_is_a_dependency() {
    let place = Place::with(&[
        ("cave.level", r#"entities = { a = { inherit = "units/goblin" } }"#),
        ("units/goblin.entity", r#"inherit = "units/monster""#),
        ("units/monster.entity", r#"components = { tag = "enemy" }"#),
        ("other.entity", ""),
    ]);
    assert_eq!((place.compile().compiled, place.errors()), (4, vec![]));
    let paths: Vec<String> = place
        .entry("cave")
        .dependencies
        .iter()
        .filter_map(|one| match one {
            Dependency::File { path, .. } => Some(path.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(paths, ["cave.level", "units/goblin.entity", "units/monster.entity"]);
    place.write("units/monster.entity", r#"components = { tag = [ "enemy" "large" ] }"#);
    assert_eq!(place.compile().compiled, 3, "the level, the goblin, the monster");
    // A variant for this platform takes the place of the other.
    let platform = loligo_compiler::Platform::here().name;
    place.write(&format!("units/monster.{platform}.entity"), "");
    assert_eq!(place.errors(), [""; 0]);
    let has_tags = place.open("cave", |level| level.part(ComponentType::TAG.name).is_some());
    assert!(!has_tags, "the monster of this platform has none");
}

#[test]
fn a_component_of_plain_data_leads_to_resources() {
    let place = Place::with(&[
        ("door.data", "a mesh"),
        ("wood.data", "a material"),
        (
            "a.entity",
            r#"components = { render = { mesh = "door" material = "wood" size = 2 axis = [ 1 2 3 ]
            color = [ 1 0 0 1 ] hidden = true layer = "glass" } }"#,
        ),
        ("b.entity", r#"components = { render = { mesh = "door" } }"#),
    ]);
    assert_eq!(place.errors(), [""; 0]);
    let words = |name| {
        place.open(name, |entity| entity.part(RENDER.component.name).map(|part| part.data.to_vec()))
    };
    let name = |name| {
        let words = ResourceWords::of(IdString64::new(name));
        [words.low, words.high]
    };
    let floats = |floats: &[f32]| floats.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
    let a = [
        name("door").to_vec(),
        name("wood").to_vec(),
        floats(&[2.0, 1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 1.0]),
        vec![1, IdString32::new("glass").hash()],
    ];
    assert_eq!(words("a"), Some(a.concat()));
    let b = [
        name("door").to_vec(),
        vec![0, 0],
        floats(&[1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0]),
        vec![0, IdString32::new("").hash()],
    ];
    assert_eq!(words("b"), Some(b.concat()));
}

#[test]
fn a_fault_has_its_file_its_place_and_what_was_done() {
    let place = Place::with(&[
        (
            "cave.level",
            "entities = {\n  one = { children = { hand = { components = { transform = { scale = \"big\" } } } } }\n}",
        ),
        ("door.entity", "inherit = \"none\""),
        ("gate.entity", "components = { render = { mesh = \"gone\"\n material = \"gone\" } }"),
        ("hall.level", "instances = [\n { inherit = \"wrong\" positions = [] } ]"),
        ("wrong.entity", "components = {\n  render = { size = 1 } }"),
        ("yard.level", "components = {}"),
        ("zoo.entity", "entities = {}"),
        ("up.entity", "inherit = \"../up\""),
    ]);
    let errors = place.errors();
    let wanted = [
        "cave.level:2:70: expected a scale `[ x y z ]` or one number, found `\"big\"`; write that [resource cave of type level]\n    \
         When compiling: cave.level\n    In the entity: one\n    In the entity: hand\n    In the component: transform",
        "door.entity:1:11: there is no source `none` to inherit; is the name right? [resource door of type entity]\n    \
         When compiling: door.entity",
        "gate.entity:1:34: there is no resource `gone` of type `data`; add its source, or name another [resource gate of type entity]",
        "up.entity:1:11: `../up` is no path in the project; give the path from the project's folder on, `/` between its steps \
         and none that begins with a dot [resource up of type entity]\n    When compiling: up.entity",
        "wrong.entity:2:12: there is no `mesh` here; add it [resource wrong of type entity]\n    \
         When compiling: wrong.entity\n    In the component: render",
        "wrong.entity:2:12: there is no `mesh` here; add it [resource hall of type level]\n    \
         When compiling: hall.level\n    In the instances: 0\n    In the component: render",
        "yard.level:1:1: the key `components` means nothing here; the keys are entities, instances [resource yard of type level]\n    \
         When compiling: yard.level",
        "zoo.entity:1:1: the key `entities` means nothing here; the keys are inherit, components, children [resource zoo of type entity]\n    \
         When compiling: zoo.entity",
    ];
    for (error, wanted) in errors.iter().zip(wanted) {
        assert_eq!(error, wanted);
    }
    assert_eq!(errors.len(), wanted.len(), "{errors:?}");
}
