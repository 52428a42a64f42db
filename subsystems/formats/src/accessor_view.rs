//! Numbers in the buffers of a glTF file.

use std::borrow::Cow;
use std::sync::Arc;

use gltf::accessor::DataType;
use gltf::accessor::sparse::{IndexType, Sparse};
use gltf::{Accessor, buffer};

/// The most bytes of an accessor whose elements are not all in a buffer: its count is bound by
/// nothing else.
const SPARSE_BYTES_MAX: usize = 1 << 28;

/// The elements of an accessor: each is within the bytes, as was checked.
#[derive(Debug)]
pub struct AccessorView<'b> {
    bytes: Cow<'b, [u8]>,
    count: usize,
    stride: usize,
    components: usize,
    kind: DataType,
}

impl<'b> AccessorView<'b> {
    /// Finds the elements of an accessor; those of a sparse one are put together here.
    pub(crate) fn open(accessor: &Accessor<'_>, buffers: &'b [Arc<[u8]>]) -> Result<Self, String> {
        let name = format!("accessor {}", accessor.index());
        let (size, count) = (accessor.size(), accessor.count());
        let (components, kind) = (accessor.dimensions().multiplicity(), accessor.data_type());
        let whole = accessor.view().map(|view| {
            let stride = view.stride().unwrap_or(size);
            let bytes = elements(&view, accessor.offset(), (count, stride, size), buffers, &name)?;
            Ok::<_, String>((bytes, stride))
        });
        let (bytes, stride) = match (whole.transpose()?, accessor.sparse()) {
            (Some((bytes, stride)), None) => (Cow::Borrowed(bytes), stride),
            (None, None) => return Err(format!("{name} has no data")),
            (whole, Some(sparse)) => {
                let dense = count.checked_mul(size).filter(|bytes| *bytes <= SPARSE_BYTES_MAX);
                let dense = dense.ok_or_else(|| format!("{name} has {count} elements"))?;
                let mut dense = vec![0; dense];
                if let Some((bytes, stride)) = whole {
                    let into = dense.chunks_exact_mut(size);
                    into.enumerate().for_each(|(at, into)| {
                        into.copy_from_slice(&bytes[at * stride..at * stride + size]);
                    });
                }
                replace(&mut dense, size, &sparse, buffers, &name)?;
                (Cow::Owned(dense), size)
            }
        };
        Ok(Self { bytes, count, stride, components, kind })
    }

    /// Returns how many elements there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Returns `true` if there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns how many numbers an element has.
    #[must_use]
    pub const fn components(&self) -> usize {
        self.components
    }

    /// Returns the numbers of an element, 0 where it has fewer or is not there. Whole numbers are parts
    /// of one, as those of places, directions and colors are.
    #[must_use]
    pub fn numbers<const N: usize>(&self, index: usize) -> [f32; N] {
        let element = self.bytes.get(index * self.stride..).unwrap_or_default();
        core::array::from_fn(|at| match self.kind {
            DataType::F32 => f32::from_le_bytes(bytes_at(element, at)),
            DataType::U8 => f32::from(u8::from_le_bytes(bytes_at(element, at))) / 255.0,
            DataType::U16 => f32::from(u16::from_le_bytes(bytes_at(element, at))) / 65535.0,
            DataType::I8 => (f32::from(i8::from_le_bytes(bytes_at(element, at))) / 127.0).max(-1.0),
            DataType::I16 => {
                (f32::from(i16::from_le_bytes(bytes_at(element, at))) / 32767.0).max(-1.0)
            }
            DataType::U32 => u32::from_le_bytes(bytes_at(element, at)) as f32,
        })
    }

    /// Returns the whole numbers of an element, 0 where it has fewer, is not there or is of floats.
    #[must_use]
    pub fn whole_numbers<const N: usize>(&self, index: usize) -> [u32; N] {
        let element = self.bytes.get(index * self.stride..).unwrap_or_default();
        core::array::from_fn(|at| match self.kind {
            _ if at >= self.components => 0,
            DataType::U8 => u8::from_le_bytes(bytes_at(element, at)).into(),
            DataType::U16 => u16::from_le_bytes(bytes_at(element, at)).into(),
            DataType::U32 => u32::from_le_bytes(bytes_at(element, at)),
            DataType::I8 | DataType::I16 | DataType::F32 => 0,
        })
    }

    /// Returns all elements as indices.
    ///
    /// # Errors
    ///
    /// The reason, if they are of another kind.
    pub fn indices(&self) -> Result<Vec<u32>, String> {
        if self.components != 1 {
            return Err("indices are not of one number each".to_string());
        }
        let element = |index: usize| self.bytes.get(index * self.stride..).unwrap_or_default();
        let all = 0..self.count;
        match self.kind {
            DataType::U8 => {
                Ok(all.map(|at| u8::from_le_bytes(bytes_at(element(at), 0)).into()).collect())
            }
            DataType::U16 => {
                Ok(all.map(|at| u16::from_le_bytes(bytes_at(element(at), 0)).into()).collect())
            }
            DataType::U32 => {
                Ok(all.map(|at| u32::from_le_bytes(bytes_at(element(at), 0))).collect())
            }
            other => Err(format!("indices are of the kind {other:?}")),
        }
    }
}

/// Returns the bytes of elements, given how many there are, one every how many bytes, and how large
/// one is.
fn elements<'b>(
    view: &buffer::View<'_>,
    offset: usize,
    (count, stride, size): (usize, usize, usize),
    buffers: &'b [Arc<[u8]>],
    name: &str,
) -> Result<&'b [u8], String> {
    let bytes = buffers.get(view.buffer().index()).map_or(&[][..], |bytes| bytes);
    let end = view.offset().checked_add(view.length());
    let bytes = end.and_then(|end| bytes.get(view.offset()..end));
    let bytes = bytes.and_then(|bytes| bytes.get(offset..));
    let bytes = bytes.ok_or_else(|| format!("{name} begins beyond its buffer"))?;
    let last = count.checked_sub(1).and_then(|last| last.checked_mul(stride));
    let needed = last.and_then(|last| last.checked_add(size)).filter(|_| stride >= size);
    match needed {
        Some(needed) if needed <= bytes.len() => Ok(bytes),
        _ => Err(format!(
            "{name} has {count} elements, one every {stride} bytes, and {} bytes for them",
            bytes.len()
        )),
    }
}

/// Replaces those elements that a sparse accessor has others for.
fn replace(
    dense: &mut [u8],
    size: usize,
    sparse: &Sparse<'_>,
    buffers: &[Arc<[u8]>],
    name: &str,
) -> Result<(), String> {
    let (count, indices, values) = (sparse.count(), sparse.indices(), sparse.values());
    if count == 0 {
        return Ok(());
    }
    let index_size = match indices.index_type() {
        IndexType::U8 => 1,
        IndexType::U16 => 2,
        IndexType::U32 => 4,
    };
    // Both are without gaps.
    let layout = (count, index_size, index_size);
    let found = elements(&indices.view(), indices.offset(), layout, buffers, name)?;
    let layout = (count, size, size);
    let values = elements(&values.view(), values.offset(), layout, buffers, name)?;
    let elements = found.chunks_exact(index_size).zip(values.chunks_exact(size)).take(count);
    for (index, value) in elements {
        let index = match index_size {
            1 => u8::from_le_bytes(bytes_at(index, 0)).into(),
            2 => u16::from_le_bytes(bytes_at(index, 0)).into(),
            _ => u32::from_le_bytes(bytes_at(index, 0)),
        };
        let at = (index as usize).checked_mul(size);
        let into = at.and_then(|at| dense.get_mut(at..)).and_then(|rest| rest.get_mut(..size));
        let into =
            into.ok_or_else(|| format!("{name} replaces element {index}, beyond its end"))?;
        into.copy_from_slice(value);
    }
    Ok(())
}

/// Returns the bytes of the number `at`.
fn bytes_at<const N: usize>(element: &[u8], at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    if let Some(from) = element.get(at * N..(at + 1) * N) {
        bytes.copy_from_slice(from);
    }
    bytes
}
