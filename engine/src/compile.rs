//! The engine's own components in sources: for tools, enabled by the feature `compile`; a game is
//! built without.
//!
//! ```text
//! components = {
//!     model = { mesh = "meshes/tower" material = "materials/stone" hidden = false }
//!     parameters = { color = [ 1 0.5 0.5 1 ] numbers = [ 0 0 0 0 ] }               // of the model's own, for shaders
//!     weights = { smile = 0.5 }                                                  // of targets of its mesh, by name
//!     camera = { field_of_view = 60 near = 0.1 far = 1000 }                      // degrees, metres
//!     sun = {                                                                    // it shines along its -z
//!         color = [ 1 0.95 0.86 ] intensity = 3 sky = [ 0.36 0.46 0.62 ] ground = [ 0.2 0.17 0.13 ]
//!         fog = [ 0.62 0.7 0.8 ] fog_density = 0.002 shadow_distance = 80
//!     }
//!     light = { color = [ 1 0.82 0.6 ] intensity = 10 range = 8 }                // into all directions; metres
//! }
//! ```

use bytemuck::{Pod, cast_slice};
use loligo_compiler::Compilers;
use loligo_containers::Array;
use loligo_entities::ComponentType;
use loligo_entities::compile::{
    CompileError, ComponentCompiler, Config, Field, SharedComponentCompiler, standard,
};
use loligo_ids::IdString32;
use loligo_render::{InstanceParameters, MATERIAL_TYPE, MESH_HIDDEN, MESH_TYPE, MorphWeights};
use std::sync::Arc;

mod game;

pub use game::{GAME_KEYS, GameConfigCompiler};

use crate::world::{
    CAMERA, Camera, LIGHT, MODEL, Model, PARAMETERS, PointLight, SUN, Sun, WEIGHTS,
};

/// Registers the compilers of the game's settings, and of levels and entities with all components
/// that the engine knows.
///
/// # Examples
///
/// ```
/// use loligo_compiler::Compilers;
///
/// let mut compilers = Compilers::built_in();
/// loligo_engine::compile::register(&mut compilers);
/// assert!(compilers.get("level").is_some());
/// ```
pub fn register(compilers: &mut Compilers) {
    loligo_entities::compile::register(compilers, components());
    compilers.register("config", GameConfigCompiler);
    crate::subsystems::register_compilers(compilers);
}

/// Returns the compilers of all components that the engine knows: a game with other components
/// adds those, and registers all again.
#[must_use]
pub fn components() -> Vec<SharedComponentCompiler> {
    let mut components = standard();
    components.extend([
        Arc::new(ModelCompiler) as SharedComponentCompiler,
        Arc::new(ParametersCompiler),
        Arc::new(WeightsCompiler),
        Arc::new(CameraCompiler),
        Arc::new(SunCompiler),
        Arc::new(LightCompiler),
    ]);
    components.extend(crate::rows::components());
    components
}

/// Compiles models: both resources are to be named.
#[derive(Clone, Copy, Debug)]
pub struct ModelCompiler;

impl ComponentCompiler for ModelCompiler {
    fn name(&self) -> &'static str {
        "model"
    }

    fn component(&self) -> ComponentType {
        MODEL
    }

    fn compile<'s>(
        &self,
        config: &Config<'_, 's>,
        words: &mut Array<'_, u32>,
    ) -> Result<(), CompileError<'s>> {
        config.allow(&["mesh", "material", "hidden"], "mesh, material, hidden")?;
        let mesh = config.resource(&config.need("mesh")?, MESH_TYPE)?;
        let material = config.resource(&config.need("material")?, MATERIAL_TYPE)?;
        let hidden = config.field("hidden").map_or(Ok(false), |hidden| hidden.bool())?;
        append(&Model::new(mesh, material, if hidden { MESH_HIDDEN } else { 0 }), words)
    }
}

/// Compiles parameters of models.
#[derive(Clone, Copy, Debug)]
pub struct ParametersCompiler;

impl ComponentCompiler for ParametersCompiler {
    fn name(&self) -> &'static str {
        "parameters"
    }

    fn component(&self) -> ComponentType {
        PARAMETERS
    }

    fn compile<'s>(
        &self,
        config: &Config<'_, 's>,
        words: &mut Array<'_, u32>,
    ) -> Result<(), CompileError<'s>> {
        config.allow(&["color", "numbers"], "color, numbers")?;
        let mut parameters = InstanceParameters::NEUTRAL;
        if let Some(field) = config.field("color") {
            parameters.color = field.numbers("a color `[ red green blue opacity ]`")?;
        }
        if let Some(field) = config.field("numbers") {
            parameters.numbers = field.numbers("four numbers for the shader")?;
        }
        append(&parameters, words)
    }
}

/// Compiles weights of the targets of models.
#[derive(Clone, Copy, Debug)]
pub struct WeightsCompiler;

impl ComponentCompiler for WeightsCompiler {
    fn name(&self) -> &'static str {
        "weights"
    }

    fn component(&self) -> ComponentType {
        WEIGHTS
    }

    fn compile<'s>(
        &self,
        config: &Config<'_, 's>,
        words: &mut Array<'_, u32>,
    ) -> Result<(), CompileError<'s>> {
        let mut weights = MorphWeights::default();
        let entries = config.value().and_then(|value| value.entries());
        for (name, weight) in entries.into_iter().flatten() {
            if !weights.set(IdString32::new(name), weight.number()?) {
                return Err(weight.error("more than 64 targets have weights; name fewer"));
            }
        }
        append(&weights, words)
    }
}

/// Compiles cameras.
#[derive(Clone, Copy, Debug)]
pub struct CameraCompiler;

impl ComponentCompiler for CameraCompiler {
    fn name(&self) -> &'static str {
        "camera"
    }

    fn component(&self) -> ComponentType {
        CAMERA
    }

    fn compile<'s>(
        &self,
        config: &Config<'_, 's>,
        words: &mut Array<'_, u32>,
    ) -> Result<(), CompileError<'s>> {
        config.allow(&["field_of_view", "near", "far"], "field_of_view, near, far")?;
        let mut camera = Camera::default();
        if let Some(field) = config.field("field_of_view") {
            let degrees = within(&field, 1.0..=170.0, "an angle in degrees, from 1 to 170")?;
            camera.field_of_view = degrees.to_radians();
        }
        if let Some(field) = config.field("near") {
            camera.near = within(&field, 1e-4..=1e4, "a distance in metres, from 0.0001 to 10000")?;
        }
        if let Some(field) = config.field("far") {
            camera.far = within(&field, camera.near * 2.0..=1e6, "a distance beyond twice `near`")?;
        }
        append(&camera, words)
    }
}

/// Compiles suns.
#[derive(Clone, Copy, Debug)]
pub struct SunCompiler;

impl ComponentCompiler for SunCompiler {
    fn name(&self) -> &'static str {
        "sun"
    }

    fn component(&self) -> ComponentType {
        SUN
    }

    fn compile<'s>(
        &self,
        config: &Config<'_, 's>,
        words: &mut Array<'_, u32>,
    ) -> Result<(), CompileError<'s>> {
        const KEYS: [&str; 7] =
            ["color", "intensity", "sky", "ground", "fog", "fog_density", "shadow_distance"];
        config.allow(&KEYS, "color, intensity, sky, ground, fog, fog_density, shadow_distance")?;
        let mut sun = Sun::default();
        for (key, color) in [
            ("color", &mut sun.color),
            ("sky", &mut sun.sky),
            ("ground", &mut sun.ground),
            ("fog", &mut sun.fog),
        ] {
            if let Some(field) = config.field(key) {
                *color = field.numbers("a color `[ red green blue ]`")?;
            }
        }
        if let Some(field) = config.field("intensity") {
            sun.intensity = within(&field, 0.0..=1e5, "a brightness, from 0 to 100000")?;
        }
        if let Some(field) = config.field("fog_density") {
            sun.fog_density = within(&field, 0.0..=1.0, "a part of 1 a metre, from 0 to 1")?;
        }
        if let Some(field) = config.field("shadow_distance") {
            sun.shadow_distance = within(&field, 1.0..=1e4, "metres, from 1 to 10000")?;
        }
        append(&sun, words)
    }
}

/// Compiles point lights.
#[derive(Clone, Copy, Debug)]
pub struct LightCompiler;

impl ComponentCompiler for LightCompiler {
    fn name(&self) -> &'static str {
        "light"
    }

    fn component(&self) -> ComponentType {
        LIGHT
    }

    fn compile<'s>(
        &self,
        config: &Config<'_, 's>,
        words: &mut Array<'_, u32>,
    ) -> Result<(), CompileError<'s>> {
        config.allow(&["color", "intensity", "range"], "color, intensity, range")?;
        let mut light = PointLight::default();
        if let Some(field) = config.field("color") {
            light.color = field.numbers("a color `[ red green blue ]`")?;
        }
        if let Some(field) = config.field("intensity") {
            light.intensity = within(&field, 0.0..=1e5, "a brightness, from 0 to 100000")?;
        }
        if let Some(field) = config.field("range") {
            light.range = within(&field, 0.01..=1e4, "metres, from 0.01 to 10000")?;
        }
        append(&light, words)
    }
}

fn within<'s>(
    field: &Field<'_, 's>,
    range: core::ops::RangeInclusive<f32>,
    what: &'static str,
) -> Result<f32, CompileError<'s>> {
    let number = field.number()?;
    if range.contains(&number) { Ok(number) } else { Err(field.expected(what)) }
}

fn append<'s, T: Pod>(component: &T, words: &mut Array<'_, u32>) -> Result<(), CompileError<'s>> {
    Ok(words.try_extend_from_slice(cast_slice(core::slice::from_ref(component)))?)
}
