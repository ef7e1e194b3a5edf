// EGL_PLATFORM_SURFACELESS_MESA, else the first EGL device: both work without X, Wayland or a GPU.
#include "app/shell/shell_offscreen.h"

#include "app/draw/gl.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/stop.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <chrono>
#include <thread>

namespace wl::app {

namespace {

constexpr const char* kAdvice =
    " Install libegl1, libegl-mesa0 and libgl1-mesa-dri (software rendering is enough).";

EGLDisplay find_display() {
    const auto get_display =
        reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
    const auto query_devices =
        reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
    if (get_display == nullptr)
        throw Error(
            std::string("EGL on this machine knows no platforms, so nothing can be drawn off screen.") +
            kAdvice
        );
    EGLDisplay display = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (display != EGL_NO_DISPLAY && eglInitialize(display, nullptr, nullptr) == EGL_TRUE) return display;
    EGLDeviceEXT device = nullptr;
    EGLint count = 0;
    if (query_devices != nullptr && query_devices(1, &device, &count) == EGL_TRUE && count == 1) {
        display = get_display(EGL_PLATFORM_DEVICE_EXT, device, nullptr);
        if (display != EGL_NO_DISPLAY && eglInitialize(display, nullptr, nullptr) == EGL_TRUE) return display;
    }
    throw Error(std::string("EGL finds no device to draw on off screen.") + kAdvice);
}

EGLContext make_context(EGLDisplay display) {
    const EGLint wanted[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    const EGLint version[] = {
        EGL_CONTEXT_MAJOR_VERSION,
        3,
        EGL_CONTEXT_MINOR_VERSION,
        3,
        EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
        EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    eglBindAPI(EGL_OPENGL_API);
    eglChooseConfig(display, wanted, &config, 1, &count);
    EGLContext context = eglCreateContext(display, count > 0 ? config : nullptr, EGL_NO_CONTEXT, version);
    if (context == EGL_NO_CONTEXT)
        throw Error(std::string("EGL offers no OpenGL 3.3 core context.") + kAdvice);
    if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) != EGL_TRUE) {
        throw Error(std::string("EGL cannot make a context current without a surface.") + kAdvice);
    }
    return context;
}

}  // namespace

OffscreenContext::OffscreenContext(int w, int h) :
    display(find_display()), context(make_context(display)), width(w), height(h) {
    glGenTextures(1, &colour);
    glBindTexture(GL_TEXTURE_2D, colour);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour, 0);
}

OffscreenContext::~OffscreenContext() {
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteTextures(1, &colour);
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display, context);
    eglTerminate(display);
}

OffscreenShell::OffscreenShell(int width, int height, float scale) :
    context(width, height), gui(app.ui, scale) {
    ImGui::GetIO().DisplaySize = ImVec2(static_cast<float>(width), static_cast<float>(height));
}

void OffscreenShell::draw(const std::function<void()>& contents) {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::GetIO().DeltaTime = 1.0F / 60;  // a fixed clock: the same script draws the same pictures
    ImGui::NewFrame();
    contents();
    ImGui::Render();
    glBindFramebuffer(GL_FRAMEBUFFER, context.framebuffer);
    render(opaque, context.width, context.height);
}

void OffscreenShell::draw() {
    before_frame(app);
    draw([this] { frame(app); });
}

Image OffscreenShell::pixels() const { return read_pixels(context.width, context.height); }

void play(OffscreenShell& shell, Driver driver) {
    while (!finished(driver)) {
        check_stop();
        drive(driver, shell.app);
        shell.draw();
        inspect(driver, shell.app, [&shell] { return shell.pixels(); });
        // What a worker computes is waited for as the window does: frames would take the processor from it.
        if (driver.deadline > 0 && is_waiting(shell.app.session))
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
}

void settle(OffscreenShell& shell) {
    constexpr int kLeast = 4, kMost = 60;
    for (int drawn = 0; drawn < kMost && (drawn < kLeast || shell.app.changed); ++drawn) shell.draw();
}

}  // namespace wl::app
