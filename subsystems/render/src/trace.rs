//! A back end that writes a frame as text: for tests, and for machines without a graphics driver.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_ids::murmur2_64a;

use crate::backend::Backend;
use crate::context::Job;
use crate::draw::IndirectArgs;
use crate::frame::{FrameDescription, LayerRef, PassRef};
use crate::state::Transform;

/// Writes each command that it receives as a line, and sums them up.
///
/// The text depends on the frame alone, not on the machine, so it can be compared with one that was
/// kept.
///
/// # Complexity
///
/// O(records and bytes of jobs). Allocates nothing itself.
///
/// # Errors
///
/// Its methods fail where the sink does.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_render::{DisplayList, FrameDescription, Recorded, RenderContext, Trace, play};
///
/// static MEMORY: StaticHeap<16384> = StaticHeap::new("doc");
/// let text = r#"passes = [
///     { name = "main" color = [ "window" ] clear = { color = [ 0 0.5 1 1 ] } }
/// ]"#;
/// let frame = FrameDescription::try_read(text.as_bytes(), &MEMORY)?;
/// let contexts: [RenderContext; 0] = [];
/// let list = DisplayList::new(&MEMORY);
/// let recorded = Recorded { frame: &frame, list: &list, contexts: &contexts };
/// let mut text = String::new();
/// let mut trace = Trace::new(&frame, &mut text);
/// play(&recorded, &mut trace).and_then(|()| trace.finish()).expect("a string takes all");
/// assert_eq!(text, "\
/// pass 0 main: color window
///   clear color 0 0.5 1 1
/// sums: passes 1, layers 0, indirect draws 0, records 0, instances 0, indices 0, jobs 0
/// ");
/// # Ok::<(), loligo_render::FrameError>(())
/// ```
pub struct Trace<'f, 'a, A: Allocator + ?Sized, W: ?Sized> {
    frame: &'f FrameDescription<'a, A>,
    contents: Option<TraceContents<'f>>,
    /// The hash of what was drawn of the layer so far.
    layer_hash: Option<u64>,
    sums: Sums,
    sink: &'f mut W,
}

/// The data that draws refer to by number, of which a [`Trace`] writes a hash for each layer.
#[derive(Clone, Copy, Debug)]
pub struct TraceContents<'f> {
    /// The transforms by the number of the instance: those of the world, and after them those of
    /// this frame alone.
    pub transforms: [&'f [Transform]; 2],
    /// A hash of each material, by the number of the state.
    pub materials: &'f [u64],
}

/// How much there was of everything.
#[derive(Debug, Default)]
struct Sums {
    passes: u64,
    layers: u64,
    draws: u64,
    records: u64,
    instances: u64,
    indices: u64,
    jobs: u64,
}

/// The bytes of a job that are shown.
const SHOWN: usize = 16;

impl<'f, 'a, A: Allocator + ?Sized, W: fmt::Write + ?Sized> Trace<'f, 'a, A, W> {
    /// Returns a back end that writes a frame of this description.
    pub fn new(frame: &'f FrameDescription<'a, A>, sink: &'f mut W) -> Self {
        Self { frame, contents: None, layer_hash: None, sums: Sums::default(), sink }
    }

    /// Adds a line `contents HASH` to each layer with draws, or with jobs that are not shown whole:
    /// a hash of the matrices, materials and data of all that it draws, in order, to the bit. Without it two frames that differ only in where
    /// things are have the same text.
    #[must_use]
    pub fn with_contents(mut self, contents: TraceContents<'f>) -> Self {
        self.contents = Some(contents);
        self
    }

    /// Writes the sums.
    ///
    /// # Errors
    ///
    /// [`fmt::Error`] if the sink refuses.
    pub fn finish(self) -> fmt::Result {
        let Sums { passes, layers, draws, records, instances, indices, jobs } = self.sums;
        writeln!(
            self.sink,
            "sums: passes {passes}, layers {layers}, indirect draws {draws}, records {records}, \
             instances {instances}, indices {indices}, jobs {jobs}"
        )
    }

    /// Adds a draw to the hash of its layer.
    fn hash_draw(&mut self, state: u32, args: &[IndirectArgs]) {
        let Some(contents) = self.contents else { return };
        let material = contents.materials.get(state as usize).copied().unwrap_or_default();
        let mut hash = murmur2_64a(&material.to_le_bytes(), self.layer_hash.unwrap_or_default());
        for record in args {
            let [kept, once] = contents.transforms;
            let first = record.first_instance as usize;
            let count = record.instance_count as usize;
            // If instances are not rows of these transforms, no rows are hashed, so the hash is a
            // different one.
            let rows = match first.checked_sub(kept.len()) {
                None => kept.get(first..first + count),
                Some(first) => once.get(first..first + count),
            };
            let rows = rows.unwrap_or_default();
            hash = murmur2_64a(bytemuck::cast_slice(rows), hash);
        }
        self.layer_hash = Some(hash);
    }

    /// Writes the hash of the layer that ends.
    fn end_layer(&mut self) -> fmt::Result {
        match self.layer_hash.take() {
            Some(hash) => writeln!(self.sink, "    contents {hash:016x}"),
            None => Ok(()),
        }
    }

    fn targets(&mut self, what: &str, numbers: &[u16]) -> fmt::Result {
        for (at, number) in numbers.iter().enumerate() {
            let before = if at == 0 { what } else { "," };
            write!(self.sink, "{before} {}", self.frame.target_name(*number))?;
        }
        Ok(())
    }
}

impl<A: Allocator + ?Sized, W: fmt::Write + ?Sized> Backend for Trace<'_, '_, A, W> {
    type Error = fmt::Error;

    fn begin_pass(&mut self, pass: &PassRef<'_>) -> fmt::Result {
        self.sums.passes += 1;
        write!(self.sink, "pass {} {}", pass.number, pass.name)?;
        if pass.view != 0 {
            write!(self.sink, ", view {}", self.frame.view_name(pass.view))?;
        }
        write!(self.sink, ":")?;
        self.targets(" color", pass.colors)?;
        if let Some(depth) = pass.depth {
            self.targets(if pass.colors.is_empty() { " depth" } else { ", depth" }, &[depth])?;
        }
        self.targets(", reads", pass.reads)?;
        writeln!(self.sink)?;
        if let Some([red, green, blue, opacity]) = pass.clear.color {
            writeln!(self.sink, "  clear color {red} {green} {blue} {opacity}")?;
        }
        if let Some(depth) = pass.clear.depth {
            writeln!(self.sink, "  clear depth {depth}")?;
        }
        Ok(())
    }

    fn begin_layer(&mut self, layer: &LayerRef<'_>) -> fmt::Result {
        self.end_layer()?;
        self.sums.layers += 1;
        writeln!(self.sink, "  layer {} {}, {}", layer.number, layer.name, layer.order.name())
    }

    fn draw(&mut self, state: u32, first: u32, args: &[IndirectArgs]) -> fmt::Result {
        self.hash_draw(state, args);
        self.sums.draws += 1;
        self.sums.records += args.len() as u64;
        let end = u64::from(first) + args.len() as u64;
        writeln!(self.sink, "    state {state}: records {first}..{end}")?;
        for record in args {
            let IndirectArgs {
                index_count,
                instance_count,
                first_index,
                base_vertex,
                first_instance,
            } = *record;
            self.sums.instances += u64::from(instance_count);
            self.sums.indices += u64::from(instance_count) * u64::from(index_count);
            writeln!(
                self.sink,
                "      indices {first_index}..{}, vertex {base_vertex}, instances {first_instance}..{}",
                u64::from(first_index) + u64::from(index_count),
                u64::from(first_instance) + u64::from(instance_count),
            )?;
        }
        Ok(())
    }

    fn job(&mut self, job: Job<'_>) -> fmt::Result {
        self.sums.jobs += 1;
        if self.contents.is_some() && job.data.len() > SHOWN {
            let before = self.layer_hash.unwrap_or_default();
            self.layer_hash = Some(murmur2_64a(job.data, before));
        }
        write!(self.sink, "    job {:#010x}, {} bytes:", job.kind, job.data.len())?;
        for byte in job.data.iter().take(SHOWN) {
            write!(self.sink, " {byte:02x}")?;
        }
        writeln!(self.sink, "{}", if job.data.len() > SHOWN { " .." } else { "" })
    }

    fn end_pass(&mut self, _: &PassRef<'_>) -> fmt::Result {
        self.end_layer()
    }
}

impl<A: Allocator + ?Sized, W: ?Sized> fmt::Debug for Trace<'_, '_, A, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace").field("sums", &self.sums).finish_non_exhaustive()
    }
}
