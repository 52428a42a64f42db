//! Components of entities: the words of a source are the plain data that a world reads.

use loligo_allocators::Allocator;
use loligo_entities::EntityResource;
use loligo_entities::compile::{ComponentCompiler, compile};
use loligo_ids::{IdString32, IdString64};
use loligo_physics::compile::components;
use loligo_physics::{ACTOR, ActorSource, JOINT, JointForm, JointSource};

use crate::memory::with_memory;

/// Compiles the components of an entity, and calls `test` with their words.
fn words_of<R>(
    text: &str,
    memory: &dyn Allocator,
    test: impl FnOnce(&EntityResource<'_>) -> R,
) -> Result<R, String> {
    let components = components();
    let components: Vec<&dyn ComponentCompiler> =
        components.iter().map(|one| &**one as &dyn ComponentCompiler).collect();
    let text = format!("components = {{ {text} }}");
    let bytes = compile("a.entity", text.as_bytes(), &[][..], &components, memory);
    let bytes = bytes.map_err(|error| error.to_string())?;
    Ok(test(&EntityResource::open(&bytes).expect("it was just compiled")))
}

fn joint_of(text: &str) -> Result<JointSource, String> {
    with_memory(|memory| {
        words_of(&format!("joint = {{ {text} }}"), memory, |resource| {
            let part = resource.part(JOINT.name).expect("there is one");
            *bytemuck::from_bytes(bytemuck::cast_slice(part.data))
        })
    })
}

#[test]
fn an_actor_is_plain_words() {
    let source = r#"actor = { collision = "crates/big" template = "crate" velocity = [ 1 2 3 ] disabled = true }"#;
    let actor: ActorSource = with_memory(|memory| {
        words_of(source, memory, |resource| {
            let part = resource.part(ACTOR.name).expect("there is one");
            *bytemuck::from_bytes(bytemuck::cast_slice(part.data))
        })
    })
    .expect("it is right");
    assert_eq!(actor.collision.name(), Some(IdString64::new("crates/big")));
    assert_eq!(actor.template, IdString32::new("crate").hash());
    assert_eq!((actor.is_disabled, actor.velocity, actor.spin), (1, [1.0, 2.0, 3.0], [0.0; 3]));
}

#[test]
fn a_joint_is_plain_words() {
    let joint = joint_of(
        r#"kind = "hinge" other = "plank" position = [ 0 0 1 ] rotation = [ 0 0 2 0 ] limits = [ -90 45 ]
        motor = { target = 180 stiffness = 5 damping = 0.5 force = 100 } collide = true"#,
    )
    .expect("it is right");
    assert_eq!(joint.kind(), Some(JointForm::Hinge));
    assert_eq!(joint.other, IdString32::new("plank").hash());
    assert_eq!((joint.position, joint.rotation), ([0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]));
    let flags = JointSource::HAS_LIMITS
        | JointSource::HAS_MOTOR
        | JointSource::HAS_TARGET
        | JointSource::COLLIDES;
    assert_eq!(joint.flags, flags);
    assert_eq!(joint.limits, [-90.0_f32, 45.0].map(f32::to_radians));
    assert_eq!((joint.target, joint.speed), (180.0_f32.to_radians(), 0.0));
    assert_eq!((joint.stiffness, joint.damping, joint.force), (5.0, 0.5, 100.0));
    let spring =
        joint_of(r#"kind = "spring" length = 2 other_position = [ 1 0 0 ]"#).expect("right");
    assert_eq!((spring.kind(), spring.other), (Some(JointForm::Spring), 0));
    assert_eq!(spring.flags, JointSource::HAS_OTHER_FRAME);
    assert_eq!((spring.length, spring.stiffness, spring.damping), (2.0, 100.0, 1.0));
    let slider =
        joint_of(r#"kind = "slider" limits = [ 0 2 ] motor = { speed = 1.5 }"#).expect("right");
    assert_eq!((slider.limits, slider.speed), ([0.0, 2.0], 1.5), "metres are metres");
}

#[test]
fn what_is_wrong_is_named() {
    let cases = [
        (r#"kind = "hing""#, "\"fixed\", \"hinge\", \"slider\", \"ball\" or \"spring\""),
        (r#"other = "a""#, "kind"),
        (r#"kind = "ball" limits = [ 0 1 ]"#, "is for hinges and sliders"),
        (r#"kind = "hinge" limits = [ 10 -10 ]"#, "write the smaller number first"),
        (r#"kind = "hinge" limits = [ -200 10 ]"#, "write degrees from -180 to 180"),
        (r#"kind = "hinge" stiffness = 4"#, "is for springs"),
        (r#"kind = "hinge" motor = { sped = 4 }"#, "known are speed, target"),
        (r#"kind = "slider" motor = { force = -4 }"#, "is below 0"),
        (r#"kind = "fixed" motor = {}"#, "is for hinges and sliders"),
        (r#"kind = "hinge" rotation = [ 0 0 0 0 ]"#, "is not a rotation"),
        (r#"kind = "hinge" othr = "a""#, "othr"),
        (r#"kind = "hinge" other = """#, "the name of an entity in quotes"),
    ];
    for (source, expected) in cases {
        let error = joint_of(source).expect_err(source);
        assert!(error.starts_with("a.entity:1:") && error.contains(expected), "{source}\n{error}");
    }
}
