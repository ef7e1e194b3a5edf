#include "fuzz/captures.h"
#include "fuzz/launches.h"
#include "fuzz/manifests.h"
#include "fuzz/mutant.h"
#include "fuzz/ptx_kind.h"

#include <array>

namespace wl::fuzz {

std::span<const Kind> kinds() {
    static constexpr std::array<Kind, 4> kKinds = {
        {{"captures", ".wlcap", make_capture, try_capture, edited_capture},
         {"launches", ".wllaunch", make_launch, try_launch, edited_launch},
         {"manifests", ".toml", make_manifest, try_manifest, nullptr},
         {"ptx", ".ptx", make_ptx, attempt_ptx, nullptr}}
    };
    return kKinds;
}

}  // namespace wl::fuzz
