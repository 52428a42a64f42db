//! Collision shapes while they are gathered.

use std::vec::Vec;

use loligo_allocators::Allocator;
use loligo_containers::{
    BlobArray, BlobBuilder, BlobBytes, BlobPlace, BlobType, Endian, GrowError, blob_field,
};
use loligo_ids::IdString32;

use crate::collision::{CollisionImage, CollisionShape};

/// A shape, its ranges in the lists of the draft.
#[derive(Clone, Copy, Debug)]
pub(in crate::compile) struct DraftShape {
    pub(super) name: IdString32,
    pub(super) template: IdString32,
    pub(in crate::compile) form: u32,
    pub(super) position: [f32; 3],
    pub(super) rotation: [f32; 4],
    pub(super) size: [f32; 3],
    pub(super) points: [u32; 2],
    pub(super) triangles: [u32; 2],
    pub(super) heights: [u32; 3],
}

impl Default for DraftShape {
    fn default() -> Self {
        Self {
            name: IdString32::new(""),
            template: IdString32::new(""),
            form: 0,
            position: [0.0; 3],
            rotation: [0.0, 0.0, 0.0, 1.0],
            size: [0.0; 3],
            points: [0; 2],
            triangles: [0; 2],
            heights: [0; 3],
        }
    }
}

/// All shapes, with all points.
#[derive(Debug, Default)]
pub(in crate::compile) struct CollisionDraft {
    pub(in crate::compile) shapes: Vec<DraftShape>,
    points: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
    heights: Vec<f32>,
}

impl CollisionDraft {
    /// Adds points and triangles, and returns first and count of each.
    pub(super) fn add(
        &mut self,
        points: &[[f32; 3]],
        triangles: &[[u32; 3]],
    ) -> ([u32; 2], [u32; 2]) {
        let ranges = (
            [self.points.len() as u32, points.len() as u32],
            [self.triangles.len() as u32, triangles.len() as u32],
        );
        self.points.extend_from_slice(points);
        self.triangles.extend_from_slice(triangles);
        ranges
    }

    /// Adds heights, and returns the index of the first.
    pub(super) fn add_heights(&mut self, heights: impl IntoIterator<Item = f32>) -> u32 {
        let first = self.heights.len() as u32;
        self.heights.extend(heights);
        first
    }

    /// Writes the blob.
    pub(super) fn build<'a>(
        &self,
        endian: Endian,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<BlobBytes<'a>, GrowError> {
        let mut builder = BlobBuilder::<CollisionImage>::try_new(endian, memory)?;
        let root = builder.root();
        self.write(
            &mut builder,
            root.at(blob_field!(CollisionImage, shapes)),
            root.at(blob_field!(CollisionImage, points)),
            root.at(blob_field!(CollisionImage, triangles)),
            root.at(blob_field!(CollisionImage, heights)),
        )?;
        Ok(builder.finish())
    }

    /// Writes the lists of shapes to their places in a blob.
    pub(in crate::compile) fn write<R: BlobType>(
        &self,
        builder: &mut BlobBuilder<'_, R>,
        shapes: BlobPlace<BlobArray<CollisionShape>>,
        points: BlobPlace<BlobArray<[f32; 3]>>,
        triangles: BlobPlace<BlobArray<[u32; 3]>>,
        heights: BlobPlace<BlobArray<f32>>,
    ) -> Result<(), GrowError> {
        let shapes = builder.array(shapes, self.shapes.len())?;
        for (place, shape) in shapes.iter().zip(&self.shapes) {
            builder.set(place.at(blob_field!(CollisionShape, name)), shape.name);
            builder.set(place.at(blob_field!(CollisionShape, template)), shape.template);
            builder.set(place.at(blob_field!(CollisionShape, form)), shape.form);
            builder.set(place.at(blob_field!(CollisionShape, position)), shape.position);
            builder.set(place.at(blob_field!(CollisionShape, rotation)), shape.rotation);
            builder.set(place.at(blob_field!(CollisionShape, size)), shape.size);
            builder.set(place.at(blob_field!(CollisionShape, points)), shape.points);
            builder.set(place.at(blob_field!(CollisionShape, triangles)), shape.triangles);
            builder.set(place.at(blob_field!(CollisionShape, heights)), shape.heights);
        }
        builder.numbers(points, &self.points)?;
        builder.numbers(triangles, &self.triangles)?;
        builder.numbers(heights, &self.heights)
    }
}
