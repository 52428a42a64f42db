//! Parts of a game that are never visible: mistakes that draw nothing and stop nothing.

use loligo_diagnostics::log;
use loligo_ids::IdString64;

use super::Engine;

impl Engine<'_, '_> {
    /// Warns of materials that no pass of the frame draws. What layers name themselves is drawn by
    /// them, whatever layer it says.
    pub(super) fn warn_of_unseen_layers(&self) {
        if !self.link.is_drawn() {
            return;
        }
        let content = &self.content;
        let warn = |what: &str, layer: IdString64| {
            let layers = Layers(content.layers());
            log!(
                self.log,
                Warning,
                "{what} is never drawn: no pass of the frame has its layer #{layer}; the layers are {layers}"
            );
        };
        for (name, material) in content.assets.materials() {
            if content.layer(material.layer).is_none() && !content.is_style(name) {
                warn(material.debug_name.as_str(), material.layer);
            }
        }
    }

    /// Warns of a world without a camera, once it was set up.
    pub(super) fn warn_of_no_camera(&self) {
        if self.link.is_drawn() && self.world.camera().is_none() {
            log!(
                self.log,
                Warning,
                "the level has no camera, so the world is seen from 0 10 20; give an entity the component `camera`"
            );
        }
    }
}

/// The layers of a frame, for a message.
struct Layers<'l>(&'l [IdString64]);

impl core::fmt::Display for Layers<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        for (at, layer) in self.0.iter().enumerate() {
            write!(f, "{}#{layer}", if at == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
