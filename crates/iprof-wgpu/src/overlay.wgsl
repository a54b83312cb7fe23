// Draws the vertices in `iprof::overlay::DrawData`.

struct Target {
    // Scale in xy and offset in zw that map pixels, with y pointing down, to clip space.
    to_clip: vec4<f32>,
    // 1 if the target expects linear light, 0 if it expects sRGB colors, as in a picture file.
    is_linear: u32,
    // Padding: in WebGL, the size of a uniform buffer must be a multiple of 16 bytes.
    unused_a: u32,
    unused_b: u32,
    unused_c: u32,
};

@group(0) @binding(0) var<uniform> host_target: Target;
@group(0) @binding(1) var atlas: texture_2d<f32>;

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) uv: vec2<f32>,
    @location(1) color: vec4<f32>,
};

@vertex
fn vertex(
    @location(0) position: vec2<f32>,
    @location(1) uv: vec2<f32>,
    @location(2) color: vec4<f32>,
) -> Corner {
    let at = position * host_target.to_clip.xy + host_target.to_clip.zw;
    return Corner(vec4<f32>(at, 0.0, 1.0), uv, color);
}

// The inverse of the sRGB transfer function (IEC 61966-2-1).
fn linear(encoded: vec3<f32>) -> vec3<f32> {
    let low = encoded / 12.92;
    let high = pow((encoded + 0.055) / 1.055, vec3<f32>(2.4));
    return select(high, low, encoded <= vec3<f32>(0.04045));
}

// Returns the opacity that makes blending linear light look roughly like blending sRGB colors with `opacity`.
// It is exact for black on any background, and for white on black.
fn linear_opacity(encoded: vec3<f32>, opacity: f32) -> f32 {
    let luminance = dot(encoded, vec3<f32>(0.2126, 0.7152, 0.0722));
    return mix(1.0 - linear(vec3<f32>(1.0 - opacity)).x, linear(vec3<f32>(opacity)).x, luminance);
}

@fragment
fn fragment(corner: Corner) -> @location(0) vec4<f32> {
    let size = vec2<f32>(textureDimensions(atlas));
    let texel = clamp(floor(corner.uv * size), vec2<f32>(0.0), size - 1.0);
    let coverage = textureLoad(atlas, vec2<i32>(texel), 0).r;
    let opacity = corner.color.a * coverage;
    if host_target.is_linear != 0u {
        let rgb = corner.color.rgb;
        return vec4<f32>(linear(rgb), linear_opacity(rgb, opacity));
    }
    return vec4<f32>(corner.color.rgb, opacity);
}
