// glReadPixels turned the right way up; stb_image_write.
#include "app/draw/export/pixels.h"

#include "app/draw/gl.h"
#include "instrumentation/base/os/atomic_file.h"

#include <algorithm>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image_write.h>
#pragma GCC diagnostic pop

namespace wl::app {

Image read_pixels(int width, int height) {
    Image image{
        width, height, std::vector<uint8_t>(static_cast<size_t>(width) * static_cast<size_t>(height) * 3)};
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, image.rgb.data());
    const auto stride = static_cast<std::ptrdiff_t>(width) * 3;
    for (int row = 0; row < height / 2; ++row) {
        const auto top = image.rgb.begin() + row * stride,
                   bottom = image.rgb.begin() + (height - 1 - row) * stride;
        std::swap_ranges(top, top + stride, bottom);
    }
    return image;
}

std::string png_of(const Image& image) {
    std::string out;
    const auto append = [](void* to, void* bytes, int count) {
        static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), static_cast<size_t>(count));
    };
    stbi_write_png_to_func(append, &out, image.width, image.height, 3, image.rgb.data(), image.width * 3);
    return out;
}

void write_png(const Image& image, const std::string& path) { write_text_file(path, png_of(image)); }

}  // namespace wl::app
