// What Dear ImGui laid out, onto the bound framebuffer.
#pragma once

namespace wl::app {

// Draws what is of one opaque colour; linked on first use, and must go before its context does. One a window.
struct OpaqueProgram {
    unsigned id = 0;
    int projection = -1;
    unsigned theirs = 0;  // the program that was bound before it
    OpaqueProgram() = default;
    OpaqueProgram(const OpaqueProgram&) = delete;
    OpaqueProgram& operator=(const OpaqueProgram&) = delete;
    ~OpaqueProgram();
};

// Of this size in pixels; behind ImGui::Render.
void render(OpaqueProgram& program, int width, int height);

}  // namespace wl::app
