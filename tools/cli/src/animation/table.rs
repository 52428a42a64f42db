//! What `stats` prints.

use core::fmt::Write as _;

use super::subject::Subject;

/// Returns a clip as text: its figures, and a table of its tracks.
pub(super) fn text(subject: &Subject, is_brief: bool) -> String {
    let mut text = format!("{}\n", subject.name);
    for (name, value) in figures(subject) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {name:<18}{value}");
    }
    if !is_brief {
        text.push('\n');
        let rows = rows(subject);
        let width = rows.iter().map(|row| row[0].chars().count()).max().unwrap_or(0).max(4);
        let head = ["bone", "channel", "keys", "bytes", "a key", "error"].map(ToOwned::to_owned);
        for row in core::iter::once(&head).chain(&rows) {
            let [bone, channel, keys, bytes, key, error] = row;
            let _ = writeln!(
                text,
                "  {bone:<width$}  {channel:<8}  {keys:>6}  {bytes:>8}  {key:>5}  {error:>10}"
            );
        }
    }
    text.push('\n');
    text
}

/// Returns the figures of a clip, by name.
pub(super) fn figures(subject: &Subject) -> Vec<(&'static str, String)> {
    let sizes = subject.open(|skeleton, clip| {
        let frames = clip.last_frame() as usize + 1;
        let raw = 40 * frames * skeleton.len();
        let seconds = clip.seconds().max(f32::MIN_POSITIVE);
        vec![
            ("length", format!("{:.2} s, {frames} frames, {} bones", clip.seconds(), clip.bones())),
            (
                "size",
                format!(
                    "{} bytes of {raw}, {:.1}:1",
                    clip.bytes(),
                    raw as f32 / clip.bytes().max(1) as f32
                ),
            ),
            ("a second", format!("{:.0} bytes", clip.bytes() as f32 / seconds)),
            (
                "stream",
                format!(
                    "{} bytes, {} keys; jump frames {} bytes",
                    clip.stream_bytes(),
                    clip.key_count(),
                    clip.jump_bytes()
                ),
            ),
            ("events", clip.events().len().to_string()),
        ]
    });
    let mut figures = sizes.unwrap_or_default();
    figures.push(match &subject.source {
        Some(source) => (
            "error of the skin",
            format!(
                "max {:.4} cm, p99 {:.4} cm, bound {} cm",
                100.0 * source.statistics.error_max,
                100.0 * source.statistics.error_p99,
                100.0 * source.bound
            ),
        ),
        None => ("error of the skin", "unknown without the model".to_owned()),
    });
    figures
}

/// Returns a row for each track: bone, channel, keys, bytes, bytes of a key, error; the largest first.
pub(super) fn rows(subject: &Subject) -> Vec<[String; 6]> {
    let mut tracks = subject.anatomy().tracks;
    tracks.sort_by_key(|track| core::cmp::Reverse(track.bytes()));
    let row = |track: &loligo_animation::compile::TrackAnatomy| {
        let error = subject.source.as_ref().and_then(|source| source.by_bone.get(track.bone));
        [
            subject.bones.get(track.bone).cloned().unwrap_or_default(),
            format!("{:?}", track.channel).to_lowercase(),
            track.keys.len().to_string(),
            track.bytes().to_string(),
            track.key_bytes.to_string(),
            error.map_or_else(|| "-".to_owned(), |error| format!("{:.4} cm", 100.0 * error)),
        ]
    };
    tracks.iter().map(row).collect()
}
