// `prelude` in `src/gl/shader_variant.rs` prepends the version line and the macros at run time.

VERTEX_IN vec2 a_position; // viewport pixels, origin top left, y down
VERTEX_IN vec2 a_uv;
VERTEX_IN vec4 a_color; // straight alpha

VERTEX_OUT vec2 v_uv;
VERTEX_OUT vec4 v_color;

uniform vec4 u_to_clip; // scale in xy, offset in zw; computed from the viewport's size

void main() {
    v_uv = a_uv;
    v_color = a_color;
    gl_Position = vec4(a_position * u_to_clip.xy + u_to_clip.zw, 0.0, 1.0);
}
