//! What the target `entities` and its seeds share: a world with a manager of each kind, sources to
//! inherit, and resources made of numbers.

use loligo_allocators::Allocator;
use loligo_containers::BlobBytes;
use loligo_entities::compile::{
    CompileErrorKind, ComponentCompiler, DataCompiler, NewPart, TagCompiler, TransformCompiler,
    compile, write,
};
use loligo_entities::{
    ComponentError, ComponentManager, ComponentType, Components, Data, Entities, EntityResource,
    Plain, Pose, SpawnError, Tags, Transforms, Unknown,
};

/// The sources that others may inherit.
pub const SOURCES: &[(&str, &[u8])] = &[
    ("a", br#"components = { tag = [ "x" ] data = { k = 1 o = { p = true } } } children = { c = {} }"#),
    ("b", br#"inherit = "a" children = { c = { inherit = "d" } e = null }"#),
    ("d", br#"components = { transform = { position = [ 1 2 3 ] scale = 2 } }"#),
    ("r", br#"children = { r = { inherit = "r" } }"#),
];

/// The compilers of all types.
pub const COMPILERS: [&dyn ComponentCompiler; 3] =
    [&DataCompiler, &TagCompiler, &TransformCompiler];

const PLAIN: ComponentType = ComponentType::new("plain", 7);

/// Compiles a source; what it comes to must be whole, and what it is refused for must be at a place
/// in it.
///
/// # Panics
///
/// If it is not.
pub fn compile_and_run(source: &[u8], memory: &dyn Allocator) {
    match compile("source", source, SOURCES, &COMPILERS, memory) {
        Ok(bytes) => {
            let resource = EntityResource::open(&bytes).expect("what is compiled is whole");
            let done = run(&resource, memory);
            let is_right = done.as_ref().err().is_none_or(is_memory);
            assert!(is_right, "what is compiled is refused: {done:?}");
        }
        Err(error) => {
            let lines = source.split(|byte| *byte == b'\n').count();
            let is_own = error.file == "source" && !matches!(error.kind, CompileErrorKind::Grow(_));
            assert!(!is_own || error.line as usize <= lines, "{error} in {lines} lines");
            assert!(!error.to_string().is_empty(), "it is told");
        }
    }
}

/// Opens any bytes.
pub fn open_and_run(bytes: &[u8], memory: &dyn Allocator) {
    let Ok(bytes) = BlobBytes::try_copy_in(bytes, memory) else { return };
    if let Ok(resource) = EntityResource::open(&bytes) {
        let _ = run(&resource, memory);
    }
}

/// Makes a resource of numbers, so that what is behind the checksum is reached: a byte for the
/// number of entities, a parent for each; then for each part a type, how many entities, these, how
/// many words of data, these.
pub fn build_and_run(bytes: &[u8], memory: &dyn Allocator) {
    let mut bytes = bytes.iter().copied();
    let mut take = |count: u8| -> Vec<u8> { bytes.by_ref().take(count.into()).collect() };
    let none = |byte: u8| if byte == 255 { u32::MAX } else { byte.into() };
    let Some(count) = take(1).first().copied() else { return };
    let parents: Vec<u32> = take(count).into_iter().map(none).collect();
    let types = [ComponentType::TRANSFORM, ComponentType::TAG, ComponentType::DATA, PLAIN];
    let mut parts = Vec::new();
    while let [which, entities, words] = take(3)[..] {
        let component = types[usize::from(which % 4)].name;
        let entities: Vec<u32> = take(entities % 32).into_iter().map(u32::from).collect();
        // Some words are small numbers, some large, some those of floats, some as they come.
        let words = (0..words).map_while(|_| match take(2)[..] {
            [0..100, word] => Some(u32::from(word)),
            [100..150, word] => Some(u32::MAX - u32::from(word)),
            [150..200, word] => Some(f32::from(word).to_bits()),
            [high, low] => Some(u32::from_le_bytes([low, high, low, high])),
            _ => None,
        });
        parts.push((component, entities, words.collect::<Vec<u32>>()));
    }
    let parts: Vec<NewPart<'_>> = parts
        .iter()
        .map(|(component, entities, data)| NewPart { component: *component, entities, data })
        .collect();
    let names = vec![0; parents.len()];
    let Ok(bytes) = write(&parents, &names, &parts, memory) else { return };
    if let Ok(resource) = EntityResource::open(&bytes) {
        let _ = run(&resource, memory);
    }
}

/// Spawns a resource, moves and links what came of it, and removes it.
fn run(resource: &EntityResource<'_>, memory: &dyn Allocator) -> Result<(), SpawnError> {
    let mut entities = Entities::new_in(memory);
    let mut transforms = Transforms::new_in(memory);
    let mut tags = Tags::new_in(memory);
    let mut data = Data::new_in(memory);
    let mut plain: Plain<'_, [u32; 2]> = Plain::new_in(PLAIN, memory);
    let mut managers: [&mut dyn ComponentManager; 4] =
        [&mut plain, &mut data, &mut tags, &mut transforms];
    let mut components = Components::new(&mut managers).expect("the types differ");
    let poses = [Pose::IDENTITY; 2];
    let made = entities.spawn(resource, &poses, &mut components, Unknown::Skip);
    let made = made.map(<[_]>::to_vec);
    let gone =
        made.as_ref().map_or(0, |made| entities.destroy(&made[..made.len() / 3], &mut components));
    if let Ok(made) = &made {
        assert_eq!(entities.len() + gone, made.len(), "the rest is there");
        for pair in made.windows(2) {
            let _ = transforms.link(pair[0], Some(pair[1]));
        }
        transforms.update(|_, _| {});
    } else {
        assert!(entities.is_empty() && transforms.is_empty() && tags.is_empty(), "in half");
        assert!(data.entities().is_empty() && plain.is_empty(), "in half");
    }
    let whole = [entities.validate(), transforms.validate(), tags.validate(), data.validate()];
    for result in whole.into_iter().chain([plain.validate()]) {
        result.unwrap_or_else(|damage| panic!("{damage}"));
    }
    made.map(drop)
}

/// Returns `true` if there was not enough memory, or not enough entities of a tag.
fn is_memory(error: &SpawnError) -> bool {
    match error {
        SpawnError::Ids(_) | SpawnError::Grow(_) => true,
        SpawnError::Component { error, .. } => !matches!(error, ComponentError::Data(_)),
        _ => false,
    }
}
