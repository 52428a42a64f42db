//! What tools see of the sounds of a game.

use loligo_entities::Entity;
use loligo_ids::IdString32;
use loligo_interface::{Report, ReportValue};

use super::Sound;
use super::output::MASTER;
use crate::level::decibels;
use crate::player::PartView;
use crate::tree::SOUND_TYPE;
use crate::wave::WAVE_TYPE;

/// The most waves that play of which there is a row; those with a voice come first.
const ROWS_MAX: usize = 256;

impl Sound<'_> {
    /// Writes the tables `totals`, `buses` and `voices`.
    pub(super) fn write_report(&self, out: &mut dyn Report) {
        self.write_totals(out);
        out.table("buses");
        self.output.levels(|name, text, [gain, peak, loudness]| {
            out.row();
            out.field("name", bus_name(name, text, &mut [0; 10]));
            out.field("volume", number(decibels(gain)));
            out.field("peak", number(decibels(peak)));
            out.field("loudness", number(loudness));
        });
        out.table("voices");
        let heard = self.player.views().filter(|view| view.has_voice);
        let unheard = self.player.views().filter(|view| !view.has_voice);
        for view in heard.chain(unheard).take(ROWS_MAX) {
            self.write_voice(&view, out);
        }
    }

    fn write_totals(&self, out: &mut dyn Report) {
        let (stats, streams) = (self.player.stats(), self.output.streams.stats());
        out.table("totals");
        out.row();
        let counts = [
            ("sounds", u64::from(stats.sounds)),
            ("waves", u64::from(stats.parts)),
            ("voices", u64::from(stats.voices)),
            ("waiting", u64::from(stats.waiting)),
            ("stolen", stats.stolen),
            ("missing", stats.missing),
            ("stale", stats.stale),
            ("streams", u64::from(streams.open)),
            ("streamed_bytes", streams.bytes as u64),
            ("late_streams", streams.late),
        ];
        for (name, count) in counts {
            out.field(name, ReportValue::Number(count as f64));
        }
        let device = self.output.device();
        out.field("device", device.map_or(ReportValue::Nothing, |of| number(of.rate as f32)));
        out.field("late", device.map_or(ReportValue::Nothing, |of| number(of.late as f32)));
    }

    fn write_voice(&self, view: &PartView, out: &mut dyn Report) {
        out.row();
        out.field("sound", ReportValue::Number(view.sound.to_bits().into()));
        out.field("name", ReportValue::Resource(SOUND_TYPE, view.name));
        out.field("wave", ReportValue::Resource(WAVE_TYPE, view.wave));
        out.field("entity", ReportValue::Entity(Entity::from_bits(view.owner)));
        out.field("bus", bus_name(view.bus, self.output.bus_text(view.bus), &mut [0; 10]));
        out.field("place", view.place.map_or(ReportValue::Nothing, ReportValue::Vector3));
        out.field("seconds", number(view.seconds));
        out.field("volume", number(decibels(view.volume)));
        let loudness = view.has_voice.then(|| number(decibels(view.loudness)));
        out.field("loudness", loudness.unwrap_or(ReportValue::Nothing));
        out.field("has_voice", ReportValue::Bool(view.has_voice));
        out.field("is_paused", ReportValue::Bool(view.is_paused));
    }
}

fn number(number: f32) -> ReportValue<'static> {
    ReportValue::Number(number.into())
}

/// Returns the name of a bus, or its hash where its text is not known.
fn bus_name<'t>(name: IdString32, text: &'t str, buffer: &'t mut [u8; 10]) -> ReportValue<'t> {
    if name == MASTER {
        return ReportValue::Text("master");
    }
    if !text.is_empty() {
        return ReportValue::Text(text);
    }
    *buffer = *b"#00000000 ";
    for (place, shift) in buffer[1..9].iter_mut().zip((0..32).step_by(4).rev()) {
        *place = b"0123456789abcdef"[(name.hash() >> shift & 15) as usize];
    }
    ReportValue::Text(core::str::from_utf8(&buffer[..9]).unwrap_or_default())
}
