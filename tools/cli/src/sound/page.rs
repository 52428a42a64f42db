//! The page about a sound: it needs nothing outside itself.

use core::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use loligo_replay::report::{Figure, escape, figures_page};

use super::input::{Setting, SettingValue};
use super::meter::{Levels, QUIET};
use super::play::Heard;
use super::spectrum::{COLUMNS, ROWS, frequency, picture};
use super::structure::{Curve, Node, tree_of};
use super::subject::{SoundError, Subject};
use crate::animation::chart::Chart;

/// The points of a waveform.
const POINTS: usize = 1000;

const STYLE: &str = "
.spectrogram { position: relative; margin-left: 6.4%; }
.spectrogram img { display: block; width: 100%; height: 20rem; image-rendering: auto; border-radius: .3rem; }
.spectrogram span { position: absolute; right: 100%; margin-right: .5rem; transform: translateY(50%); font: 12px var(--sans); color: var(--soft); white-space: nowrap; }
.chart + .subhead { margin-top: 1.4rem; }
.subhead small { color: var(--soft); font-weight: 400; margin-left: .5em; }
";

/// Returns the page of a sound.
pub(super) fn page(
    subject: &Subject,
    heard: &Heard,
    settings: &[Setting],
) -> Result<String, SoundError> {
    let mut names = subject.names.clone();
    names.extend(settings.iter().flat_map(names_of));
    let (nodes, curves) = tree_of(subject, &names)?;
    let levels = Levels::of(heard);
    let figure = |heading: &str, note: &str, body: String| Figure {
        heading: heading.to_owned(),
        note: note.to_owned(),
        body,
    };
    let mut all = vec![
        figure(
            "Waveform",
            "The least and the greatest sample over time, left above and right below; seconds are across.",
            waveform(heard),
        ),
        figure(
            "Spectrogram",
            "How loud each frequency is over time; an octave is as high as the next, and what is dark is 90 decibels \
             below the loudest.",
            spectrogram(heard)?,
        ),
        figure(
            "Loudness",
            "Of the last 0.4 seconds, by EBU R128, in LUFS. The dashed line is that of the whole.",
            loudness(heard, &levels),
        ),
    ];
    if !nodes.is_empty() {
        let note = "What is played: children are below their parents. Where two numbers are given, one between them is \
                    chosen by chance.";
        all.push(figure("Tree", note, tree(&nodes)));
    }
    if !curves.is_empty() {
        let note = "What a parameter does: its value is across. The lines upwards are the values from which and to which it went here.";
        all.push(figure("Curves", note, drawn_curves(&curves, settings)));
    }
    let note = "Each wave once, however often the sound plays it; two bytes a sample and channel. Of one that is \
                streamed, its first piece.";
    all.push(figure("Memory", note, memory(subject, heard)));
    let findings = findings(subject, heard, &levels, settings);
    let title = format!("Sound {}", subject.name);
    let lede = "What is heard of a sound, rendered by the mixer of the engine without a device.";
    Ok(figures_page("sound", (&title, lede), &findings, &all, STYLE))
}

fn names_of(setting: &Setting) -> Vec<String> {
    match &setting.value {
        SettingValue::Number(_) => vec![setting.name.clone()],
        SettingValue::Word(word) => vec![setting.name.clone(), word.clone()],
    }
}

fn findings(
    subject: &Subject,
    heard: &Heard,
    levels: &Levels,
    settings: &[Setting],
) -> Vec<(String, String)> {
    let length = format!(
        "{:.2} s at {} frames a second, {} of {} waves",
        heard.seconds(),
        heard.rate,
        heard.parts,
        subject.waves.len()
    );
    let mut findings =
        vec![("length".to_owned(), length), ("loudness".to_owned(), levels.to_string())];
    if !settings.is_empty() {
        let texts: Vec<String> = settings.iter().map(text_of).collect();
        findings.push(("parameters".to_owned(), texts.join(", ")));
    }
    let bytes: usize = heard.wave_bytes.iter().sum();
    let tree = subject.tree.as_ref().map_or(0, Vec::len);
    findings.push(("memory".to_owned(), format!("{bytes} bytes of waves, {tree} of the tree")));
    findings
}

fn text_of(setting: &Setting) -> String {
    match &setting.value {
        SettingValue::Number([from, to]) if from == to => format!("{} = {from}", setting.name),
        SettingValue::Number([from, to]) => format!("{} = {from} to {to}", setting.name),
        SettingValue::Word(word) => format!("{} = {word}", setting.name),
    }
}

fn waveform(heard: &Heard) -> String {
    let frames = &heard.frames;
    let peak = frames.as_flattened().iter().fold(0.01_f32, |peak, at| peak.max(at.abs()));
    let mut body = String::new();
    for (side, name) in ["Left", "Right"].into_iter().enumerate() {
        let mut chart = Chart::new(name, 140.0, (0.0, heard.seconds()), (-peak, peak));
        let piece = frames.len().div_ceil(POINTS).max(1);
        let points = frames.chunks(piece).enumerate().flat_map(|(at, piece_frames)| {
            let samples = || piece_frames.iter().map(|frame| frame[side]);
            let second = (at * piece) as f32 / heard.rate as f32;
            let (low, high) =
                (samples().fold(f32::MAX, f32::min), samples().fold(f32::MIN, f32::max));
            [(second, low), (second, high)]
        });
        chart.line(0, points);
        body.push_str(&chart.finish());
    }
    body
}

fn spectrogram(heard: &Heard) -> Result<String, SoundError> {
    let pixels = picture(&heard.frames, heard.rate);
    let mut file = Vec::new();
    loligo_gpu::write_png(&mut file, [COLUMNS as u32, ROWS as u32], &pixels)
        .map_err(|error| SoundError::other(error.to_string()))?;
    let mut body = format!(
        "<div class=\"spectrogram\"><img alt=\"Spectrogram\" src=\"data:image/png;base64,{}\">",
        STANDARD.encode(&file)
    );
    for step in 0..=4 {
        let share = step as f32 / 4.0;
        // Writing to a string cannot fail.
        let _ = write!(
            body,
            "<span style=\"bottom: {:.1}%\">{:.0} Hz</span>",
            100.0 * share,
            frequency(share, heard.rate)
        );
    }
    Ok(body + "</div>")
}

fn loudness(heard: &Heard, levels: &Levels) -> String {
    let top = levels.momentary.iter().copied().fold(-10.0, f32::max) + 2.0;
    let mut chart = Chart::new("Loudness", 200.0, (0.0, heard.seconds()), (QUIET, top));
    if let Some(level) = levels.integrated {
        chart.level(level as f32);
    }
    let points = levels.momentary.iter().zip(1..);
    // The last piece is shorter than the others.
    let seconds = |tenth: i32| (tenth as f32 * 0.1).min(heard.seconds());
    chart.line(0, points.map(|(level, tenth)| (seconds(tenth), *level)));
    chart.finish()
}

fn tree(nodes: &[Node]) -> String {
    let mut table = String::from(
        "<div class=\"scroll\"><table class=\"rows\"><thead><tr><th>Node</th><th>Volume, dB</th><th>Speed</th>\
         <th>Delay, s</th><th>Fade, s</th><th>Weight</th></tr></thead><tbody>",
    );
    for node in nodes {
        let Node { depth, what, volume, speed, delay, fade, weight } = node;
        let weight = weight.map_or_else(|| "-".to_owned(), |weight| weight.to_string());
        let _ = write!(
            table,
            "<tr><th scope=\"row\" style=\"padding-left: {:.1}rem\">{}</th><td>{}</td><td>{}</td><td>{}</td>\
             <td>{fade}</td><td>{weight}</td></tr>",
            0.7 + 1.2 * *depth as f32,
            escape(what),
            range(*volume),
            range(*speed),
            range(*delay)
        );
    }
    table + "</tbody></table></div>"
}

fn range([least, most]: [f32; 2]) -> String {
    if least == most { least.to_string() } else { format!("{least} to {most}") }
}

fn drawn_curves(curves: &[Curve], settings: &[Setting]) -> String {
    let mut body = String::new();
    for curve in curves {
        let what = format!("{} of {} by {}", curve.target, curve.node, curve.parameter);
        let (first, last) = (curve.points[0][0], curve.points[curve.points.len() - 1][0]);
        let values = || curve.points.iter().map(|point| point[1]);
        let (low, high) = (values().fold(f32::MAX, f32::min), values().fold(f32::MIN, f32::max));
        let room = (0.05 * (high - low)).max(1e-4);
        let mut chart = Chart::new(&what, 180.0, (first, last), (low - room, high + room));
        chart.line(0, curve.points.iter().map(|[x, y]| (*x, *y)));
        chart.dots(0, 2.5, curve.points.iter().map(|[x, y]| (*x, *y)));
        let set = settings.iter().find(|setting| setting.name == curve.parameter);
        if let Some(Setting { value: SettingValue::Number(range), .. }) = set {
            for value in range {
                let x = value.clamp(first.min(last), last.max(first));
                chart.line(1, [(x, low - room), (x, high + room)].into_iter());
            }
        }
        let _ = write!(
            body,
            "<h3 class=\"subhead\">{}<small>{} of {}</small></h3>{}",
            escape(&curve.parameter),
            curve.target,
            escape(&curve.node),
            chart.finish()
        );
    }
    body
}

fn memory(subject: &Subject, heard: &Heard) -> String {
    let most = heard.wave_bytes.iter().copied().max().unwrap_or(0).max(1);
    let mut table = String::from(
        "<div class=\"scroll\"><table class=\"rows\"><thead><tr><th>Wave</th><th>Bytes</th></tr></thead><tbody>",
    );
    for (wave, bytes) in subject.waves.iter().zip(&heard.wave_bytes) {
        let width = 100.0 * *bytes as f32 / most as f32;
        let _ = write!(
            table,
            "<tr class=\"ours\"><th scope=\"row\">{}</th><td class=\"numeric-bar\">\
             <i style=\"width: calc({width:.1}% - .7rem)\"></i><span>{bytes}</span></td></tr>",
            escape(&wave.name)
        );
    }
    table + "</tbody></table></div>"
}
