// One number -> one colour. Specialised by defines, so that no variant pays for another:
//   EXTREMES  a texel is the (min, max) of a block of elements; the one farther from Neutral is shown
//   SYMLOG    values are compressed by sign(v) log2(1 + |v| LogScale) before the palette
//   OWNER     a value is an index into the palette; below 0: never written, hatched
//   GRID      hairlines between the cells
//   UNDER     the second number of a texel whose first is NaN shows between the stripes of the NaN
//   CLIPPED   stripes over values beyond the ends of the palette
//   FINITE    no texel is NaN or infinite: a software renderer takes both ways of every branch
//   SIGNS     negative, zero, positive: the palette's first, middle and last colour
uniform sampler2D Values;   // unit 0: r = value, or (r, g) = (min, max)
uniform sampler2D Palette;  // unit 1: one row of colours
uniform vec2 Transfer;      // palette position = value * x + y
uniform float Neutral;
uniform float LogScale;
uniform vec2 Cell;    // pixels a texel is wide and high
uniform vec3 Ground;  // of the window: on which hatching is drawn
in vec2 texel;
out vec4 colour;

const vec3 NOT_A_NUMBER = vec3(1.0, 0.0, 0.87);
const vec3 POSITIVE_INFINITY = vec3(0.0, 1.0, 1.0);
const vec3 NEGATIVE_INFINITY = vec3(0.62, 1.0, 0.0);

const vec3 BELOW = vec3(0.20, 0.62, 1.0);
const vec3 ABOVE = vec3(1.0, 0.26, 0.26);

bool in_stripe(float width) { return mod(gl_FragCoord.x + gl_FragCoord.y, 8.0) < width; }
vec3 hatch(vec3 ground, vec3 stripe) { return in_stripe(2.0) ? stripe : ground; }

vec3 palette_at(float value) {
#ifdef SIGNS
    float position = 0.5 + 0.5 * sign(value);
#else
#ifdef SYMLOG
    value = sign(value) * log2(1.0 + abs(value) * LogScale);
#endif
    float position = value * Transfer.x + Transfer.y;
#endif
    float inside = clamp(position, 0.0, 1.0);
    vec3 result = texelFetch(Palette, ivec2(int(inside * float(PALETTE_SIZE - 1) + 0.5), 0), 0).rgb;
#ifdef CLIPPED
    if (position < -0.0005) result = hatch(result, BELOW);
    if (position > 1.0005) result = hatch(result, ABOVE);
#endif
    return result;
}

bool is_finite(uint bits) { return (bits & 0x7f800000u) != 0x7f800000u; }

vec3 colour_of(float value, float under) {
#ifdef OWNER
    if (value < 0.0) return hatch(Ground, mix(Ground, vec3(0.5), 0.6));
    return texelFetch(Palette, ivec2(int(value), 0), 0).rgb;
#elif defined(FINITE)
    return palette_at(value);
#else
    // By exponent bits: a driver may assume that isnan() never holds.
    uint bits = floatBitsToUint(value);
    if (is_finite(bits)) return palette_at(value);
    bool negative = (bits & 0x80000000u) != 0u;
    if ((bits & 0x007fffffu) == 0u) return negative ? NEGATIVE_INFINITY : POSITIVE_INFINITY;
    // No value; infinite as the reference wants it.
    if (negative) return hatch(Ground, (bits & 1u) == 0u ? mix(Ground, vec3(0.5), 0.16) : mix(Ground, NEGATIVE_INFINITY, 0.4));
#ifdef UNDER
    if (!in_stripe(4.0) && is_finite(floatBitsToUint(under))) return palette_at(under) * 0.8;
#endif
    return NOT_A_NUMBER;
#endif
}

void main() {
    vec2 at = floor(texel);
    vec2 values = texelFetch(Values, ivec2(at), 0).rg;
#ifdef EXTREMES
#ifdef FINITE
    bool broken = false;
#else
    // A NaN in a block lies in its min; comparisons with it are false, so it must be looked for first.
    bool broken = !is_finite(floatBitsToUint(values.x));
#endif
    float value = broken || abs(values.x - Neutral) > abs(values.y - Neutral) ? values.x : values.y;
#else
    float value = values.x;
#endif
    vec3 result = colour_of(value, values.y);
#ifdef GRID
    vec2 inside = (texel - at) * Cell;
    if (inside.x < 1.0 || inside.y < 1.0) result *= 0.78;
#endif
    colour = vec4(result, 1.0);
}
