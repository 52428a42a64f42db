//! Which of several variants is wanted.
//!
//! After Niklas Frykholm, "Platform Specific Resources" (2011): the program names the properties
//! that it likes, in order. Changes: candidates are not looked up one by one; each variant that is
//! there gets a rank, which puts them into the same order as the article's list, however many
//! properties there are.

use loligo_ids::IdString64;

/// How many properties an order of preference may have.
pub const PREFERENCES_MAX: usize = 64;

/// Returns how much a variant with these properties is wanted: nothing where it has one that is not
/// in the order, else a number that is greater the better it is. A property outweighs all that come
/// after it.
///
/// # Complexity
///
/// O(properties * preferences), a few comparisons of numbers.
///
/// # Examples
///
/// ```
/// use loligo_ids::{IdString64, id64};
/// use loligo_resources::rank;
///
/// let order = [id64!("withkittens"), id64!("noblood"), id64!("fr")];
/// let kittens = rank(&[id64!("withkittens")], &order);
/// let french_without_blood = rank(&[id64!("fr"), id64!("noblood")], &order);
/// assert!(kittens > french_without_blood);
/// assert!(french_without_blood > rank(&[], &order));
/// assert_eq!(rank(&[id64!("de")], &order), None, "nobody asked for German");
/// ```
#[must_use]
pub fn rank(properties: &[IdString64], order: &[IdString64]) -> Option<u64> {
    let mut rank = 0;
    for property in properties {
        let place = order.iter().take(PREFERENCES_MAX).position(|wanted| wanted == property)?;
        rank |= 1 << (PREFERENCES_MAX - 1 - place);
    }
    Some(rank)
}
