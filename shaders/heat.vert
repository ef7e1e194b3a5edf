// Passes the texture coordinate through: it already is a position in texels, (column, row).
uniform mat4 ProjMtx;
in vec2 Position;
in vec2 UV;
in vec4 Color;
out vec2 texel;

void main() {
    texel = UV;
    gl_Position = ProjMtx * vec4(Position, 0.0, 1.0);
}
