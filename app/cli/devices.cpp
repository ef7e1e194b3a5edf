// `warplens devices`: what a kernel can run on.
#include "app/cli/verbs.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/gpu/driver.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <thread>

namespace wl::app {

namespace {

constexpr const char* kEmulatorGives =
    "every check (races, uninitialised reads, addresses, barriers), any instant, changed programs; values "
    "are "
    "simulated";
constexpr const char* kGpuGives =
    "measured tiles and outputs, and a second witness (--on both); no checks of single accesses";

std::string devices_text(const gpu::Devices& there, unsigned cores) {
    std::string out = fmt::format("cpu   the emulator, {} threads: {}\n", cores, kEmulatorGives);
    for (const gpu::Device& d : there.all)
        out += fmt::format(
            "gpu   --device {}: {}, compute capability {}.{}, {} multiprocessors, {:.0f} GiB, driver for "
            "CUDA {}: "
            "{}\n",
            d.index,
            d.name,
            d.capability / 10,
            d.capability % 10,
            d.multiprocessors,
            static_cast<double>(d.memory) / (1 << 30),
            there.driver,
            kGpuGives
        );
    if (!there.missing.empty())
        out += fmt::format("gpu   none: {}. It would add {}\n", there.missing, kGpuGives);
    return out;
}

}  // namespace

int verb_devices(const Command& command) {
    const gpu::Devices there = gpu::devices();
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    if (!command.output.json) {
        print_text(devices_text(there, cores));
        return kExitOk;
    }
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    list.push_back({
        {"executor", "cpu"         },
        {"name",     "emulator"    },
        {"threads",  cores         },
        {"gives",    kEmulatorGives}
    });
    for (const gpu::Device& d : there.all)
        list.push_back({
            {"executor",        "gpu"            },
            {"device",          d.index          },
            {"name",            d.name           },
            {"capability",      d.capability     },
            {"multiprocessors", d.multiprocessors},
            {"memory",          d.memory         },
            {"pci",             d.pci            },
            {"cuda",            there.driver     },
            {"gives",           kGpuGives        }
        });
    const nlohmann::ordered_json out{
        {"warplens",  WL_VERSION   },
        {"verb",      "devices"    },
        {"executors", list         },
        {"missing",   there.missing}
    };
    print_text(json_text(out) + "\n");
    return kExitOk;
}

}  // namespace wl::app
