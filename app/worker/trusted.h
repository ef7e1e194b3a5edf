// Kernels that the user named once, known again by their content. What a capture was made of it says by its
// content; where that lies is what the user said, never what a file says.
#pragma once

#include <string>

namespace wl::app {

// $XDG_STATE_HOME/warplens/kernels, else ~/.local/state/warplens/kernels; empty: there is no such place.
std::string trusted_file();

// Remembers a manifest or a recorded launch that the user named, with all files that it needs
// (manifest::content_of). What cannot be read or written is not remembered.
void trust(const std::string& path);

// Where the manifest or launch lies whose own bytes have this SHA-256; empty: none was named, or something
// that it needs is not as it was.
std::string trusted_path(const std::string& sha256);

}  // namespace wl::app
