//! Data in sources: `data = { name = "Goblin" stats = { health = 20 } path = [ 0 1 2 ] }`.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError, HashMap, KeyValues, Value, child_key};
use loligo_ids::IdString32;
use loligo_sjson::NodeKind;

use super::component::{ComponentCompiler, Instances};
use super::config::{Config, Field};
use super::error::CompileError;
use super::merge::Merged;
use super::source::Located;
use crate::component::ComponentType;

/// Compiles data: an object of bools, numbers, strings, arrays of numbers, and objects of these,
/// whose names become paths. What is inherited is merged key by key.
#[derive(Clone, Copy, Debug)]
pub struct DataCompiler;

impl ComponentCompiler for DataCompiler {
    fn name(&self) -> &'static str {
        "data"
    }

    fn component(&self) -> ComponentType {
        ComponentType::DATA
    }

    fn compile<'s>(
        &self,
        config: &Config<'_, 's>,
        words: &mut Array<'_, u32>,
    ) -> Result<(), CompileError<'s>> {
        if let Some(layer) = config.layers.iter().find(|layer| !layer.is_object()) {
            return Err(layer.expected("an object in braces"));
        }
        let memory = config.memory();
        let mut filling = Filling {
            store: KeyValues::new_in(memory),
            text: Array::new_in(memory),
            numbers: Array::new_in(memory),
            memory,
        };
        filling.fill(config.layers, None)?;
        filling.store.try_shrink()?;
        // Words as they are in memory: the store says in what order it was written.
        let bytes = filling.store.as_bytes();
        Ok(words.try_extend(bytes.as_chunks().0.iter().map(|word| u32::from_ne_bytes(*word)))?)
    }

    fn is_words(&self) -> bool {
        false
    }

    /// Puts each store there once, however many instances have it.
    fn pack(&self, instances: &Instances<'_>, data: &mut Array<'_, u32>) -> Result<(), GrowError> {
        let memory = data.memory();
        let mut known: HashMap<'_, u64, u32> = HashMap::new_in(memory);
        let mut stores: Array<'_, &[u32]> = Array::new_in(memory);
        let mut which: Array<'_, u32> = Array::try_with_capacity_in(instances.len(), memory)?;
        for words in instances.iter() {
            let hash = loligo_ids::murmur2_64a::<[u8]>(bytemuck::cast_slice(words), 0);
            let number = match known.get(&hash) {
                Some(number) if stores[*number as usize] == words => *number,
                _ => {
                    let number = stores.len() as u32;
                    stores.try_push(words)?;
                    known.try_insert(hash, number)?;
                    number
                }
            };
            which.try_push(number)?;
        }
        data.try_push(stores.len() as u32)?;
        let mut place = 0;
        for store in &stores {
            data.try_extend_from_slice(&[place, store.len() as u32])?;
            place += store.len() as u32;
        }
        data.try_extend_from_slice(&which)?;
        for store in &stores {
            data.try_extend_from_slice(store)?;
        }
        Ok(())
    }
}

/// A store that is being filled.
struct Filling<'m> {
    store: KeyValues<'m>,
    text: Array<'m, u8>,
    numbers: Array<'m, f32>,
    memory: &'m dyn Allocator,
}

impl Filling<'_> {
    /// Sets the keys of objects that are merged. The depth of sources is limited, and so is that of
    /// this.
    fn fill<'s>(
        &mut self,
        layers: &[Located<'_, 's>],
        object: Option<IdString32>,
    ) -> Result<(), CompileError<'s>> {
        let memory = self.memory;
        let merged = Merged::try_new(layers, memory)?;
        for values in merged.groups() {
            let key = self.key(&values[0], object)?;
            if values[0].is_object() {
                self.fill(values, Some(key))?;
                continue;
            }
            if self.store.contains(key) {
                return Err(Field(values[0]).error(
                    "the key's path has the hash of another's; give one of both another name",
                ));
            }
            self.set(key, &Field(values[0]))?;
        }
        Ok(())
    }

    fn key<'s>(
        &mut self,
        value: &Located<'_, 's>,
        object: Option<IdString32>,
    ) -> Result<IdString32, CompileError<'s>> {
        self.text.clear();
        if let Some(key) = value.node.key() {
            let text = &mut self.text;
            let appended: Result<(), GrowError> =
                key.unescape(|piece| text.try_extend_from_slice(piece.as_bytes()));
            appended?;
        }
        let name = core::str::from_utf8(&self.text).unwrap_or_default();
        Ok(match object {
            Some(object) => child_key(object, name),
            None => IdString32::new(name),
        })
    }

    fn set<'s>(&mut self, key: IdString32, value: &Field<'_, 's>) -> Result<(), CompileError<'s>> {
        match value.0.node.kind() {
            NodeKind::Bool => self.store.try_set(key, value.bool()?)?,
            NodeKind::Number => self.store.try_set(key, value.number()?)?,
            NodeKind::String => {
                self.text.clear();
                value.string(&mut self.text)?;
                let text = core::str::from_utf8(&self.text).unwrap_or_default();
                self.store.try_set(key, Value::Str(text))?;
            }
            _ => {
                let what = "a bool, a number, a string, an array of numbers or an object";
                self.numbers.clear();
                for item in value.items().ok_or_else(|| value.expected(what))? {
                    self.numbers.try_push(item.number()?)?;
                }
                self.store.try_set(key, Value::Array(&self.numbers))?;
            }
        }
        Ok(())
    }
}
