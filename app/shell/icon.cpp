// Decodes assets/warplens.png; stb_image.
#include "app/shell/icon.h"

#include "app/draw/embedded.h"

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image.h>
#pragma GCC diagnostic pop

namespace wl::app {

Icon icon() {
    const std::string_view png = icon_png();
    Icon decoded;
    int channels = 0;
    stbi_uc* pixels = stbi_load_from_memory(
        reinterpret_cast<const stbi_uc*>(png.data()),
        static_cast<int>(png.size()),
        &decoded.width,
        &decoded.height,
        &channels,
        4
    );
    if (pixels == nullptr) return {};
    decoded.rgba.assign(pixels, pixels + static_cast<std::ptrdiff_t>(decoded.width) * decoded.height * 4);
    stbi_image_free(pixels);
    return decoded;
}

}  // namespace wl::app
