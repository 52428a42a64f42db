//! What this crate binds itself: vectors, rotations and matrices that live for a frame.

use glam::{EulerRot, Mat4, Quat, Vec3, Vec4};

use crate::binding::{Binding, Function, Refusal};
use crate::call::Call;
use crate::kind::Kind;
use crate::kind::Kind::{Matrix4x4 as M, Number as N, Quaternion as Q, Vector3 as V};

type Ended = Result<(), Refusal>;

const fn bind<W>(
    name: &'static str,
    (arguments, results): (&'static [Kind], &'static [Kind]),
    help: &'static str,
    function: Function<W>,
) -> Binding<W> {
    Binding { name, arguments, results, help, function }
}

/// Returns the bindings of vectors. They know no host, nor do the others.
pub(crate) const fn vectors<W>() -> [Binding<W>; 14] {
    [
        bind(
            "Vector3.new",
            (&[N, N, N], &[V]),
            "a vector of x, y, z; also `Vector3(x, y, z)`",
            vector_new,
        ),
        bind("Vector3.elements", (&[V], &[N, N, N]), "x, y, z", vector_elements),
        bind("Vector3.x", (&[V], &[N]), "its x", |_, call| scalar(call, |call| call.vector3(0).x)),
        bind("Vector3.y", (&[V], &[N]), "its y", |_, call| scalar(call, |call| call.vector3(0).y)),
        bind("Vector3.z", (&[V], &[N]), "its z", |_, call| scalar(call, |call| call.vector3(0).z)),
        bind("Vector3.add", (&[V, V], &[V]), "the sum", |_, call| {
            call.return_vector3(call.vector3(0) + call.vector3(1))
        }),
        bind("Vector3.subtract", (&[V, V], &[V]), "the difference", |_, call| {
            call.return_vector3(call.vector3(0) - call.vector3(1))
        }),
        bind("Vector3.multiply", (&[V, N], &[V]), "scaled by a number", |_, call| {
            call.return_vector3(call.vector3(0) * call.number(1) as f32)
        }),
        bind("Vector3.dot", (&[V, V], &[N]), "the inner product", |_, call| {
            scalar(call, |call| call.vector3(0).dot(call.vector3(1)))
        }),
        bind("Vector3.cross", (&[V, V], &[V]), "the outer product", |_, call| {
            call.return_vector3(call.vector3(0).cross(call.vector3(1)))
        }),
        bind("Vector3.length", (&[V], &[N]), "its length", |_, call| {
            scalar(call, |call| call.vector3(0).length())
        }),
        bind("Vector3.distance", (&[V, V], &[N]), "how far apart two points are", |_, call| {
            scalar(call, |call| call.vector3(0).distance(call.vector3(1)))
        }),
        bind("Vector3.normalize", (&[V], &[V]), "of length 1; zero stays zero", |_, call| {
            call.return_vector3(call.vector3(0).normalize_or_zero())
        }),
        bind(
            "Vector3.lerp",
            (&[V, V, N], &[V]),
            "between two, by a number from 0 to 1",
            |_, call| {
                call.return_vector3(call.vector3(0).lerp(call.vector3(1), call.number(2) as f32))
            },
        ),
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
        bind("Quaternion.multiply", (&[Q, Q], &[Q]), "the second, then the first", |_, call| {
            call.return_quaternion(call.quaternion(0) * call.quaternion(1))
        }),
        bind("Quaternion.inverse", (&[Q], &[Q]), "the way back", |_, call| {
            call.return_quaternion(call.quaternion(0).inverse())
        }),
        bind("Quaternion.rotate", (&[Q, V], &[V]), "a vector, turned", |_, call| {
            call.return_vector3(call.quaternion(0) * call.vector3(1))
        }),
        bind(
            "Quaternion.lerp",
            (&[Q, Q, N], &[Q]),
            "between two, by a number from 0 to 1",
            |_, call| {
                call.return_quaternion(
                    call.quaternion(0).lerp(call.quaternion(1), call.number(2) as f32),
                )
            },
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
        bind("Matrix4x4.translation", (&[M], &[V]), "where it moves to", |_, call| {
            call.return_vector3(call.matrix(0).w_axis.truncate())
        }),
        bind("Matrix4x4.multiply", (&[M, M], &[M]), "the second, then the first", |_, call| {
            call.return_matrix(call.matrix(0) * call.matrix(1))
        }),
        bind("Matrix4x4.inverse", (&[M], &[M]), "the way back", |_, call| {
            call.return_matrix(call.matrix(0).inverse())
        }),
        bind("Matrix4x4.transform", (&[M, V], &[V]), "a point, transformed", |_, call| {
            call.return_vector3(call.matrix(0).transform_point3(call.vector3(1)))
        }),
    ]
}

fn scalar(call: &mut Call<'_>, compute: fn(&Call<'_>) -> f32) -> Ended {
    call.return_number(f64::from(compute(call)));
    Ok(())
}

fn numbers(call: &mut Call<'_>, values: &[f32]) -> Ended {
    for value in values {
        call.return_number(f64::from(*value));
    }
    Ok(())
}

fn vector_new<W>(_: &mut W, call: &mut Call<'_>) -> Ended {
    let elements = [0, 1, 2].map(|argument| call.number(argument) as f32);
    call.return_vector3(elements.into())
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
