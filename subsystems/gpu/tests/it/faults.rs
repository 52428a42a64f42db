//! What is refused, and in which words.

use loligo_gpu::{Format, GpuError, TextureDescription};

use crate::gpu;

const TEXTURE: TextureDescription<'_> = TextureDescription {
    name: "bark",
    pixels: [4, 4],
    levels: 1,
    samples: 1,
    format: Format::Rgba8,
    is_target: true,
};

#[test]
fn shaders_name_file_line_and_column() {
    let Some(gpu) = gpu() else { return };
    for (text, expected) in [
        (
            "fn f() {\n    let ä = 1; let b = c;\n}",
            "yard.shader:2:24: no definition in scope for identifier: `c`",
        ),
        ("fn f() -> u32 {\n    return 1.5;\n}", "yard.shader:2:12: automatic conversions cannot"),
        (
            "@vertex fn v() -> @builtin(position) vec4<f32> { return vec4<f32>(1.0); } }",
            "yard.shader:1:75: ",
        ),
    ] {
        let error = gpu.try_shader("yard.shader", text).expect_err("it is wrong").to_string();
        assert!(error.starts_with(expected), "`{error}` where `{expected}` was expected");
        assert!(!error.contains('\n'), "`{error}` is one line");
    }
    gpu.try_shader("yard.shader", "fn f() {}").expect("the device is as it was");
}

#[test]
fn sizes_and_descriptions_are_checked() {
    let Some(gpu) = gpu() else { return };
    let max = gpu.texture_pixels_max();
    let large = TextureDescription { pixels: [1, max + 1], ..TEXTURE };
    let error = gpu.try_texture(&large).expect_err("it is too high").to_string();
    assert_eq!(
        error,
        format!("pixels of a texture each way: {} where at most {max} are possible", max + 1)
    );
    for odd in [
        TextureDescription { samples: 5, ..TEXTURE },
        TextureDescription { levels: 9, ..TEXTURE },
        TextureDescription { pixels: [0, 4], ..TEXTURE },
    ] {
        let error = gpu.try_texture(&odd).expect_err("no card can");
        assert!(matches!(error, GpuError::Refused { .. }), "{error:?}");
        assert!(error.to_string().starts_with("the texture bark: "), "{error}");
    }
    let texture = gpu.try_texture(&TEXTURE).expect("a small one");
    for bytes in [0, 63, 65] {
        let error = gpu.try_write_texture(&texture, 0, &vec![0; bytes]).expect_err("not 64");
        assert!(matches!(error, GpuError::Size { limit: 64, .. }), "{error:?}");
        let error = gpu.try_read_texture(&texture, &mut vec![0; bytes]).expect_err("not 64");
        assert!(matches!(error, GpuError::Size { limit: 64, .. }), "{error:?}");
    }
}

#[test]
fn what_was_read_is_what_was_written() {
    let Some(gpu) = gpu() else { return };
    let texture = gpu.try_texture(&TEXTURE).expect("a small one");
    let written: Vec<u8> = (0..64).collect();
    gpu.try_write_texture(&texture, 0, &written).expect("it is as long");
    let mut read = [0; 64];
    gpu.try_read_texture(&texture, &mut read).expect("it is as long");
    assert_eq!(read.as_slice(), written);
}
