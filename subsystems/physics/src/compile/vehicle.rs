//! Compiler of the component `vehicle`.

use loligo_containers::Array;
use loligo_entities::ComponentType;
use loligo_entities::compile::{CompileError, ComponentCompiler, Config, Field};

use crate::component::{VEHICLE, VEHICLE_WHEELS_MAX, WheelSource};
use crate::vehicle::Wheel;

/// Compiles vehicles: how many wheels, and a [`WheelSource`] each.
///
/// | key | default | meaning |
/// |---|---|---|
/// | `wheels` | | 1 to 8 wheels |
///
/// A wheel:
///
/// | key | default | meaning |
/// |---|---|---|
/// | `at` | | where its spring is fastened, as seen from the entity |
/// | `radius`, `rest`, `travel` | 0.35, 0.3, 0.2 | of the wheel and its spring, in metres |
/// | `stiffness`, `compression`, `relaxation`, `force` | 40, 0.4, 0.5, 20000 | of the spring |
/// | `grip`, `side_grip` | 2, 1 | of the tyre |
/// | `steers`, `drives`, `brakes` | false, false, true | what the driver does to it |
#[derive(Clone, Copy, Debug, Default)]
pub struct VehicleCompiler;

const WHEEL: &str = "is not known here; known are at, radius, rest, travel, stiffness, compression, relaxation, force, grip, side_grip, steers, drives, brakes";

impl ComponentCompiler for VehicleCompiler {
    fn name(&self) -> &'static str {
        "vehicle"
    }

    fn component(&self) -> ComponentType {
        VEHICLE
    }

    fn compile<'s>(
        &self,
        config: &Config<'_, 's>,
        words: &mut Array<'_, u32>,
    ) -> Result<(), CompileError<'s>> {
        config.allow(&["wheels"], "wheels")?;
        let field = config.need("wheels")?;
        let what = "1 to 8 wheels in brackets";
        let items = field.items().ok_or_else(|| field.expected(what))?;
        let mut wheels = [WheelSource::default(); VEHICLE_WHEELS_MAX];
        let mut count = 0;
        for item in items {
            let Some(wheel) = wheels.get_mut(count) else { return Err(field.expected(what)) };
            *wheel = read_wheel(&item)?;
            count += 1;
        }
        if count == 0 {
            return Err(field.expected(what));
        }
        words.try_push(count as u32)?;
        Ok(words.try_extend_from_slice(bytemuck::cast_slice(&wheels[..count]))?)
    }
}

fn read_wheel<'s>(item: &Field<'_, 's>) -> Result<WheelSource, CompileError<'s>> {
    let of = Wheel::default();
    let mut wheel = WheelSource {
        at: [f32::NAN; 3],
        radius: of.radius,
        rest: of.rest,
        travel: of.travel,
        stiffness: of.stiffness,
        compression: of.compression,
        relaxation: of.relaxation,
        force: of.force_max,
        grip: of.grip,
        side_grip: of.side_grip,
        flags: WheelSource::BRAKES,
    };
    for (key, value) in
        item.entries().ok_or_else(|| item.expected("a wheel: `{ at = [ x y z ] }`"))?
    {
        let number = match key {
            "at" => {
                wheel.at = value.numbers("`[ x y z ]`")?;
                continue;
            }
            "steers" | "drives" | "brakes" => {
                let flag = match key {
                    "steers" => WheelSource::STEERS,
                    "drives" => WheelSource::DRIVES,
                    _ => WheelSource::BRAKES,
                };
                wheel.flags = wheel.flags & !flag | if value.bool()? { flag } else { 0 };
                continue;
            }
            "radius" => &mut wheel.radius,
            "rest" => &mut wheel.rest,
            "travel" => &mut wheel.travel,
            "stiffness" => &mut wheel.stiffness,
            "compression" => &mut wheel.compression,
            "relaxation" => &mut wheel.relaxation,
            "force" => &mut wheel.force,
            "grip" => &mut wheel.grip,
            "side_grip" => &mut wheel.side_grip,
            _ => return Err(value.error(WHEEL)),
        };
        *number = value.number()?;
        if *number < 0.0 {
            return Err(value.error("is below 0; write 0 or more"));
        }
    }
    if wheel.at[0].is_nan() {
        return Err(item.error("has no place; add `at = [ x y z ]`"));
    }
    if wheel.radius < 1e-3 || wheel.rest < 1e-3 {
        return Err(item.error("has a radius or a spring of no length; write 0.001 or more"));
    }
    Ok(wheel)
}
