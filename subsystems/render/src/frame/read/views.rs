//! Reading the views of a frame.

use loligo_allocators::Allocator;
use loligo_sjson::{NodeKind, SyntaxNode};

use super::{Keys, Read, Reader, inner, trimmed};
use crate::frame::{FrameErrorKind, Name, PLAYER, STAGES_MAX, VIEWS_MAX, View, ViewFrom};

const VIEW: Keys = Keys {
    of: "a view",
    all: &["from", "around", "stage", "rectangle", "reach", "occlusion"],
    listed: "from, around, stage, rectangle, reach, occlusion",
};

/// All that the sun throws shadows at.
const WHOLE: [f32; 2] = [0.0, 1.0];

impl<'t, A: Allocator + ?Sized> Reader<'t, '_, A> {
    /// Reads the views, the player's first.
    pub(super) fn views(&mut self, node: Option<SyntaxNode<'_>>) -> Read<'t, ()> {
        let name = self.keep_name(PLAYER)?;
        let rectangle = [0.0, 0.0, 1.0, 1.0];
        let (from, around, stage) = (ViewFrom::Camera, 0, 0);
        let view = View { name, rectangle, reach: WHOLE, from, around, stage, occlusion: false };
        self.frame.views.try_push(view)?;
        let Some(node) = node else { return Ok(()) };
        self.expect(node, NodeKind::Object, "an object of views")?;
        let mut is_declared = false;
        for view in node.children() {
            let key = trimmed(self.text, view.key_span().unwrap_or_default());
            let found = &self.text[key.clone()];
            let is_player = found == PLAYER;
            let is_twice = self.frame.views().any(|view| view.name == found);
            if if is_player { is_declared } else { is_twice } {
                return Err(self.error(key, FrameErrorKind::NameTwice("views")));
            }
            self.may_add(key.clone(), self.frame.views.len(), "views", VIEWS_MAX)?;
            let name = if is_player { name } else { self.name_at(key)? };
            let number = if is_player { 0 } else { self.frame.views.len() as u8 };
            let read = self.view(view, name, number)?;
            if is_player {
                is_declared = true;
                self.frame.views[0] = read;
            } else {
                self.frame.views.try_push(read)?;
            }
        }
        Ok(())
    }

    fn view(&self, node: SyntaxNode<'_>, name: Name, number: u8) -> Read<'t, View> {
        let [from, around, stage, rectangle, reach, occlusion] = self.members(node, &VIEW)?;
        let from = match from {
            Some(from) => {
                let words = ViewFrom::ALL.map(|from| (from.name(), from));
                self.word(from, &words, "from where it sees: camera, sun")?
            }
            None => ViewFrom::Camera,
        };
        if let (0, ViewFrom::Sun) = (number, from) {
            let kind = FrameErrorKind::Expected(
                "another name for a view of the sun: the player's is of a camera",
            );
            return Err(self.error(node.span(), kind));
        }
        let around = match (from, around) {
            (ViewFrom::Camera, None) => number,
            (ViewFrom::Camera, Some(around)) => {
                let kind = FrameErrorKind::Expected(
                    "`from = \"sun\"` with `around`: a camera is where it is",
                );
                return Err(self.error(inner(around), kind));
            }
            (ViewFrom::Sun, None) => 0,
            (ViewFrom::Sun, Some(around)) => {
                let around_number = self.view_named(around)?;
                if self.frame.views[usize::from(around_number)].from == ViewFrom::Sun {
                    let kind = FrameErrorKind::Expected("a view from a camera");
                    return Err(self.error(inner(around), kind));
                }
                around_number
            }
        };
        let what = "a stage: a whole number from 0 to 15";
        let stage = match (from, stage) {
            (ViewFrom::Camera, Some(stage)) => {
                let number = self.number(stage, 0.0..(STAGES_MAX - 1) as f64, what)?;
                if number != f64::from(number as u8) {
                    return Err(self.error(stage.span(), FrameErrorKind::Expected(what)));
                }
                number as u8
            }
            (ViewFrom::Sun, Some(stage)) => {
                let kind = FrameErrorKind::Expected("no stage: the sun shines on that of `around`");
                return Err(self.error(stage.span(), kind));
            }
            (_, None) => self.frame.views.get(usize::from(around)).map_or(0, |view| view.stage),
        };
        let rectangle = match rectangle {
            Some(node) => self.rectangle(node)?,
            None => [0.0, 0.0, 1.0, 1.0],
        };
        let reach = match (from, reach) {
            (_, None) => WHOLE,
            (ViewFrom::Sun, Some(node)) => self.reach(node)?,
            (ViewFrom::Camera, Some(node)) => {
                let kind = FrameErrorKind::Expected("no reach: a camera sees up to its `far`");
                return Err(self.error(node.span(), kind));
            }
        };
        let occlusion = self.occlusion(occlusion, from)?;
        Ok(View { name, rectangle, reach, from, around, stage, occlusion })
    }

    fn occlusion(&self, node: Option<SyntaxNode<'_>>, from: ViewFrom) -> Read<'t, bool> {
        let Some(node) = node else { return Ok(false) };
        if from == ViewFrom::Sun {
            let kind = FrameErrorKind::Expected("no occlusion: what is hidden throws shadows");
            return Err(self.error(node.span(), kind));
        }
        match (node.kind(), node.text()) {
            (NodeKind::Bool, text) => Ok(text == "true"),
            _ => Err(self.error(inner(node), FrameErrorKind::Expected("true or false"))),
        }
    }

    fn reach(&self, node: SyntaxNode<'_>) -> Read<'t, [f32; 2]> {
        let what = "from where to where shadows reach, from 0 to 1, as in [ 0 0.2 ]";
        let [from, to]: [f64; 2] = self.numbers(node, 0.0..1.0, what)?;
        if from >= to {
            return Err(self.error(node.span(), FrameErrorKind::Expected(what)));
        }
        Ok([from as f32, to as f32])
    }

    fn rectangle(&self, node: SyntaxNode<'_>) -> Read<'t, [f32; 4]> {
        let what =
            "left, top, width and height from 0 to 1, within the whole, as in [ 0.5 0 0.5 1 ]";
        let [left, top, width, height]: [f64; 4] = self.numbers(node, 0.0..1.0, what)?;
        // A third and two thirds are one, in decimals as well.
        let is_within = |start: f64, size: f64| size > 0.0 && start + size <= 1.0 + 1e-6;
        if !is_within(left, width) || !is_within(top, height) {
            return Err(self.error(node.span(), FrameErrorKind::Expected(what)));
        }
        Ok([left, top, width, height].map(|part| part as f32))
    }

    pub(super) fn view_named(&self, node: SyntaxNode<'_>) -> Read<'t, u8> {
        let place = self.string(node)?;
        let name = &self.text[place.clone()];
        let found = self.frame.views().find(|view| view.name == name);
        found.map(|view| view.number).ok_or(self.error(place, FrameErrorKind::NoView))
    }
}
