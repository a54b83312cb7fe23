// Draws colorful rings.

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32(index & 1u), f32(index >> 1u));
    return vec4<f32>(corner * 4.0 - 1.0, 0.0, 1.0);
}

@fragment
fn fragment(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let ring = 0.5 + 0.5 * cos(length(at.xy - vec2<f32>(300.0, 200.0)) * 0.05);
    return vec4<f32>(0.2 + 0.6 * ring, 0.3 + at.x / 3000.0, 0.2 + at.y / 2000.0, 1.0);
}
