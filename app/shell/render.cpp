// Half of the pixels of a frame are of one opaque colour. Dear ImGui's shader looks each of them up in the
// fonts' texture and blends it with what is there, which takes a software renderer several times as long as
// to set it.
#include "app/shell/render.h"

#include "app/draw/gl.h"
#include "app/draw/look.h"
#include "app/draw/program.h"

#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <cmath>

namespace wl::app {

namespace {

constexpr const char* kVertex = R"(#version 330 core
uniform mat4 ProjMtx;
in vec2 Position;
in vec4 Color;
flat out vec4 ink;
void main() {
    ink = Color;
    gl_Position = ProjMtx * vec4(Position, 0.0, 1.0);
}
)";
constexpr const char* kFragment = R"(#version 330 core
flat in vec4 ink;
out vec4 colour;
void main() { colour = ink; }
)";

constexpr float kWorth = 2000;  // pixels: what is saved on them is more than what two changes of state take

// Both run inside the back end's loop over draw commands.
void begin_opaque(const ImDrawList*, const ImDrawCmd* command) {
    OpaqueProgram& program = *static_cast<OpaqueProgram*>(command->UserCallbackData);
    program.theirs = bound_program();
    if (program.id == 0) {
        program.id = link_like(program.theirs, kVertex, kFragment, "opaque boxes");
        program.projection = glGetUniformLocation(program.id, "ProjMtx");
    }
    glUseProgram(program.id);
    project_as(program.theirs, program.projection);
    glDisable(GL_BLEND);
}
void end_opaque(const ImDrawList*, const ImDrawCmd* command) {
    glUseProgram(static_cast<const OpaqueProgram*>(command->UserCallbackData)->theirs);
    glEnable(GL_BLEND);
}

// Of one opaque colour, without a texture.
bool is_opaque(const ImDrawVert* vertices, const ImDrawIdx* corners, ImVec2 white) {
    const ImU32 colour = vertices[corners[0]].col;
    if ((colour & IM_COL32_A_MASK) != IM_COL32_A_MASK) return false;
    return std::all_of(corners, corners + 3, [&](ImDrawIdx k) {
        const ImDrawVert& v = vertices[k];
        return v.col == colour && v.uv.x == white.x && v.uv.y == white.y;
    });
}

float area(const ImDrawVert* vertices, const ImDrawIdx* corners) {
    const ImVec2 a = vertices[corners[0]].pos, b = vertices[corners[1]].pos, c = vertices[corners[2]].pos;
    return std::abs((b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y)) / 2;
}

// Draws the same in the same order; runs of opaque triangles that are worth it as commands of their own.
void set_apart(ImDrawList& list, OpaqueProgram& program, ImVec2 white) {
    ImVector<ImDrawCmd> out;
    for (const ImDrawCmd& command : list.CmdBuffer) {
        const auto push = [&](unsigned from, unsigned to, ImDrawCallback callback) {
            if (from == to && callback == nullptr) return;
            ImDrawCmd part = command;
            part.IdxOffset = from, part.ElemCount = to - from;
            if (callback != nullptr) part.UserCallback = callback, part.UserCallbackData = &program;
            out.push_back(part);
        };
        if (command.UserCallback != nullptr) {
            out.push_back(command);
            continue;
        }
        const ImDrawVert* const vertices = list.VtxBuffer.Data + command.VtxOffset;
        const ImDrawIdx* const indices = list.IdxBuffer.Data;
        const unsigned end = command.IdxOffset + command.ElemCount;
        unsigned drawn = command.IdxOffset;
        for (unsigned at = drawn; at < end;) {
            unsigned run = at;
            float covered = 0;
            for (; run < end && is_opaque(vertices, indices + run, white); run += 3)
                covered += area(vertices, indices + run);
            if (covered >= kWorth) {
                push(drawn, at, nullptr);
                push(at, at, begin_opaque);
                push(at, run, nullptr);
                push(run, run, end_opaque);
                drawn = run;
            }
            at = std::max(run, at + 3);
        }
        push(drawn, end, nullptr);
    }
    list.CmdBuffer.swap(out);
}

}  // namespace

OpaqueProgram::~OpaqueProgram() {
    if (id != 0) glDeleteProgram(id);
}

void render(OpaqueProgram& program, int width, int height) {
    const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
    ImDrawData* const data = ImGui::GetDrawData();
    for (ImDrawList* list : data->CmdLists) set_apart(*list, program, white);
    glViewport(0, 0, width, height);
    const ImVec4 clear = ImGui::ColorConvertU32ToFloat4(colour::kPanel);
    glClearColor(clear.x, clear.y, clear.z, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(data);
}

}  // namespace wl::app
