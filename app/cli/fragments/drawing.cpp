// Whole files or none.
#include "app/cli/fragments/drawing.h"

#include "app/shell/picture.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/atomic_file.h"

#include <filesystem>

namespace wl::app {

void write_drawing(const std::string& path, const Drawing& drawing) {
    const std::string suffix = std::filesystem::path(path).extension().string();
    if (suffix == ".svg")
        write_text_file(path, svg_of(drawing.sheet()));
    else if (suffix == ".png")
        write_sheet_picture(drawing.sheet(), path);
    else if (suffix == ".json")
        write_text_file(path, drawing.json() + "\n");
    else if (suffix == ".txt")
        write_text_file(path, drawing.text);
    else
        throw Error("-o " + path + ": its name has to end in .svg, .png, .json or .txt");
}

}  // namespace wl::app
