// stb_image's one translation unit of the tests.
#include "tests/support/png.h"

#include <cstddef>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include <stb_image.h>
#pragma GCC diagnostic pop

namespace wl::test {

app::Image read_png(const std::string& path) {
    app::Image image;
    int channels = 0;
    stbi_uc* pixels = stbi_load(path.c_str(), &image.width, &image.height, &channels, 3);
    if (pixels == nullptr) return image;
    image.rgb.assign(pixels, pixels + static_cast<ptrdiff_t>(image.width) * image.height * 3);
    stbi_image_free(pixels);
    return image;
}

}  // namespace wl::test
