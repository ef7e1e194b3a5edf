// One number -> one colour. Specialised by defines, so that no variant pays for another:
//   EXTREMES  a texel is the (min, max) of a block of elements; the one farther from Neutral is shown
//   SYMLOG    values are compressed by sign(v) log2(1 + |v| LogScale) before the palette
//   OWNER     a value is an index into the palette; below 0: never written, hatched
//   GRID      hairlines between the cells
uniform sampler2D Values;   // unit 0: r = value, or (r, g) = (min, max)
uniform sampler2D Palette;  // unit 1: one row of colours
uniform vec2 Transfer;      // palette position = value * x + y
uniform float Neutral;
uniform float LogScale;
uniform vec2 Cell;  // pixels a texel is wide and high
in vec2 texel;
out vec4 colour;

const vec3 NOT_A_NUMBER = vec3(1.0, 0.0, 0.87);
const vec3 POSITIVE_INFINITY = vec3(0.0, 1.0, 1.0);
const vec3 NEGATIVE_INFINITY = vec3(0.62, 1.0, 0.0);

// Diagonal stripes: there is nothing here.
vec3 hatch(vec3 dark, vec3 light) { return mod(gl_FragCoord.x + gl_FragCoord.y, 8.0) < 2.0 ? light : dark; }

vec3 colour_of(float value) {
#ifdef OWNER
    if (value < 0.0) return hatch(vec3(0.085, 0.092, 0.106), vec3(0.33, 0.35, 0.39));
    return texelFetch(Palette, ivec2(int(value), 0), 0).rgb;
#else
    // By exponent bits: a driver may assume that isnan() never holds.
    uint bits = floatBitsToUint(value);
    if ((bits & 0x7f800000u) == 0x7f800000u) {
        bool negative = (bits & 0x80000000u) != 0u;
        if ((bits & 0x007fffffu) == 0u) return negative ? NEGATIVE_INFINITY : POSITIVE_INFINITY;
        return negative ? hatch(vec3(0.085, 0.092, 0.106), vec3(0.125, 0.135, 0.155)) : NOT_A_NUMBER;
    }
#ifdef SYMLOG
    value = sign(value) * log2(1.0 + abs(value) * LogScale);
#endif
    float position = clamp(value * Transfer.x + Transfer.y, 0.0, 1.0);
    return texelFetch(Palette, ivec2(int(position * float(PALETTE_SIZE - 1) + 0.5), 0), 0).rgb;
#endif
}

void main() {
    vec2 at = floor(texel);
    vec2 values = texelFetch(Values, ivec2(at), 0).rg;
#ifdef EXTREMES
    // A NaN in a block lies in its min; comparisons with it are false, so it must be looked for first.
    bool broken = (floatBitsToUint(values.x) & 0x7f800000u) == 0x7f800000u;
    float value = broken || abs(values.x - Neutral) > abs(values.y - Neutral) ? values.x : values.y;
#else
    float value = values.x;
#endif
    vec3 result = colour_of(value);
#ifdef GRID
    vec2 inside = (texel - at) * Cell;
    if (inside.x < 1.0 || inside.y < 1.0) result *= 0.78;
#endif
    colour = vec4(result, 1.0);
}
