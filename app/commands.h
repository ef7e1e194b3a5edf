// What a panel may ask of the session; carried out when the frame has been drawn.
#pragma once

#include "app/session.h"

#include <optional>
#include <string>

namespace wl::app {

struct Commands {
    std::optional<RunRequest> run;
    std::optional<std::string> open;  // path of a capture
    bool cancel = false;              // the running worker
    bool count_banks = false;
    std::optional<std::string> ask_lanes;  // options of `warplens at`
    bool reset_layout = false;
    bool quit = false;
};

}  // namespace wl::app
