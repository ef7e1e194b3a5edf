// GLSL 3.30, as Dear ImGui's back end asks for a context.
#include "app/draw/program.h"

#include "app/draw/gl.h"
#include "instrumentation/base/error.h"

namespace wl::app {

namespace {

unsigned compile(unsigned kind, const std::string& text, const std::string& what) {
    const unsigned shader = glCreateShader(kind);
    const char* source = text.c_str();
    glShaderSource(shader, 1, &source, nullptr);
    glCompileShader(shader);
    int ok = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (ok == 0) {
        char log[1024] = "";
        glGetShaderInfoLog(shader, sizeof log, nullptr, log);
        throw Error("The shader of " + what + " does not compile on this OpenGL driver: " + std::string(log));
    }
    return shader;
}

}  // namespace

unsigned bound_program() {
    int program = 0;
    glGetIntegerv(GL_CURRENT_PROGRAM, &program);
    return static_cast<unsigned>(program);
}

unsigned link_like(
    unsigned like, const std::string& vertex, const std::string& fragment, const std::string& what
) {
    const unsigned first = compile(GL_VERTEX_SHADER, vertex, what);
    const unsigned second = compile(GL_FRAGMENT_SHADER, fragment, what);
    const unsigned program = glCreateProgram();
    glAttachShader(program, first);
    glAttachShader(program, second);
    for (const char* name : {"Position", "UV", "Color"}) {
        const int location = glGetAttribLocation(like, name);
        if (location >= 0) glBindAttribLocation(program, static_cast<unsigned>(location), name);
    }
    glLinkProgram(program);
    glDeleteShader(first);
    glDeleteShader(second);
    int ok = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    if (ok == 0) throw Error("The shader of " + what + " does not link on this OpenGL driver.");
    return program;
}

void project_as(unsigned like, int location) {
    float projection[16];
    glGetUniformfv(like, glGetUniformLocation(like, "ProjMtx"), projection);
    glUniformMatrix4fv(location, 1, GL_FALSE, projection);
}

}  // namespace wl::app
