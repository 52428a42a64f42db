//! Functions of scripts that are called once an update for many entities.
//!
//! A script lists them in its global table `batches`:
//!
//! ```lua
//! batches = { { call = "fall", tag = "leaf", columns = "position" } }
//!
//! function fall(leaves, x, y, z, step)
//!     for i = 1, #leaves do y[i] = y[i] - step end
//! end
//! ```
//!
//! They are listed, not found by their names: an entry says which entities and numbers are copied,
//! and the order of entries is that of the calls. An entry names its function by a text, so that a
//! reload replaces it.

use core::fmt;

use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_diagnostics::{Log, log};
use loligo_entities::{ComponentType, Entity};
use loligo_ids::{IdString32, IdString64};
use loligo_script::{Callback, Value};

use super::Scripts;
use super::columns::{Column, Columns, Dropped, Losses};
use crate::error::EngineError;
use crate::memory::{FrameMemory, SharedAllocator};
use crate::world::{CAMERA, LIGHT, MODEL, SUN, World};

/// The components by which entities are named in an entry.
const COMPONENTS: [(&str, ComponentType); 6] = [
    ("transform", ComponentType::TRANSFORM),
    ("data", ComponentType::DATA),
    ("model", MODEL),
    ("camera", CAMERA),
    ("sun", SUN),
    ("light", LIGHT),
];

/// Writes the table as a line for each entry: the function, `tag` or `component`, its name and the
/// columns, with tabs between; or `!` and what is wrong.
const LIST: &str = include_str!("batches.lua");

/// Which entities a function is called for.
enum Owners {
    Tag(IdString32),
    Component(ComponentType),
}

/// A function that is called once for many entities.
struct Batch<'m> {
    callback: Callback,
    owners: Owners,
    columns: Array<'m, Column, SharedAllocator<'m>>,
    /// The name of the function, and that of the tag or component.
    names: [Array<'m, u8, SharedAllocator<'m>>; 2],
}

impl Batch<'_> {
    fn name(&self) -> &str {
        text(&self.names[0])
    }
}

/// The table `batches` as it was read last.
pub(super) struct Batches<'m> {
    list: Array<'m, Batch<'m>, SharedAllocator<'m>>,
    /// The lines that it was made of.
    lines: Array<'m, u8, SharedAllocator<'m>>,
    /// Whether it is known that each function and tag is there.
    is_checked: bool,
}

impl<'m> Batches<'m> {
    pub(super) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self { list: Array::new_in(memory), lines: Array::new_in(memory), is_checked: true }
    }
}

/// Is called with each thing that is wrong.
type Say<'s> = dyn FnMut(&dyn fmt::Display) + 's;

impl<'m> Scripts<'m> {
    /// Reads the table again if it differs, or if `is_anew`.
    pub(super) fn read_batches(
        &mut self,
        world: &mut World<'m>,
        is_anew: bool,
        log: &Log<'_, SharedAllocator<'m>>,
        say: &mut Say<'_>,
    ) {
        let lines = match self.script.evaluate(world, LIST) {
            Ok(lines) => lines,
            Err(error) => return self.note(Err::<(), _>(error), log),
        };
        if !is_anew && *lines == *self.batches.lines {
            return;
        }
        self.batches.list.clear();
        self.batches.is_checked = false;
        for line in text(&lines).lines() {
            let added = match line.split_once('\t') {
                Some(("!", why)) => Err(Why::Text(why)),
                _ => self.add_batch(line),
            };
            if let Err(why) = added {
                say(&why);
                self.note_text(IdString64::new(line).hash(), &why, log);
            }
        }
        let memory = self.batches.lines.memory();
        // Without memory for them they are read once more the next time.
        self.batches.lines =
            Array::try_from_slice_in(&lines, memory).unwrap_or(Array::new_in(memory));
    }

    /// Adds the function of a line.
    fn add_batch<'l>(&mut self, line: &'l str) -> Result<(), Why<'l>> {
        let mut fields = line.split('\t');
        let mut field = || fields.next().unwrap_or_default();
        let (call, kind, of, words) = (field(), field(), field(), field());
        let owners = if kind == "tag" {
            Owners::Tag(IdString32::new(of))
        } else {
            let found = COMPONENTS.iter().find(|(name, _)| *name == of);
            Owners::Component(found.ok_or(Why::Component(call, of))?.1)
        };
        let memory = self.batches.list.memory();
        let mut columns = Array::new_in(memory);
        for word in words.split_whitespace() {
            let found = Column::ALL.iter().find(|(name, _)| *name == word);
            let (_, column) = found.ok_or(Why::Column(call, word))?;
            if columns.contains(column) {
                return Err(Why::Twice(call, word));
            }
            columns.try_push(*column).map_err(|_| Why::Memory(call))?;
        }
        let own = |name: &str| Array::try_from_slice_in(name.as_bytes(), memory);
        let names = own(call).and_then(|call| Ok([call, own(of)?]));
        let names = names.map_err(|_| Why::Memory(call))?;
        let callback = self.script.callback(call).map_err(|_| Why::Memory(call))?;
        let batch = Batch { callback, owners, columns, names };
        self.batches.list.try_push(batch).map_err(|_| Why::Memory(call))
    }

    /// Says which functions are missing, and which tags nobody has had.
    pub(super) fn check_batches(
        &mut self,
        world: &World<'m>,
        log: &Log<'_, SharedAllocator<'m>>,
        say: &mut Say<'_>,
    ) {
        if core::mem::replace(&mut self.batches.is_checked, true) {
            return;
        }
        let list = self.take_batches();
        for batch in &*list {
            let name = batch.name();
            if !self.script.is_defined(batch.callback).unwrap_or(true) {
                let why = Why::Missing(name);
                say(&why);
                self.note_text(IdString64::new(name).hash(), &why, log);
            }
            if let Owners::Tag(tag) = batch.owners
                && !world.tags().is_known(tag)
            {
                let tag = text(&batch.names[1]);
                log!(
                    log,
                    Warning,
                    "`{name}` in `batches` is for the tag `{tag}`, which no entity has had so far; \
                     correct its name, or give it to an entity"
                );
            }
        }
        self.batches.list = list;
    }

    /// Calls each function for its entities, in the order of the table.
    pub(super) fn update_batches(
        &mut self,
        world: &mut World<'m>,
        memory: &FrameMemory<'m>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) {
        self.check_batches(world, log, &mut |_| {});
        let list = self.take_batches();
        for batch in &*list {
            if let Err(error) = self.update_batch(batch, world, memory, log) {
                let name = batch.name();
                let why = format_args!("`{name}` in `batches` was not called: {error}");
                self.note_text(IdString64::new(name).hash() ^ 1, &why, log);
            }
        }
        self.batches.list = list;
    }

    fn update_batch(
        &mut self,
        batch: &Batch<'m>,
        world: &mut World<'m>,
        memory: &FrameMemory<'m>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) -> Result<(), EngineError> {
        let entities = owners(batch, world, memory)?;
        if entities.is_empty() {
            return Ok(());
        }
        let mut columns =
            Columns::try_gather(&batch.columns, &entities, world.transforms(), memory)?;
        let mut views = columns.try_views(memory)?;
        let step = [Value::Number(world.step() as f64 / 1e9)];
        self.limit(|limits| limits.frame);
        let called = self.script.call_batch(world, batch.callback, &mut views, &step);
        drop(views);
        if matches!(called, Ok(false)) {
            let why = Why::Missing(batch.name());
            self.note_text(IdString64::new(batch.name()).hash(), &why, log);
        }
        self.note(called, log);
        let losses = columns.put_back(world.transforms_mut());
        self.report_losses(batch.name(), &losses, log);
        Ok(())
    }

    /// Says what a function wrote that could not be used.
    fn report_losses(&mut self, name: &str, losses: &Losses, log: &Log<'_, SharedAllocator<'m>>) {
        let own = IdString64::new(name).hash();
        for (column, refused) in losses.refused {
            if let Some(column) = column
                && refused.count > 0
            {
                let ([what, remedy], who) = (column.refusal(), First(refused));
                let why = format_args!(
                    "`{name}` wrote {what} for {who}, which stays as it was; {remedy}"
                );
                self.note_text(own ^ IdString64::new(what).hash(), &why, log);
            }
        }
        if losses.gone.count > 0 && self.failures.is_first(own ^ 2) {
            let who = First(losses.gone);
            log!(
                log,
                Warning,
                "`{name}` wrote for {who}, which was destroyed in the same call; that is dropped: \
                 write nothing for what you destroy"
            );
        }
    }

    fn take_batches(&mut self) -> Array<'m, Batch<'m>, SharedAllocator<'m>> {
        let memory = self.batches.list.memory();
        core::mem::replace(&mut self.batches.list, Array::new_in(memory))
    }
}

/// Returns the entities of a batch; those without a transform are left out if it has columns.
fn owners<'f, 'm>(
    batch: &Batch<'_>,
    world: &World<'m>,
    memory: &'f FrameMemory<'m>,
) -> Result<Array<'f, Entity, FrameMemory<'m>>, EngineError> {
    let mut entities = Array::new_in(memory);
    let mut result = Ok(());
    let mut add = |some: &[Entity]| {
        result = result.and(entities.try_reserve(some.len()));
        if result.is_err() {
            return;
        }
        if batch.columns.is_empty() {
            entities.extend_from_slice(some);
        } else {
            for run in world.transforms().runs(some) {
                entities.extend_from_slice(&some[run.first..run.first + run.len()]);
            }
        }
    };
    match batch.owners {
        Owners::Tag(tag) => add(world.tags().entities(tag)),
        Owners::Component(component) => world.visit_owners(component, &mut add),
    }
    result?;
    Ok(entities)
}

fn text(bytes: &[u8]) -> &str {
    core::str::from_utf8(bytes).unwrap_or_default()
}

/// The first of some entities, and how many others there are.
struct First(Dropped);

impl fmt::Display for First {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (index, id) = self.0.first;
        write!(f, "Entity {id} at index {index}")?;
        match self.0.count - 1 {
            0 => Ok(()),
            others => write!(f, " (and {others} more)"),
        }
    }
}

/// Why an entry is not used.
enum Why<'l> {
    Text(&'l str),
    Component(&'l str, &'l str),
    Column(&'l str, &'l str),
    Twice(&'l str, &'l str),
    Missing(&'l str),
    Memory(&'l str),
}

impl fmt::Display for Why<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(why) => f.write_str(why),
            Self::Component(call, of) => {
                write!(f, "`{call}` in `batches`: scripts know no component `{of}`; give one of")?;
                COMPONENTS.iter().try_for_each(|(name, _)| write!(f, " {name}"))
            }
            Self::Column(call, word) => {
                write!(f, "`{call}` in `batches`: there are no columns `{word}`; give some of")?;
                Column::ALL.iter().try_for_each(|(name, _)| write!(f, " {name}"))
            }
            Self::Twice(call, word) => {
                write!(f, "`{call}` in `batches` has the columns `{word}` twice; name them once")
            }
            Self::Missing(call) => write!(
                f,
                "`batches` names the function `{call}`, and there is no global function of that \
                 name; define it, or correct the name"
            ),
            Self::Memory(call) => {
                write!(
                    f,
                    "`{call}` in `batches`: there is no memory; give the subsystem `script` more"
                )
            }
        }
    }
}
