//! Texts of a game in several languages: the resources swap them, and the subsystem shows what is
//! there.

use core::fmt;

use loligo_allocators::{Allocator, HeapAllocator, Locked, PageAllocator};
use loligo_interface::{ResourceChange, Subsystem};
use loligo_resources::{Reloaded, Resource, ResourceKey};
use loligo_text::{STRINGS_TYPE, TextSubsystem, TextValue};

use crate::support::compiled;

const SOURCES: [(&str, &str); 3] = [
    ("menu.strings", "texts = { start = \"Start\" only = \"Only English\" }"),
    ("menu.fr.strings", "texts = { start = \"Démarrer, {name}\" }"),
    ("ui/shop.strings", "texts = { buy = \"Buy\" }"),
];

fn change<'r>(resource: &Resource<'r>, is_changed: bool) -> ResourceChange<'r> {
    let key = resource.key();
    ResourceChange {
        type_hash: key.type_hash,
        name: key.name,
        debug_name: "menu",
        payload: resource.payload(),
        is_changed,
    }
}

fn shown(text: &mut TextSubsystem<'_>, name: &str) -> String {
    let mut shown = String::new();
    let value = |name: &str| (name == "name").then_some(TextValue::Text("Ada"));
    let is_there = text.write(name, &value, &mut shown).expect("a string takes all");
    assert_eq!(is_there, text.has(name), "{name}");
    shown
}

#[test]
fn a_game_shows_its_texts_in_the_language_that_is_preferred() {
    let pages = PageAllocator::new("pages");
    let heap = Locked::new(HeapAllocator::new_in("text", &pages));
    let mut text = TextSubsystem::new(&heap);
    let errors = compiled(&SOURCES, |resources| {
        let (menu, shop) =
            (ResourceKey::new(STRINGS_TYPE, "menu"), ResourceKey::new(STRINGS_TYPE, "ui/shop"));
        for key in [menu, shop] {
            resources.load(key).expect("it was compiled");
            let resource = resources.get(key).expect("it is loaded");
            text.resource(&change(&resource, false)).expect("it is right");
        }
        assert_eq!(shown(&mut text, "menu.start"), "Start");
        assert_eq!(shown(&mut text, "ui/shop.buy"), "Buy");
        assert_eq!(text.language(menu.name), Some("en"));
        for name in ["menu.stop", "menu", "", "shop.buy", "menu.stop"] {
            assert_eq!(shown(&mut text, name), format!("?{name}?"));
        }
        assert_eq!(text.missing().collect::<Vec<_>>(), ["", "menu", "menu.stop", "shop.buy"]);

        let french = [loligo_ids::IdString64::new("fr")];
        let mut swap = |what: Reloaded<'_>| match what {
            Reloaded::Changed { new, .. } => text.resource(&change(&new, true)).expect("right"),
            Reloaded::Failed { error, .. } => panic!("{error}"),
        };
        let swapped = resources.try_set_preference_order(&french, &mut swap).expect("memory");
        assert_eq!(swapped, 1, "the menu alone");
        assert_eq!(shown(&mut text, "menu.start"), "Démarrer, Ada");
        assert_eq!(shown(&mut text, "ui/shop.buy"), "Buy", "it has no other");
        assert_eq!(text.language(menu.name), Some("fr"));
        assert_eq!(text.missing().count(), 0, "they may be there in this language");
        assert_eq!(shown(&mut text, "menu.only"), "?menu.only?");
        assert_eq!(text.missing().collect::<Vec<_>>(), ["menu.only"]);

        text.drop_resource(menu.type_hash, menu.name);
        assert_eq!(shown(&mut text, "menu.start"), "?menu.start?");
        let broken = ResourceChange {
            type_hash: menu.type_hash,
            name: menu.name,
            debug_name: "menu",
            payload: b"no texts",
            is_changed: false,
        };
        let error = text.resource(&broken).expect_err("it is damaged").to_string();
        assert!(error.contains("they are not compiled texts; compile them again"), "{error}");
    });
    assert_eq!(errors, [""; 0], "it is right");
    drop(text);
    assert_eq!(heap.stats().live, 0, "all is given back");
}

/// A writer that has room for a few bytes.
struct Short(usize);

impl fmt::Write for Short {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.checked_sub(text.len()).ok_or(fmt::Error)?;
        Ok(())
    }
}

#[test]
fn missing_texts_are_bounded_and_a_writer_without_room_is_reported() {
    let pages = PageAllocator::new("pages");
    let heap = Locked::new(HeapAllocator::new_in("text", &pages));
    let mut text = TextSubsystem::new(&heap);
    for number in 0..1000 {
        let name = format!("menu.{number:03}{}", "é".repeat(100));
        assert_eq!(shown(&mut text, &name), format!("?{name}?"));
    }
    let kept: Vec<_> = text.missing().collect();
    assert_eq!(kept.len(), 256, "no more are kept");
    assert!(kept.iter().all(|name| name.len() <= 120), "nor more of each");
    let bytes = heap.stats().requested;
    assert!(bytes < 256 * 256, "{bytes}");
    assert!(text.write("menu.a", &|_| None, &mut Short(3)).is_err());
    assert!(text.write("menu.a", &|_| None, &mut Short(8)).is_ok());
    drop(text);
    assert_eq!(heap.stats().live, 0, "all is given back");
}
