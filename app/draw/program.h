// Shaders that draw what Dear ImGui laid out, in place of its own.
#pragma once

#include <string>

namespace wl::app {

// The program of Dear ImGui's back end, bound: in a callback between two draw commands.
unsigned bound_program();
// Takes the vertices as `like` does. `what` it is, for the error.
unsigned link_like(
    unsigned like, const std::string& vertex, const std::string& fragment, const std::string& what
);
// Gives the uniform ProjMtx at that location, of the program that is bound, the value that `like` has.
void project_as(unsigned like, int location);

}  // namespace wl::app
