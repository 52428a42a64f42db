//! What this crate binds itself: vectors, rotations and matrices that live for a frame.

use glam::{EulerRot, Mat4, Quat, Vec3, Vec4};

use crate::binding::{Binding, CallFunction, Function};
use crate::call::{ArgumentError, Call};
use crate::kind::Kind;
use crate::kind::Kind::{Matrix4x4 as M, Number as N, Quaternion as Q, Vector3 as V};

type Ended = Result<(), ArgumentError>;

const fn bind<W>(
    name: &'static str,
    (arguments, results): (&'static [Kind], &'static [Kind]),
    help: &'static str,
    function: CallFunction<W>,
) -> Binding<W> {
    Binding { name, arguments, results, help, function: Function::Call(function) }
}

/// Returns the bindings of vectors. They know no host, nor do the others.
pub(crate) const fn vectors<W>() -> [Binding<W>; 14] {
    let lerp = "between two, by a number from 0 to 1";
    let distance = "how far apart two points are";
    [
        Binding::direct(
            "Vector3.new",
            "a vector of x, y, z; also `Vector3(x, y, z)`",
            |_: &mut W, x: f32, y: f32, z: f32| Vec3::new(x, y, z),
        ),
        bind("Vector3.elements", (&[V], &[N, N, N]), "x, y, z", vector_elements),
        Binding::direct("Vector3.x", "its x", |_: &mut W, a: Vec3| a.x),
        Binding::direct("Vector3.y", "its y", |_: &mut W, a: Vec3| a.y),
        Binding::direct("Vector3.z", "its z", |_: &mut W, a: Vec3| a.z),
        Binding::direct("Vector3.add", "the sum", |_: &mut W, a: Vec3, b: Vec3| a + b),
        Binding::direct("Vector3.subtract", "the difference", |_: &mut W, a: Vec3, b: Vec3| a - b),
        Binding::direct("Vector3.multiply", "scaled by a number", |_: &mut W, a: Vec3, by: f32| {
            a * by
        }),
        Binding::direct("Vector3.dot", "the inner product", |_: &mut W, a: Vec3, b: Vec3| a.dot(b)),
        Binding::direct("Vector3.cross", "the outer product", |_: &mut W, a: Vec3, b: Vec3| {
            a.cross(b)
        }),
        Binding::direct("Vector3.length", "its length", |_: &mut W, a: Vec3| a.length()),
        Binding::direct("Vector3.distance", distance, |_: &mut W, a: Vec3, b: Vec3| a.distance(b)),
        Binding::direct(
            "Vector3.normalize",
            "of length 1; zero stays zero",
            |_: &mut W, a: Vec3| a.normalize_or_zero(),
        ),
        Binding::direct("Vector3.lerp", lerp, |_: &mut W, a: Vec3, b: Vec3, by: f32| a.lerp(b, by)),
    ]
}

/// Returns the bindings of rotations.
pub(crate) const fn rotations<W>() -> [Binding<W>; 9] {
    [
        bind("Quaternion.new", (&[N, N, N, N], &[Q]), "a rotation of x, y, z, w", rotation_new),
        bind("Quaternion.identity", (&[], &[Q]), "no rotation", |_, call| {
            call.return_quaternion(Quat::IDENTITY)
        }),
        bind("Quaternion.elements", (&[Q], &[N, N, N, N]), "x, y, z, w", rotation_elements),
        bind("Quaternion.axis_angle", (&[V, N], &[Q]), "about an axis, in radians", |_, call| {
            let axis = call.vector3(0).normalize_or(Vec3::Y);
            call.return_quaternion(Quat::from_axis_angle(axis, call.number(1) as f32))
        }),
        bind(
            "Quaternion.euler",
            (&[N, N, N], &[Q]),
            "about y, then x, then z, in radians",
            |_, call| {
                let [y, x, z] = [0, 1, 2].map(|argument| call.number(argument) as f32);
                call.return_quaternion(Quat::from_euler(EulerRot::YXZ, y, x, z))
            },
        ),
        Binding::direct(
            "Quaternion.multiply",
            "the second, then the first",
            |_: &mut W, a: Quat, b: Quat| a * b,
        ),
        Binding::direct("Quaternion.inverse", "the way back", |_: &mut W, a: Quat| a.inverse()),
        Binding::direct("Quaternion.rotate", "a vector, turned", |_: &mut W, a: Quat, b: Vec3| {
            a * b
        }),
        Binding::direct(
            "Quaternion.lerp",
            "between two, by a number from 0 to 1",
            |_: &mut W, a: Quat, b: Quat, by: f32| a.lerp(b, by),
        ),
    ]
}

/// Returns the bindings of matrices.
pub(crate) const fn matrices<W>() -> [Binding<W>; 8] {
    [
        bind(
            "Matrix4x4.new",
            (&[N; 16], &[M]),
            "a matrix of sixteen numbers, column by column",
            matrix_new,
        ),
        bind("Matrix4x4.identity", (&[], &[M]), "no transform", |_, call| {
            call.return_matrix(Mat4::IDENTITY)
        }),
        bind("Matrix4x4.pose", (&[Q, V], &[M]), "turned, then moved", |_, call| {
            call.return_matrix(Mat4::from_rotation_translation(call.quaternion(0), call.vector3(1)))
        }),
        bind("Matrix4x4.column", (&[M, N], &[N, N, N, N]), "a column, from 1 to 4", matrix_column),
        Binding::direct("Matrix4x4.translation", "where it moves to", |_: &mut W, a: Mat4| {
            a.w_axis.truncate()
        }),
        Binding::direct(
            "Matrix4x4.multiply",
            "the second, then the first",
            |_: &mut W, a: Mat4, b: Mat4| a * b,
        ),
        Binding::direct("Matrix4x4.inverse", "the way back", |_: &mut W, a: Mat4| a.inverse()),
        Binding::direct(
            "Matrix4x4.transform",
            "a point, transformed",
            |_: &mut W, a: Mat4, b: Vec3| a.transform_point3(b),
        ),
    ]
}

fn numbers(call: &mut Call<'_>, values: &[f32]) -> Ended {
    for value in values {
        call.return_number(f64::from(*value));
    }
    Ok(())
}

fn vector_elements<W>(_: &mut W, call: &mut Call<'_>) -> Ended {
    let elements = call.vector3(0).to_array();
    numbers(call, &elements)
}

fn rotation_new<W>(_: &mut W, call: &mut Call<'_>) -> Ended {
    let elements = [0, 1, 2, 3].map(|argument| call.number(argument) as f32);
    call.return_quaternion(Quat::from_array(elements))
}

fn rotation_elements<W>(_: &mut W, call: &mut Call<'_>) -> Ended {
    let elements = call.quaternion(0).to_array();
    numbers(call, &elements)
}

fn matrix_new<W>(_: &mut W, call: &mut Call<'_>) -> Ended {
    let mut elements = [0.0; 16];
    for (argument, element) in elements.iter_mut().enumerate() {
        *element = call.number(argument) as f32;
    }
    call.return_matrix(Mat4::from_cols_array(&elements))
}

fn matrix_column<W>(_: &mut W, call: &mut Call<'_>) -> Ended {
    let (matrix, column) = (call.matrix(0), call.number(1));
    let columns: [Vec4; 4] = [matrix.x_axis, matrix.y_axis, matrix.z_axis, matrix.w_axis];
    let index = (1..=4).position(|index| f64::from(index) == column);
    match index.and_then(|index| columns.get(index)) {
        Some(column) => numbers(call, &column.to_array()),
        None => Err(call.refuse(format_args!("there is no column {column}; they are 1 to 4"))),
    }
}
