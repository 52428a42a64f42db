//! The lines that are kept, against a list of them.

use std::vec::Vec;

use glam::{Vec2, Vec3};
use loligo_allocators::{Allocator as _, PageAllocator};
use loligo_containers::EventStream;

use super::*;
use crate::commands::DrawLines;
use crate::drawer::Lines;

/// A line and until when it is drawn; whether the drawer had it.
#[derive(Clone, Copy)]
struct Known {
    line: Line,
    until: u64,
    shown: bool,
}

fn line(number: u32) -> Line {
    let at = Vec2::splat(number as f32);
    if number % 7 == 3 {
        Line::on_screen(at, at, Vec3::ONE)
    } else {
        Line::new(at.extend(0.0), at.extend(1.0), Vec3::ONE)
    }
}

/// The lines that the drawer was sent last, if any were, and whether they are the same in each view.
fn sent(draw: &mut DebugDraw<'_>) -> Option<(Vec<Line>, bool)> {
    let messages = draw.drawn().expect("it has a drawer");
    let record = messages.iter().last()?;
    let (Lines { are_in_world }, lines) = record.get_with_tail::<Lines, Line>()?;
    let sent = (lines.collect(), are_in_world == 1);
    messages.clear();
    Some(sent)
}

#[test]
fn lines_are_those_of_a_list_in_which_each_has_its_end() {
    for seed in 0..20_u32 {
        let memory = PageAllocator::new("lines");
        let mut draw = DebugDraw::new(&memory);
        let mut known: Vec<Known> = Vec::new();
        let mut random = seed.wrapping_mul(2_654_435_761) | 1;
        let mut next = |below: u32| {
            random ^= random << 13;
            random ^= random >> 17;
            random ^= random << 5;
            random % below
        };
        let mut number = 0;
        for frame in 0..60_u64 {
            // A 128th of a second, of which a float is exact, so that runs of two updates end together.
            let now = frame * 7_812_500;
            draw.begin(now);
            known.retain(|known| !known.shown || known.until >= now);
            for _ in 0..next(6) {
                let (count, steps) = (next(5), next(4));
                let seconds = steps as f32 / 128.0;
                let until = now + (f64::from(seconds) * 1e9) as u64;
                let lines: Vec<Line> = (0..count).map(|at| line(number + at)).collect();
                if next(2) == 0 {
                    draw.draw_all(&lines, seconds).expect("there is memory");
                } else {
                    lines.iter().for_each(|line| {
                        draw.draw(*line, seconds).expect("there is memory");
                    });
                }
                known.extend(lines.iter().map(|&line| Known { line, until, shown: false }));
                number += count;
            }
            // There may be several updates in a frame.
            if next(3) == 0 {
                continue;
            }
            draw.show().expect("there is room");
            known.iter_mut().for_each(|known| known.shown = true);
            let expected: Vec<Line> = known.iter().map(|known| known.line).collect();
            assert_eq!(draw.lines(), expected, "seed {seed}, frame {frame}");
            let total: u32 = draw.runs.iter().map(|run| run.len).sum();
            assert_eq!(total as usize, expected.len(), "seed {seed}, frame {frame}: runs");
            if let Some((lines, are_in_world)) = sent(&mut draw) {
                assert_eq!(lines, expected, "seed {seed}, frame {frame}");
                assert_eq!(are_in_world, lines.iter().all(Line::is_in_world), "seed {seed}");
            }
        }
        drop(draw);
        assert_eq!(memory.stats().live, 0, "seed {seed}: blocks are left");
    }
}

#[test]
fn a_command_with_many_lines_draws_them_and_bytes_that_are_none_are_in_the_world() {
    let memory = PageAllocator::new("lines");
    let mut draw = DebugDraw::new(&memory);
    let mut lines: Vec<Line> = (0..100).map(line).collect();
    // What a command says may be any bytes.
    bytemuck::bytes_of_mut(&mut lines[5])[31] = 9;
    let mut commands = EventStream::new_in(&memory as SharedRef<'_>);
    commands.try_push_with_tail(DrawLines { seconds: 0.0 }, &lines).expect("there is memory");
    for command in &commands {
        draw.command(&command).expect("there is memory");
    }
    assert_eq!(draw.lines().len(), 100);
    assert!(draw.lines()[5].is_in_world() && !draw.lines()[3].is_in_world());
    assert_eq!((draw.lines()[4], draw.lines()[99]), (line(4), line(99)));
}

#[test]
fn what_is_beyond_the_most_is_left_out_and_said_once() {
    let memory = PageAllocator::new("lines");
    let mut draw = DebugDraw::new(&memory);
    let lines = std::vec![line(0); LINES_MAX - 1];
    draw.draw_all(&lines, 0.0).expect("there is memory");
    draw.show().expect("all of them have room");
    draw.draw_all(&[line(1), line(2)], 0.0).expect("it is no error yet");
    assert_eq!(draw.lines().len(), LINES_MAX);
    assert!(draw.show().is_err(), "one was left out");
    assert!(draw.show().is_ok(), "which is said once");
}
