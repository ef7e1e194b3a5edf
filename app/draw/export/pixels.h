// Pixels of the current framebuffer, and PNG files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wl::app {

struct Image {
    int width = 0, height = 0;
    std::vector<uint8_t> rgb;  // (height, width, 3), top row first
};
Image read_pixels(int width, int height);                     // of the framebuffer bound now
std::string png_of(const Image& image);                       // the file's bytes
void write_png(const Image& image, const std::string& path);  // throws Error naming the path

}  // namespace wl::app
