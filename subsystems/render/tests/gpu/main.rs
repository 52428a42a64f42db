//! Frames drawn with the graphics card, a pixel looked at here and there; where there is no driver,
//! tests say so and end.

mod parameters;
mod reload;
mod scene;
mod shadow;
mod shown;
mod skinned;
mod surfaces;
