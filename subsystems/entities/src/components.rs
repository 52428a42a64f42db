//! The managers that take part in a spawn.

use core::error::Error;
use core::fmt;

use loligo_ids::IdString32;

use crate::component::{ComponentManager, ComponentType};
use crate::resource::EntityResource;

/// The managers of components of a world, in spawn order.
///
/// Managers belong to the program, which uses each by its own type; they are put together for a
/// spawn or a destruction and parted again afterwards, which costs sorting a handful of references.
///
/// # Memory
///
/// A slice of the caller's.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_entities::{ComponentType, Components, Tags, Transforms};
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut transforms: Transforms = Transforms::new(&MEMORY);
/// let mut tags: Tags = Tags::new(&MEMORY);
/// let mut managers: [&mut dyn loligo_entities::ComponentManager; 2] = [&mut tags, &mut transforms];
/// let components = Components::new(&mut managers)?;
/// assert_eq!(components.types().next(), Some(ComponentType::TRANSFORM), "it has the lower order");
/// # Ok::<(), loligo_entities::ComponentTwice>(())
/// ```
pub struct Components<'c, 'm> {
    managers: &'c mut [&'m mut dyn ComponentManager],
    /// Their types, where these are known without asking them.
    types: Option<&'c [ComponentType]>,
}

/// Managers that are sorted with their types on the stack.
const FEW: usize = 64;

impl<'c, 'm> Components<'c, 'm> {
    /// Sorts managers by their spawn order.
    ///
    /// # Complexity
    ///
    /// O(n log n) of the managers.
    ///
    /// # Errors
    ///
    /// [`ComponentTwice`] if two are for one type.
    pub fn new(managers: &'c mut [&'m mut dyn ComponentManager]) -> Result<Self, ComponentTwice> {
        // Each is asked once: a spawn of a single entity takes not much longer than this.
        let mut few = [ComponentType::new("", 0); FEW];
        let Some(types) = few.get_mut(..managers.len()) else {
            return Self::of_many(managers);
        };
        for at in 0..managers.len() {
            let component = managers[at].component();
            // Of two with one name the orders may differ, so they need not be neighbours.
            if types[..at].iter().any(|other| other.name == component.name) {
                return Err(ComponentTwice { name: component.name });
            }
            let is_later = |other: &ComponentType| {
                (other.order, other.name) > (component.order, component.name)
            };
            let place = types[..at].iter().position(is_later).unwrap_or(at);
            types[place..=at].rotate_right(1);
            types[place] = component;
            managers[place..=at].rotate_right(1);
        }
        Ok(Self { managers, types: None })
    }

    /// Takes managers that are sorted by their spawn order, and their types, which are the same at each
    /// spawn. None of them is asked for its type again: for a program that spawns entities one by one.
    ///
    /// # Complexity
    ///
    /// O(1).
    ///
    /// # Panics
    ///
    /// If there are not as many types as managers. With debug assertions also if they are of other
    /// managers, or out of order.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_entities::{ComponentManager, ComponentType, Components, Tags, Transforms};
    ///
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// const TYPES: [ComponentType; 2] = [ComponentType::TRANSFORM, ComponentType::TAG];
    /// let mut transforms: Transforms = Transforms::new(&MEMORY);
    /// let mut tags: Tags = Tags::new(&MEMORY);
    /// let mut managers: [&mut dyn ComponentManager; 2] = [&mut transforms, &mut tags];
    /// let components = Components::in_order(&mut managers, &TYPES);
    /// assert!(components.types().eq(TYPES));
    /// ```
    #[inline]
    #[must_use]
    pub fn in_order(
        managers: &'c mut [&'m mut dyn ComponentManager],
        types: &'c [ComponentType],
    ) -> Self {
        let count = managers.len();
        assert_eq!(count, types.len(), "there is a type for each manager");
        let key = |of: &ComponentType| (of.order, of.name);
        debug_assert!(types.is_sorted_by(|a, b| key(a) < key(b)), "types are in spawn order");
        debug_assert!(
            managers.iter().zip(types).all(|(manager, of)| manager.component() == *of),
            "each type is that of its manager"
        );
        Self { managers, types: Some(types) }
    }

    /// As [`new`](Self::new), for more than [`FEW`].
    #[cold]
    fn of_many(managers: &'c mut [&'m mut dyn ComponentManager]) -> Result<Self, ComponentTwice> {
        managers.sort_unstable_by_key(|manager| {
            let ComponentType { name, order } = manager.component();
            (order, name)
        });
        for (at, manager) in managers.iter().enumerate() {
            let name = manager.component().name;
            if managers[..at].iter().any(|other| other.component().name == name) {
                return Err(ComponentTwice { name });
            }
        }
        Ok(Self { managers, types: None })
    }

    /// Returns the types of the managers, in spawn order.
    pub fn types(&self) -> impl DoubleEndedIterator<Item = ComponentType> {
        (0..self.managers.len()).map(|at| self.component(at))
    }

    /// Returns `true` if a resource can be spawned in parts: all managers of its components
    /// [take parts](ComponentManager::takes_parts).
    ///
    /// # Complexity
    ///
    /// O(managers).
    #[must_use]
    pub fn take_parts(&self, resource: &EntityResource<'_>) -> bool {
        let mut managers = self.managers.iter().enumerate();
        managers.all(|(at, manager)| {
            manager.takes_parts() || resource.part(self.component(at).name).is_none()
        })
    }

    /// Returns the type of components of a resource that no manager is for, if there is one.
    #[must_use]
    pub fn unknown(&self, resource: &EntityResource<'_>) -> Option<IdString32> {
        resource.parts().map(|part| part.component).find(|component| !self.contains(*component))
    }

    pub(crate) fn contains(&self, name: IdString32) -> bool {
        match self.types {
            Some(types) => types.iter().any(|component| component.name == name),
            None => self.types().any(|component| component.name == name),
        }
    }

    /// Returns the type of a manager.
    #[inline]
    pub(crate) fn component(&self, at: usize) -> ComponentType {
        match self.types {
            Some(types) => types[at],
            None => self.managers[at].component(),
        }
    }

    pub(crate) fn managers(&mut self) -> &mut [&'m mut dyn ComponentManager] {
        self.managers
    }
}

impl fmt::Debug for Components<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.types()).finish()
    }
}

/// Two managers are for one component type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComponentTwice {
    /// The type's name, hashed.
    pub name: IdString32,
}

impl fmt::Display for ComponentTwice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "two managers are for the component type {}; leave one out", self.name)
    }
}

impl Error for ComponentTwice {}
