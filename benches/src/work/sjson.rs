//! Files of a game's project, read as SJSON and, with the same values, as JSON by a peer.

use core::fmt;
use core::hint::black_box;
use std::path::{Path, PathBuf};

use loligo_sjson::{Event, Options, Parser, Style, Value, format};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::HEAP;

/// How many bytes a pass reads, at least.
const BYTES: usize = 2 << 20;

/// Which text is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Text {
    /// Arrays of floats.
    Mesh,
    /// Units with names, ids and components.
    Level,
}

impl Text {
    /// Returns the text as SJSON and as JSON.
    fn both(self) -> (String, String) {
        let name = match self {
            Self::Mesh => "core__units__skydome__skydome.mesh",
            Self::Level => "01-physics__levels__mover.level",
        };
        let data = std::env::var_os("LOLIGO_DATA").map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
            PathBuf::from,
        );
        let sjson = std::fs::read_to_string(data.join("sjson").join(name));
        let sjson = sjson.unwrap_or_else(|_| self.made_up());
        let mut json = String::new();
        format(sjson.as_bytes(), &Options::SJSON, Style::JSON, &mut json).expect("good SJSON");
        (sjson, json)
    }

    fn made_up(self) -> String {
        match self {
            Self::Mesh => {
                let floats =
                    (0..100_000).map(|index| format!("{:.6} ", f64::from(index) * 0.013 - 500.0));
                format!("position = [ {}]\n", floats.collect::<String>())
            }
            Self::Level => {
                let units = (0..500).map(|index| {
                    format!(
                        "\t{{\n\t\t_guid = \"{index:08x}-1df7-4216-a13a-b5e50af5d0ea\"\n\t\tname = \"crate_{index}\"\n\
                         \t\tposition = [\n\t\t\t{index}\n\t\t\t0.5\n\t\t\t-1.25\n\t\t]\n\t\tvisible = true\n\t}}\n"
                    )
                });
                format!("units = [\n{}]\n", units.collect::<String>())
            }
        }
    }
}

/// Runs `read` over a text as often as makes a pass; it returns how many events it met.
fn contender(
    name: &'static str,
    text: String,
    events: u64,
    mut read: impl FnMut(&[u8]) -> u64 + 'static,
) -> Contender {
    let times = (BYTES / text.len()).max(1);
    Contender::new(name, move || {
        let ns = clock::time(|| {
            for _ in 0..times {
                assert_eq!(read(black_box(text.as_bytes())), events, "{name} reads it all");
            }
        });
        Pass { ns, operations: events * times as u64 }
    })
}

/// What a walk over all events meets.
#[derive(Debug, Default, PartialEq)]
struct Met {
    events: u64,
    sum: f64,
}

fn met_by_us(text: &[u8]) -> Met {
    let mut met = Met::default();
    let mut parser = Parser::new(text, &Options::SJSON);
    while let Some(event) = parser.next_event().expect("good SJSON") {
        met.events += 1;
        if let Event::Number(number) = event {
            met.sum += number.f64().expect("finite");
        }
    }
    met
}

/// The events of SJSON.
pub(crate) fn our_events(text: Text) -> Contender {
    let (sjson, _) = text.both();
    let events = met_by_us(sjson.as_bytes()).events;
    contender("Parser", sjson, events, |text| {
        let met = met_by_us(text);
        black_box(met.sum);
        met.events
    })
}

/// A peer that reads the same values, written as JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Peer {
    SerdeJson,
    Json5,
}

impl Peer {
    fn read<T: for<'de> Deserialize<'de>>(self, text: &[u8]) -> T {
        match self {
            Self::SerdeJson => serde_json::from_slice(text).expect("what was written is JSON"),
            Self::Json5 => {
                let text = core::str::from_utf8(text).expect("what was written is UTF-8");
                json5::from_str(text).expect("what is JSON is JSON5")
            }
        }
    }
}

/// The events of JSON, by a peer.
pub(crate) fn their_events(text: Text, peer: Peer) -> Contender {
    let (sjson, json) = text.both();
    let ours = met_by_us(sjson.as_bytes());
    let theirs: Met = peer.read(json.as_bytes());
    assert_eq!(ours.events, theirs.events, "{peer:?} reads the same");
    let name = match peer {
        Peer::SerdeJson => "serde_json",
        Peer::Json5 => "json5",
    };
    contender(name, json, ours.events, move |text| {
        let met: Met = peer.read(text);
        black_box(met.sum);
        met.events
    })
}

/// A value of SJSON.
pub(crate) fn our_value(text: Text) -> Contender {
    let (sjson, _) = text.both();
    let events = met_by_us(sjson.as_bytes()).events;
    contender("Value", sjson, events, move |text| {
        let value = Value::try_parse_in(text, &Options::SJSON, &HEAP).expect("good SJSON");
        events * u64::from(!black_box(&value).root().is_empty())
    })
}

/// A value of JSON, by a peer: there is one type for both.
pub(crate) fn their_value(text: Text, peer: Peer) -> Contender {
    let (sjson, json) = text.both();
    let events = met_by_us(sjson.as_bytes()).events;
    let name = match peer {
        Peer::SerdeJson => "serde_json::Value",
        Peer::Json5 => "json5",
    };
    contender(name, json, events, move |text| {
        let value: serde_json::Value = peer.read(text);
        events * u64::from(black_box(&value).is_object())
    })
}

impl<'de> Deserialize<'de> for Met {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Walk)
    }
}

struct Walk;

const ONE: Met = Met { events: 1, sum: 0.0 };

impl<'de> Visitor<'de> for Walk {
    type Value = Met;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_unit<E>(self) -> Result<Met, E> {
        Ok(ONE)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Met, E> {
        Ok(ONE)
    }

    fn visit_i64<E>(self, number: i64) -> Result<Met, E> {
        Ok(Met { sum: number as f64, ..ONE })
    }

    fn visit_u64<E>(self, number: u64) -> Result<Met, E> {
        Ok(Met { sum: number as f64, ..ONE })
    }

    fn visit_f64<E>(self, number: f64) -> Result<Met, E> {
        Ok(Met { sum: number, ..ONE })
    }

    fn visit_str<E>(self, _: &str) -> Result<Met, E> {
        Ok(ONE)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Met, A::Error> {
        let mut met = Met { events: 2, sum: 0.0 };
        while let Some(item) = items.next_element::<Met>()? {
            met = Met { events: met.events + item.events, sum: met.sum + item.sum };
        }
        Ok(met)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Met, A::Error> {
        let mut met = Met { events: 2, sum: 0.0 };
        while let Some((key, item)) = members.next_entry::<Met, Met>()? {
            met.events += key.events + item.events;
            met.sum += item.sum;
        }
        Ok(met)
    }
}
