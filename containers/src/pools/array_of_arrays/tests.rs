//! White-box tests of the arrays of arrays.

mod forms;
mod model;
mod refusals;
mod room;
mod rows;
mod views;
mod word;
