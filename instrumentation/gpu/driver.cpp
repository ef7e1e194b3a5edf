// libcuda.so.1, its functions by name.
#include "instrumentation/gpu/driver.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/library.h"

#include <array>
#include <fmt/format.h>

namespace wl::gpu {
namespace {

struct Opened {
    Driver driver;
    std::string missing;
};

Opened open() {
    Opened out;
    Library library = load_library("libcuda.so.1");
    if (library == nullptr) {
        out.missing = "there is no CUDA driver (libcuda.so.1 cannot be opened); install NVIDIA's driver";
        return out;
    }
    const auto find = [&](auto& function, const char* symbol) {
        if (!bind_symbol(library, function, symbol) && out.missing.empty())
            out.missing = fmt::format("the CUDA driver lacks {}; install a newer one", symbol);
    };
#define WL_DRIVER_FIND(name, type, symbol) find(out.driver.name, symbol);
    WL_DRIVER_FUNCTIONS(WL_DRIVER_FIND)
#undef WL_DRIVER_FIND
    if (!out.missing.empty()) return out;
    if (const CUresult status = out.driver.init(0); status != CUDA_SUCCESS)
        out.missing = "the CUDA driver does not start: " + describe(out.driver, status);
    return out;
}

// The library stays open: its functions live as long as the process.
const Opened& opened() {
    static const Opened kOpened = open();
    return kOpened;
}

int attribute(const Driver& d, CUdevice_attribute which, CUdevice device) {
    int value = 0;
    require(d, d.device_attribute(&value, which, device), "reading a device's attribute");
    return value;
}

Device device_at(const Driver& d, int index) {
    Device out;
    out.index = index;
    CUdevice device = 0;
    require(d, d.device(&device, index), "opening a device");
    std::array<char, 256> name{};
    require(d, d.device_name(name.data(), static_cast<int>(name.size()), device), "reading a device's name");
    out.name = name.data();
    out.capability = attribute(d, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) * 10 +
        attribute(d, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    out.multiprocessors = attribute(d, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    out.pci = fmt::format(
        "{:04x}:{:02x}:{:02x}.0",
        attribute(d, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, device),
        attribute(d, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, device),
        attribute(d, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, device)
    );
    size_t bytes = 0;
    require(d, d.device_memory(&bytes, device), "reading a device's memory");
    out.memory = bytes;
    return out;
}

}  // namespace

std::string describe(const Driver& d, CUresult status) {
    const char* name = nullptr;
    const char* text = nullptr;
    if (d.error_name(status, &name) != CUDA_SUCCESS || name == nullptr)
        return fmt::format("error {} of the driver", static_cast<int>(status));
    if (d.error_text(status, &text) != CUDA_SUCCESS || text == nullptr) return name;
    return fmt::format("{} ({})", name, text);
}

void require(const Driver& d, CUresult status, const char* what) {
    if (status != CUDA_SUCCESS) throw Error(fmt::format("{}: {}", what, describe(d, status)));
}

Devices devices() {
    Devices out;
    const Opened& o = opened();
    out.missing = o.missing;
    if (!out.missing.empty()) return out;
    int version = 0, count = 0;
    require(o.driver, o.driver.version(&version), "reading the driver's version");
    out.driver = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
    require(o.driver, o.driver.device_count(&count), "counting devices");
    for (int k = 0; k < count; ++k) out.all.push_back(device_at(o.driver, k));
    if (out.all.empty()) out.missing = "the CUDA driver finds no GPU (CUDA_VISIBLE_DEVICES may hide it)";
    return out;
}

const Driver& driver() {
    const Opened& o = opened();
    if (!o.missing.empty()) throw Unsupported("unsupported: " + o.missing);
    return o.driver;
}

}  // namespace wl::gpu
