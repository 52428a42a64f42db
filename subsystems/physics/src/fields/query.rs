//! Many places at once.

use glam::{Mat3, Vec3};
use loligo_allocators::Allocator;
use loligo_expressions::{BatchStack, Expression, Input};
#[cfg(feature = "subsystem")]
use loligo_tasks::{WaitError, Worker};

use super::Fields;
use super::definition::Definition;
use super::instance::Instance;
use super::scratch::{Columns, FIELD_BLOCK, FieldScratch};
use crate::field::{FIELD_PARAMETERS_MAX, FieldRegion, VARIABLES, VARIABLES_BEFORE};

/// Places that fields are asked for, and what is there.
#[derive(Clone, Copy, Debug)]
pub struct FieldQuery<'q> {
    /// The places.
    pub positions: &'q [Vec3],
    /// How fast what is there moves; at rest without.
    pub velocities: Option<&'q [Vec3]>,
    /// Its mass; 1 kg without.
    pub masses: Option<&'q [f32]>,
    /// The groups it is in.
    pub groups: FieldGroups<'q>,
    /// The seconds of the world.
    pub time: f64,
}

/// The groups that things are in, as bits.
#[derive(Clone, Copy, Debug)]
pub enum FieldGroups<'q> {
    /// All are in the same.
    Same(u32),
    /// Those of each.
    Column(&'q [u32]),
}

impl<'q> FieldQuery<'q> {
    /// Returns the query for things at rest in some places, which all fields are for.
    #[must_use]
    pub const fn at(positions: &'q [Vec3], time: f64) -> Self {
        let groups = FieldGroups::Same(u32::MAX);
        Self { positions, velocities: None, masses: None, groups, time }
    }

    /// Returns how many places there are.
    ///
    /// # Panics
    ///
    /// If another list has not as many elements as there are places.
    pub(super) fn len(&self) -> usize {
        let len = self.positions.len();
        let groups = match self.groups {
            FieldGroups::Same(_) => len,
            FieldGroups::Column(groups) => groups.len(),
        };
        let velocities = self.velocities.map_or(len, <[_]>::len);
        let masses = self.masses.map_or(len, <[_]>::len);
        assert!(
            groups == len && velocities == len && masses == len,
            "{len} places, {velocities} velocities, {masses} masses, {groups} groups"
        );
        len
    }

    /// Returns the query for some of the places.
    fn part(&self, from: usize, to: usize) -> Self {
        Self {
            positions: &self.positions[from..to],
            velocities: self.velocities.map(|all| &all[from..to]),
            masses: self.masses.map(|all| &all[from..to]),
            groups: match self.groups {
                FieldGroups::Same(groups) => FieldGroups::Same(groups),
                FieldGroups::Column(all) => FieldGroups::Column(&all[from..to]),
            },
            time: self.time,
        }
    }

    /// Returns the groups of what is at a place.
    pub(super) fn groups_at(&self, at: usize) -> u32 {
        match self.groups {
            FieldGroups::Same(groups) => groups,
            FieldGroups::Column(groups) => groups[at],
        }
    }
}

impl<A: Allocator + ?Sized> Fields<'_, A> {
    /// Writes for each place how strong all fields are there together: an acceleration, to the bit the
    /// one that [`one`](Self::one) returns.
    ///
    /// # Complexity
    ///
    /// O(places x fields). Allocates nothing.
    ///
    /// # Panics
    ///
    /// If the lists of the query and `out` are not of the same length.
    pub fn query<B: Allocator + ?Sized>(
        &self,
        query: &FieldQuery<'_>,
        out: &mut [Vec3],
        scratch: &mut FieldScratch<'_, B>,
    ) {
        assert_eq!(query.len(), out.len(), "one result for each place");
        for (block, out) in out.chunks_mut(FIELD_BLOCK).enumerate() {
            let from = block * FIELD_BLOCK;
            let part = query.part(from, from + out.len());
            out.fill(Vec3::ZERO);
            for (field, definition) in self.active(query.time) {
                add_field(field, definition, &part, out, scratch);
            }
        }
    }

    /// As [`query`](Self::query), on all threads: a piece of the places for each scratch, of which 64 are
    /// used at the most. The results are the same, to the bit.
    ///
    /// # Errors
    ///
    /// [`WaitError`] if a task panics.
    ///
    /// # Panics
    ///
    /// As [`query`](Self::query), and without any scratch.
    #[cfg(feature = "subsystem")]
    pub fn query_on<B: Allocator + Sync + ?Sized>(
        &self,
        worker: &Worker<'_>,
        query: &FieldQuery<'_>,
        out: &mut [Vec3],
        scratches: &mut [FieldScratch<'_, B>],
    ) -> Result<(), WaitError>
    where
        A: Sync,
    {
        assert_eq!(query.len(), out.len(), "one result for each place");
        let most = scratches.len().min(64);
        let piece = out.len().div_ceil(most).next_multiple_of(FIELD_BLOCK);
        let mut jobs: [Option<(&mut [Vec3], &mut FieldScratch<'_, B>)>; 64] = [const { None }; 64];
        let pieces = out.chunks_mut(piece.max(1)).zip(scratches);
        let mut count = 0;
        for (job, piece) in jobs.iter_mut().zip(pieces) {
            *job = Some(piece);
            count += 1;
        }
        worker.parallel_for_each_mut(&"fields", &mut jobs[..count], 1, |first, jobs| {
            for (at, job) in jobs.iter_mut().enumerate() {
                let Some((out, scratch)) = job else { continue };
                let from = (first + at) * piece;
                self.query(&query.part(from, from + out.len()), out, scratch);
            }
        })
    }
}

/// Adds the strength of a field to the results of a block.
fn add_field(
    field: &Instance,
    definition: &Definition<'_, impl Allocator + ?Sized>,
    query: &FieldQuery<'_>,
    out: &mut [Vec3],
    scratch: &mut FieldScratch<'_, impl Allocator + ?Sized>,
) {
    if let FieldGroups::Same(groups) = query.groups
        && groups & field.mask == 0
    {
        return;
    }
    let axes = Mat3::from_quat(field.rotation());
    let FieldScratch { columns, results, stack } = scratch;
    let ([columns], [results]) = (&mut columns[..], &mut results[..]) else { return };
    see_from(axes, field.position(), query.positions, columns);
    let is_for_all = matches!(query.groups, FieldGroups::Same(_));
    let is_everywhere = is_for_all && definition.region == FieldRegion::Everywhere;
    let count = match is_everywhere {
        true => out.len(),
        false => keep_reached(field, definition, query, columns),
    };
    if count == 0 {
        return;
    }
    let places = (!is_everywhere).then_some(columns.indices);
    if definition.needs_motion {
        gather_motion(axes, query, places.as_ref(), columns, count);
    }
    let inputs = inputs(field, query, columns, count);
    for (formula, results) in definition.formulas.iter().zip(results.iter_mut()) {
        run(formula, &inputs, &mut results[..count], stack);
    }
    let [x, y, z] = results.each_ref().map(|results| &results[..count]);
    let strengths = x.iter().zip(y).zip(z).map(|((x, y), z)| turned_back(axes, [*x, *y, *z]));
    match places {
        None => out.iter_mut().zip(strengths).for_each(|(out, strength)| *out += strength),
        Some(places) => {
            for (place, strength) in places.iter().zip(strengths) {
                out[*place as usize] += strength;
            }
        }
    }
}

/// Returns a place or a speed as seen from a field.
#[inline]
pub(super) fn seen_from(axes: Mat3, vector: Vec3) -> Vec3 {
    Vec3::new(axes.x_axis.dot(vector), axes.y_axis.dot(vector), axes.z_axis.dot(vector))
}

/// Returns how long a vector is: by one instruction, or by libm, with the same result.
#[inline]
pub(super) fn length(vector: Vec3) -> f32 {
    let squared = vector.length_squared();
    #[cfg(feature = "std")]
    return squared.sqrt();
    #[cfg(not(feature = "std"))]
    return libm::sqrtf(squared);
}

/// Returns a strength as seen from the world; nothing where it is not finite.
#[inline]
pub(super) fn turned_back(axes: Mat3, [x, y, z]: [f32; 3]) -> Vec3 {
    let strength = axes.x_axis * x + axes.y_axis * y + axes.z_axis * z;
    if strength.is_finite() { strength } else { Vec3::ZERO }
}

/// Writes columns of all places, as seen from a field: loops without a branch, which become vectors.
fn see_from(axes: Mat3, origin: Vec3, positions: &[Vec3], columns: &mut Columns) {
    let len = positions.len();
    let Columns { x, y, z, distance, .. } = columns;
    let places = x[..len].iter_mut().zip(&mut y[..len]).zip(&mut z[..len]);
    for (position, ((x, y), z)) in positions.iter().zip(places) {
        [*x, *y, *z] = seen_from(axes, *position - origin).to_array();
    }
    let places = x[..len].iter().zip(&y[..len]).zip(&z[..len]);
    for (distance, ((x, y), z)) in distance[..len].iter_mut().zip(places) {
        *distance = length(Vec3::new(*x, *y, *z));
    }
}

/// Moves the places that a field reaches to the front of their columns, and returns how many there are.
fn keep_reached(
    field: &Instance,
    definition: &Definition<'_, impl Allocator + ?Sized>,
    query: &FieldQuery<'_>,
    columns: &mut Columns,
) -> usize {
    let is_masked = matches!(query.groups, FieldGroups::Column(_));
    let mut count = 0;
    for at in 0..query.positions.len().min(FIELD_BLOCK) {
        let place = Vec3::new(columns.x[at], columns.y[at], columns.z[at]);
        let distance = columns.distance[at];
        // Written always, and kept if it is reached.
        columns.indices[count] = at as u32;
        [columns.x[count], columns.y[count], columns.z[count]] = place.to_array();
        columns.distance[count] = distance;
        let is_for = !is_masked || query.groups_at(at) & field.mask != 0;
        count += usize::from(is_for && definition.region.contains(place, distance));
    }
    count
}

/// Writes columns of speeds and masses.
fn gather_motion(
    axes: Mat3,
    query: &FieldQuery<'_>,
    places: Option<&[u32; FIELD_BLOCK]>,
    columns: &mut Columns,
    count: usize,
) {
    let place_of = |at: usize| places.map_or(at, |places| places[at] as usize);
    let Columns { vx, vy, vz, mass, .. } = columns;
    match query.velocities {
        Some(velocities) => {
            for (at, ((x, y), z)) in vx.iter_mut().zip(vy).zip(vz).take(count).enumerate() {
                [*x, *y, *z] = seen_from(axes, velocities[place_of(at)]).to_array();
            }
        }
        None => [vx, vy, vz].into_iter().for_each(|column| column[..count].fill(0.0)),
    }
    match query.masses {
        Some(masses) => {
            for (at, mass) in mass.iter_mut().take(count).enumerate() {
                *mass = masses[place_of(at)];
            }
        }
        None => mass[..count].fill(1.0),
    }
}

/// Returns the values of all variables, in the order of their indices.
fn inputs<'c>(
    field: &Instance,
    query: &FieldQuery<'_>,
    columns: &'c Columns,
    count: usize,
) -> [Input<'c>; VARIABLES.len()] {
    const MOTION: usize = VARIABLES_BEFORE + FIELD_PARAMETERS_MAX;
    let column = |numbers: &'c [f32; FIELD_BLOCK]| Input::Column(&numbers[..count]);
    core::array::from_fn(|at| match at {
        0 => column(&columns.x),
        1 => column(&columns.y),
        2 => column(&columns.z),
        3 => column(&columns.distance),
        4 => Input::Same(query.time as f32),
        5 => Input::Same((query.time - field.began) as f32),
        6..MOTION => Input::Same(field.parameters[at - VARIABLES_BEFORE]),
        MOTION => column(&columns.vx),
        at if at == MOTION + 1 => column(&columns.vy),
        at if at == MOTION + 2 => column(&columns.vz),
        _ => column(&columns.mass),
    })
}

/// Runs a formula, unless it is a number.
fn run(
    formula: &Expression<'_, impl Allocator + ?Sized>,
    inputs: &[Input<'_>],
    results: &mut [f32],
    stack: &mut BatchStack<'_, impl Allocator + ?Sized>,
) {
    match formula.as_constant() {
        Some(value) => results.fill(value),
        None => formula.run_batch(inputs, results, stack),
    }
}
