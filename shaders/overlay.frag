// `prelude` in `src/gl/shader_variant.rs` prepends the version line and the macros at run time.

#ifdef GL_ES
#ifdef GL_FRAGMENT_PRECISION_HIGH
precision highp float; // mediump may have only 10 bits, too few to address the texels of a 2,048 px atlas
#else
precision mediump float;
#endif
#endif

FRAGMENT_IN vec2 v_uv;
FRAGMENT_IN vec4 v_color;

#ifdef FRAGMENT_OUT
FRAGMENT_OUT vec4 frag_color;
#define FRAG_COLOR frag_color
#else
#define FRAG_COLOR gl_FragColor
#endif

uniform sampler2D u_atlas;

void main() {
    FRAG_COLOR = v_color * vec4(1.0, 1.0, 1.0, SAMPLE(u_atlas, v_uv).r);
}
