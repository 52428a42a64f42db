//! Tags in sources: `tag = [ "enemy" "small" ]`.

use loligo_containers::{Array, GrowError};

use super::component::{ComponentCompiler, Instances};
use super::config::Config;
use super::error::CompileError;
use crate::component::ComponentType;

/// Compiles tags: an array of words, or one word. They take the place of those that are inherited.
#[derive(Clone, Copy, Debug)]
pub struct TagCompiler;

impl ComponentCompiler for TagCompiler {
    fn name(&self) -> &'static str {
        "tag"
    }

    fn component(&self) -> ComponentType {
        ComponentType::TAG
    }

    fn compile<'s>(
        &self,
        config: &Config<'_, 's>,
        words: &mut Array<'_, u32>,
    ) -> Result<(), CompileError<'s>> {
        let Some(value) = config.value() else { return Ok(()) };
        let mut text = Array::new_in(config.memory());
        let start = words.len();
        let mut add = |tag: &super::Field<'_, 's>| {
            text.clear();
            tag.string(&mut text)?;
            let hash = loligo_ids::murmur2_32(&text[..], 0);
            if words[start..].contains(&hash) {
                return Err(tag.error("the tag comes twice; remove one"));
            }
            Ok(words.try_push(hash)?)
        };
        match value.items() {
            Some(items) => {
                for item in items {
                    add(&item)?;
                }
                Ok(())
            }
            None => add(&value).map_err(|_| value.expected("an array of strings, or a string")),
        }
    }

    fn pack(&self, instances: &Instances<'_>, data: &mut Array<'_, u32>) -> Result<(), GrowError> {
        data.try_reserve(instances.len())?;
        for tags in instances.iter() {
            data.try_push(tags.len() as u32)?;
        }
        for tags in instances.iter() {
            data.try_extend_from_slice(tags)?;
        }
        Ok(())
    }
}
