//! The page about a clip: it needs nothing outside itself.

use core::fmt::Write as _;

use loligo_animation::Channel;
use loligo_animation::compile::{ClipAnatomy, TrackAnatomy};
use loligo_replay::report::{Figure, escape, figures_page};

use super::chart::Chart;
use super::subject::{Curve, Subject};
use super::table::{figures, rows};

/// The most tracks whose curves are drawn.
const CURVES_MAX: usize = 12;

/// The most keys that are drawn in the order of the stream.
const STREAM_MAX: usize = 6000;

const STYLE: &str = "
.dot-live { fill: var(--live); }
.chart + .subhead { margin-top: 1.4rem; }
.subhead small { color: var(--soft); font-weight: 400; margin-left: .5em; }
";

/// Returns the page of a clip.
pub(super) fn page(subject: &Subject) -> String {
    let anatomy = subject.anatomy();
    let figure = |heading: &str, note: &str, body: String| Figure {
        heading: heading.to_owned(),
        note: note.to_owned(),
        body,
    };
    let mut all = Vec::new();
    if let Some(errors) = errors(subject) {
        let note = "How far the skin is off in each frame, in centimetres, at its worst bone. The dashed line is \
                    the bound.";
        all.push(figure("Error over time", note, errors));
    }
    let note = "Keys, their bytes in the stream, and how far the skin of the bone is off in its worst frame.";
    all.push(figure("Bytes by track", note, table(subject)));
    let note = format!(
        "The {CURVES_MAX} tracks with the most bytes, over the frames of the clip. A dot is a key: between keys the \
         curve is what their neighbours imply. Rotations are drawn as quaternions: x, y, z and w."
    );
    all.push(figure("Curves and keys", &note, curves(subject, &anatomy)));
    let note = "Each dot is a key: across, its place in the stream; up, its frame. The line is the frame from which \
                on it is needed. Keys come right before they are needed, so the stream is read once, in order.";
    all.push(figure("Order of the stream", note, stream(&anatomy)));
    let findings: Vec<_> =
        figures(subject).into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let title = format!("Clip {}", subject.name);
    let lede =
        "A clip is one stream of keys, fitted by curves to a bound on how far the skin is off.";
    figures_page("animation", (&title, lede), &findings, &all, STYLE)
}

fn errors(subject: &Subject) -> Option<String> {
    let source = subject.source.as_ref()?;
    let centimetres: Vec<f32> = source.by_frame.iter().map(|error| 100.0 * error).collect();
    let bound = 100.0 * source.bound;
    let top = centimetres.iter().copied().fold(bound, f32::max) * 1.05;
    let last = centimetres.len().saturating_sub(1) as f32;
    let mut chart = Chart::new("Error over time", 240.0, (0.0, last), (0.0, top));
    chart.level(bound);
    chart.line(0, centimetres.iter().enumerate().map(|(frame, error)| (frame as f32, *error)));
    Some(chart.finish())
}

fn table(subject: &Subject) -> String {
    let rows = rows(subject);
    let bytes = |row: &[String; 6]| row[3].parse().unwrap_or(0.0_f32);
    let most = rows.iter().map(bytes).fold(1.0, f32::max);
    let mut table = String::from(
        "<div class=\"scroll\"><table class=\"rows\"><thead><tr><th>Bone</th><th>Channel</th><th>Keys</th>\
         <th>Bytes</th><th>Bytes a key</th><th>Error</th></tr></thead><tbody>",
    );
    for row in &rows {
        let width = 100.0 * bytes(row) / most;
        let [bone, channel, keys, bytes, key, error] = row.each_ref().map(|text| escape(text));
        // Writing to a string cannot fail.
        let _ = write!(
            table,
            "<tr class=\"ours\"><th scope=\"row\">{bone}</th><td>{channel}</td><td>{keys}</td>\
             <td class=\"numeric-bar\"><i style=\"width: calc({width:.1}% - .7rem)\"></i><span>{bytes}</span></td>\
             <td>{key}</td><td>{error}</td></tr>"
        );
    }
    table + "</tbody></table></div>"
}

fn curves(subject: &Subject, anatomy: &ClipAnatomy) -> String {
    let mut tracks: Vec<&TrackAnatomy> = anatomy.tracks.iter().collect();
    tracks.sort_by_key(|track| core::cmp::Reverse(track.bytes()));
    tracks.truncate(CURVES_MAX);
    let places: Vec<(usize, Channel)> =
        tracks.iter().map(|track| (track.bone, track.channel)).collect();
    let mut body = String::new();
    for (track, curve) in tracks.iter().zip(subject.curves(&places)) {
        let bone = subject.bones.get(track.bone).map_or("", |name| &**name);
        let what = format!("{bone} {}", format!("{:?}", track.channel).to_lowercase());
        let _ = write!(
            body,
            "<h3 class=\"subhead\">{}<small>{} keys, {} bytes</small></h3>{}",
            escape(&what),
            track.keys.len(),
            track.bytes(),
            drawn(&what, track, &curve)
        );
    }
    body
}

fn drawn(what: &str, track: &TrackAnatomy, curve: &Curve) -> String {
    let Curve { density, lines } = curve;
    let all = || lines.iter().flatten().copied();
    let (low, high) = (all().fold(f32::MAX, f32::min), all().fold(f32::MIN, f32::max));
    let room = (0.05 * (high - low)).max(1.0e-4);
    let points = lines.first().map_or(0, Vec::len);
    let last = points.saturating_sub(1) as f32 / *density as f32;
    let mut chart = Chart::new(what, 180.0, (0.0, last), (low - room, high + room));
    for (kind, line) in lines.iter().enumerate() {
        let points = line.iter().enumerate();
        chart.line(kind, points.map(|(at, value)| (at as f32 / *density as f32, *value)));
        let at_key = |frame: &u32| {
            let value = line.get(*frame as usize * density)?;
            Some((*frame as f32, *value))
        };
        chart.dots(kind, 2.2, track.keys.iter().filter_map(at_key));
    }
    chart.finish()
}

fn stream(anatomy: &ClipAnatomy) -> String {
    let count = anatomy.stream.len();
    let step = count.div_ceil(STREAM_MAX).max(1);
    let last = anatomy.stream.iter().map(|key| key.frame).max().unwrap_or(0) as f32;
    let mut chart = Chart::new("Order of the stream", 320.0, (0.0, count as f32), (0.0, last));
    let keys = || anatomy.stream.iter().enumerate().step_by(step);
    chart.dots(0, 1.3, keys().map(|(at, key)| (at as f32, key.frame as f32)));
    chart.line(1, keys().map(|(at, key)| (at as f32, key.needed as f32)));
    let bytes: usize = anatomy.tracks.iter().map(TrackAnatomy::bytes).sum();
    let note = format!(
        "<p class=\"note\">{count} keys of {bytes} bytes{}.</p>",
        if step > 1 { format!("; each {step}th is drawn") } else { String::new() }
    );
    chart.finish() + &note
}
