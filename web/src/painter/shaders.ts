/**
 * The shader programs of the WebGL2 painter, for shapes, curves and glyphs. The corners of an item follow each other
 * (mesh.ts).
 */

/**
 * The input of a shape: four corners for each DrawShape in its memory layout; the bytes of a colour arrive as A, B, G,
 * R.
 */
const SHAPE_INPUT = `#version 300 es
layout(location = 0) in vec4 rect;
layout(location = 1) in vec4 fill_abgr;
layout(location = 2) in vec4 edge_abgr;
layout(location = 3) in vec2 edge_radius;
layout(location = 4) in uvec2 kind_style;
uniform vec2 canvas;
flat out vec4 bounds;
flat out vec4 fill;
flat out vec4 edge;
flat out vec2 metrics;
flat out vec2 fade;
void put_shape() {
  const float FADE_PX = 12.0;
  bounds = vec4(rect.xy, rect.xy + rect.zw);
  fill = vec4(fill_abgr.wzy, 1.0) * fill_abgr.x;
  edge = vec4(edge_abgr.wzy, 1.0) * edge_abgr.x;
  metrics = vec2(edge.a > 0.0 ? edge_radius.x : 0.0, edge_radius.y);
  fade = (kind_style.y & 1u) != 0u ? vec2(1.0 / max(min(FADE_PX, 0.5 * rect.z), 1.0), 0.0) : vec2(0.0, 1.0);
  vec2 corner = vec2(gl_VertexID & 1, (gl_VertexID >> 1) & 1);
  vec2 at = mix(floor(bounds.xy), ceil(bounds.zw), corner); // whole pixels: the edges are softened inside
  gl_Position = vec4(at / canvas * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
}`;

const SHAPE_OUTPUT = `#version 300 es
precision highp float;
uniform vec2 canvas;
flat in vec4 bounds;
flat in vec4 fill;
flat in vec4 edge;
flat in vec2 metrics;
flat in vec2 fade;
out vec4 colour;

// How much of the pixel around p lies in the box.
float box_coverage(vec2 p, vec4 box) {
  vec2 overlap = clamp(min(p + 0.5, box.zw) - max(p - 0.5, box.xy), 0.0, 1.0);
  return overlap.x * overlap.y;
}

// Signed distance to a box with round corners; inside is negative.
float round_distance(vec2 p, vec4 box, float radius) {
  vec2 q = abs(p - 0.5 * (box.xy + box.zw)) - 0.5 * (box.zw - box.xy) + radius;
  return length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - radius;
}

// The parts of the pixel inside the shape and inside its edge.
vec2 rect_coverage(vec2 p) {
  float distance = round_distance(p, bounds, metrics.y);
  vec4 inside = bounds + vec4(metrics.x, metrics.x, -metrics.x, -metrics.x);
  return metrics.y > 0.0 ? clamp(vec2(0.5 - distance, 0.5 - distance - metrics.x), 0.0, 1.0)
                         : vec2(box_coverage(p, bounds), box_coverage(p, inside));
}

void put_colour(vec2 p, vec4 body, float outer, float inner) {
  colour = (body * inner + edge * (outer - inner)) * clamp((bounds.z - p.x) * fade.x + fade.y, 0.0, 1.0);
}`;

/**
 * Rectangles, the most frequent shapes. They have their own program because a software rasteriser executes every branch
 * for every pixel.
 */
export const RECT_VERTEX = `${SHAPE_INPUT}
void main() {
  put_shape();
}`;

export const RECT_FRAGMENT = `${SHAPE_OUTPUT}
void main() {
  vec2 p = vec2(gl_FragCoord.x, canvas.y - gl_FragCoord.y);
  vec2 covered = rect_coverage(p);
  put_colour(p, fill, covered.x, min(covered.x, covered.y));
}`;

/** Rectangles of one colour on whole pixels. */
export const BARE_VERTEX = `#version 300 es
layout(location = 0) in vec4 rect;
layout(location = 1) in vec4 fill_abgr;
uniform vec2 canvas;
flat out vec4 fill;
void main() {
  fill = vec4(fill_abgr.wzy, 1.0) * fill_abgr.x;
  vec2 at = rect.xy + vec2(gl_VertexID & 1, (gl_VertexID >> 1) & 1) * rect.zw;
  gl_Position = vec4(at / canvas * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
}`;

export const BARE_FRAGMENT = `#version 300 es
precision highp float;
flat in vec4 fill;
out vec4 colour;
void main() {
  colour = fill;
}`;

/** Shapes of every kind and style. */
export const SHAPE_VERTEX = `${SHAPE_INPUT}
flat out uvec2 kind;
void main() {
  kind = kind_style;
  put_shape();
}`;

export const SHAPE_FRAGMENT = `${SHAPE_OUTPUT}
flat in uvec2 kind;
const float HATCH_PX = 4.0;

// Signed distance to the shapes that are not boxes; inside is negative.
float slanted_distance(vec2 p, vec4 box, uint shape) {
  vec2 size = box.zw - box.xy;
  if (shape == 1u) {
    vec2 q = abs(p - 0.5 * (box.xy + box.zw));
    vec2 h = 0.5 * size;
    return (q.x * h.y + q.y * h.x - h.x * h.y) / length(h);
  }
  vec2 q = p - box.xy;
  if (shape == 3u) { q = q.yx; size = size.yx; } // a triangle to the right is one downwards, mirrored
  float side = (abs(q.x - 0.5 * size.x) * size.y - 0.5 * size.x * (size.y - q.y)) / length(vec2(0.5 * size.x, size.y));
  return max(side, -q.y);
}

void main() {
  vec2 p = vec2(gl_FragCoord.x, canvas.y - gl_FragCoord.y);
  vec2 covered;
  if (kind.x == 0u) {
    covered = rect_coverage(p);
  } else {
    float distance = slanted_distance(p, bounds, kind.x);
    covered = clamp(vec2(0.5 - distance, 0.5 - distance - metrics.x), 0.0, 1.0);
  }
  vec4 body = fill;
  if ((kind.y & 2u) != 0u) { // a hatched corner: repaired or overlapping
    float reach = min(bounds.w - bounds.y, bounds.z - bounds.x);
    vec2 from_corner = vec2(bounds.z - p.x, p.y - bounds.y);
    if (from_corner.x + from_corner.y < reach && mod(p.x - p.y + HATCH_PX * 1024.0, HATCH_PX) < 0.5 * HATCH_PX)
      body.rgb *= 0.45;
  }
  put_colour(p, body, covered.x, min(covered.x, covered.y));
}`;

/**
 * Four corners for each strip: a rectangle of whole columns, the position of its colours in the texture, and 1 if each
 * row has its own colours.
 */
export const STRIP_VERTEX = `#version 300 es
layout(location = 0) in vec4 rect;
layout(location = 1) in vec3 start;
uniform vec2 canvas;
flat out ivec3 shift;
flat out vec2 reach;
void main() {
  shift = ivec3(start) - ivec3(int(rect.x), int(start.z) * int(rect.y), 0);
  reach = vec2(rect.y, rect.y + rect.w);
  vec2 corner = vec2(gl_VertexID & 1, (gl_VertexID >> 1) & 1);
  vec2 at = vec2(rect.x + corner.x * rect.z, mix(floor(reach.x), ceil(reach.y), corner.y));
  gl_Position = vec4(at / canvas * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
}`;

export const STRIP_FRAGMENT = `#version 300 es
precision highp float;
uniform sampler2D columns;
uniform vec2 canvas;
flat in ivec3 shift;
flat in vec2 reach;
out vec4 colour;
void main() {
  float y = canvas.y - gl_FragCoord.y;
  vec4 fill = texelFetch(columns, ivec2(int(gl_FragCoord.x), shift.z * int(y)) + shift.xy, 0).wzyx;
  colour = vec4(fill.rgb, 1.0) * (fill.a * clamp(min(y + 0.5, reach.y) - max(y - 0.5, reach.x), 0.0, 1.0));
}`;

export const CURVE_STEPS = 40;

/** A DrawCurve: a ribbon along the curve, one pixel wider than the line on both sides. */
export const CURVE_VERTEX = `#version 300 es
layout(location = 0) in vec4 ends;
layout(location = 1) in vec2 bend_width;
layout(location = 2) in vec4 colour_abgr;
uniform vec2 canvas;
out float across;
flat out float half_width;
flat out vec4 tint;
void main() {
  float t = float((gl_VertexID >> 1) % ${CURVE_STEPS + 1}) / ${CURVE_STEPS}.0;
  float s = 1.0 - t;
  vec2 a = ends.xy, d = ends.zw, b = a + vec2(bend_width.x, 0.0), c = d - vec2(bend_width.x, 0.0);
  vec2 at = s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d;
  vec2 along = s * s * (b - a) + 2.0 * s * t * (c - b) + t * t * (d - c);
  vec2 normal = length(along) > 0.0 ? normalize(vec2(-along.y, along.x)) : vec2(0.0, 1.0);
  half_width = 0.5 * bend_width.y;
  across = (gl_VertexID & 1) == 0 ? half_width + 1.0 : -half_width - 1.0;
  tint = colour_abgr.wzyx;
  gl_Position = vec4((at + normal * across) / canvas * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
}`;

export const CURVE_FRAGMENT = `#version 300 es
precision highp float;
in float across;
flat in float half_width;
flat in vec4 tint;
out vec4 colour;
void main() {
  float covered = clamp(half_width + 0.5 - abs(across), 0.0, min(1.0, 2.0 * half_width));
  colour = vec4(tint.rgb, 1.0) * (tint.a * covered);
}`;

/**
 * Four corners for each glyph: its position, the position of its sprite in the atlas, its colour, and 1 if the sprite
 * has its own colours.
 */
export const GLYPH_VERTEX = `#version 300 es
layout(location = 0) in vec2 at;
layout(location = 1) in vec4 sprite;
layout(location = 2) in vec4 colour_abgr;
layout(location = 3) in float coloured;
uniform vec2 canvas;
out vec2 texel;
flat out vec4 tint;
flat out float own_colour;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, (gl_VertexID >> 1) & 1);
  texel = sprite.xy + corner * sprite.zw;
  tint = colour_abgr.wzyx;
  own_colour = coloured;
  gl_Position = vec4((at + corner * sprite.zw) / canvas * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
}`;

export const GLYPH_FRAGMENT = `#version 300 es
precision highp float;
uniform sampler2D atlas;
in vec2 texel;
flat in vec4 tint;
flat in float own_colour;
out vec4 colour;
void main() {
  vec4 sample_ = texelFetch(atlas, ivec2(texel), 0);
  colour = own_colour > 0.5 ? sample_ * tint.a : vec4(tint.rgb, 1.0) * (tint.a * sample_.a);
}`;
