// Draws a rotating, colorful disc.

@group(0) @binding(0) var<uniform> turned: vec4<f32>;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32(index & 1u), f32(index >> 1u));
    return vec4<f32>(corner * 4.0 - 1.0, 0.0, 1.0);
}

@fragment
fn fragment(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let from_center = at.xy - vec2<f32>(640.0, 360.0);
    let angle = atan2(from_center.y, from_center.x) + turned.x;
    let ring = 0.5 + 0.5 * cos(length(from_center) * 0.05);
    return vec4<f32>(0.5 + 0.4 * sin(angle * 5.0), 0.3 + 0.3 * ring, 0.5 + 0.4 * cos(angle * 3.0), 1.0);
}
