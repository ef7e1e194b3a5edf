// Modules are read when they are loaded: the program may free the text afterwards.
#include "shim/cuda/modules.h"

#include "instrumentation/base/demangle.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/runtime/host_access.h"
#include "instrumentation/runtime/origin.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace wl::cuda {
namespace {

std::vector<std::unique_ptr<Loaded>>& all() {
    static auto* const kAll = new std::vector<std::unique_ptr<Loaded>>;
    return *kAll;
}

// "sm_90" of a cubin, whose ELF header says for which machine it is.
std::string machine_of(const void* image) {
    Elf64_Ehdr header;
    std::memcpy(&header, image, sizeof header);
    const unsigned byte = (header.e_flags >> 8) & 0xff, low = header.e_flags & 0xff;
    return fmt::format("sm_{}", header.e_ident[EI_ABIVERSION] >= 8 ? byte : low);
}

std::string only_machine_code(const void* image, const std::string& kinds) {
    if (const std::string file = runtime::file_of(image); runtime::is_of_nvidia(file))
        return runtime::about_library(file);
    return fmt::format(
        "the program loads a module of machine code only{}, and no PTX to emulate; hand cuModuleLoadData "
        "PTX, "
        "or a fat binary that holds PTX (-gencode arch=compute_80,code=compute_80)",
        kinds
    );
}

// Neither a cubin nor a text that says its version: no module of any kind.
bool is_no_image(const void* image) {
    constexpr uint16_t kCuda = 190;  // EM_CUDA
    if (is_machine_code(image)) {
        Elf64_Ehdr header;
        std::memcpy(&header, image, sizeof header);
        return header.e_machine != kCuda;
    }
    const std::vector<runtime::Image> images = runtime::images_in(image);
    return images.size() == 1 && images[0].is_ptx && images[0].ptx.find(".version") == std::string::npos;
}

// The images of it, where one is PTX.
void require_ptx(const void* image) {
    if (is_machine_code(image)) throw Error(only_machine_code(image, " (" + machine_of(image) + ")"));
    const std::vector<runtime::Image> images = runtime::images_in(image);
    if (std::any_of(images.begin(), images.end(), [](const auto& i) { return i.is_ptx; })) return;
    std::string there;
    for (const runtime::Image& i : images)
        there += fmt::format("{}sm_{}", there.empty() ? " (" : ", ", i.arch);
    throw Error(only_machine_code(image, there.empty() ? "" : there + ")"));
}

CUresult told(const std::exception& e, CUresult error) {
    const Call call = begin();
    if (call.machine.unsupported.insert(e.what()).second)
        print_notice(std::string("warplens: ") + e.what() + "\n");
    runtime::tell_error(call.machine, e.what());
    return error;
}

CUresult not_there(const char* function, const char* what) {
    return refuse(CUDA_ERROR_INVALID_HANDLE, fmt::format("{} was given {} of this process", function, what));
}

CUresult gone(const char* function) {
    return refuse(
        CUDA_ERROR_INVALID_HANDLE,
        fmt::format("{} was given a module that the program had unloaded", function)
    );
}

CUresult kernel_in(const char* function, void* out, const void* handle, const char* name) {
    if (const CUresult no = usable(); no != CUDA_SUCCESS) return no;
    const Call call = begin();
    Loaded* in = loaded(handle);
    if (in == nullptr) return not_there(function, "no module");
    if (!in->alive) return gone(function);
    if (std::find(in->entries.begin(), in->entries.end(), name) == in->entries.end())
        return CUDA_ERROR_NOT_FOUND;
    auto& kernel = in->kernels[name];
    if (kernel == nullptr) {
        kernel = std::make_unique<std::string>(name);
        call.machine.kernels[kernel.get()] = {in->module, name, demangle(name), 0};
    }
    const void* made = kernel.get();
    std::memcpy(out, &made, sizeof made);
    return CUDA_SUCCESS;
}

CUresult variable_in(
    const char* function, CUdeviceptr* out, size_t* bytes, const void* handle, const char* name
) {
    if (const CUresult no = usable(); no != CUDA_SUCCESS) return no;
    const Call call = begin();
    Loaded* in = loaded(handle);
    if (in == nullptr) return not_there(function, "no module");
    if (!in->alive) return gone(function);
    if (out == nullptr && bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
    try {
        const uint64_t address = runtime::address_of(call.machine, *in->module, name);
        if (address == 0) return CUDA_ERROR_NOT_FOUND;
        if (out != nullptr) *out = address;
        const runtime::Region* region = runtime::region_of(call.machine.memory, address);
        if (bytes != nullptr) *bytes = region != nullptr ? region->bytes : 0;
    } catch (const std::exception& e) { return told(e, CUDA_ERROR_INVALID_PTX); }
    return CUDA_SUCCESS;
}

// Its functions are handles of nothing from here on.
CUresult unload(const char* function, const void* handle) {
    const Call call = begin();
    Loaded* in = loaded(handle);
    if (in == nullptr) return not_there(function, "no module");
    if (!in->alive) return gone(function);
    for (const auto& [name, kernel] : in->kernels) call.machine.kernels.erase(kernel.get());
    in->alive = false;
    return CUDA_SUCCESS;
}

CUresult list(const char* function, void* out, unsigned room, const void* handle) {
    for (const std::string& name :
         loaded(handle) != nullptr ? loaded(handle)->entries : std::vector<std::string>{}) {
        if (room-- == 0) break;
        if (!runtime::is_writable(out, sizeof(void*))) return CUDA_ERROR_INVALID_VALUE;
        const CUresult error = kernel_in(function, out, handle, name.c_str());
        if (error != CUDA_SUCCESS) return error;
        out = static_cast<char*>(out) + sizeof(void*);
    }
    return loaded(handle) != nullptr ? CUDA_SUCCESS : not_there(function, "no module");
}

CUresult load_file(const char* path, Loaded** out) {
    std::error_code error;
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return refuse(
            CUDA_ERROR_FILE_NOT_FOUND, fmt::format("the program loads {}, which cannot be read", path)
        );
    if (std::filesystem::is_directory(path, error))
        return refuse(CUDA_ERROR_OUT_OF_MEMORY, fmt::format("the program loads {}, which is a folder", path));
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    return load(bytes.c_str(), out);
}

}  // namespace

bool is_machine_code(const void* image) {
    return runtime::is_readable(image, sizeof(Elf64_Ehdr)) && std::memcmp(image, ELFMAG, SELFMAG) == 0;
}

Loaded* loaded(const void* handle) {
    for (const auto& one : all())
        if (one.get() == handle) return one.get();
    return nullptr;
}

Loaded* loaded_of(const void* function) {
    for (const auto& one : all())
        for (const auto& [name, kernel] : one->kernels)
            if (kernel.get() == function) return one.get();
    return nullptr;
}

CUresult load(const void* image, Loaded** out) {
    if (const CUresult no = usable(); no != CUDA_SUCCESS) return no;
    if (image == nullptr || out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const Call call = begin();
    try {
        if (is_no_image(image)) return CUDA_ERROR_INVALID_IMAGE;
        require_ptx(image);
    } catch (const std::exception& e) { return told(e, CUDA_ERROR_NO_BINARY_FOR_GPU); }
    auto module = std::make_unique<runtime::Module>();
    module->wrapper = image, module->is_library = true;
    module->number = static_cast<int>(call.machine.modules.size()) + 1;
    auto made = std::make_unique<Loaded>();
    try {
        for (const ptx::Function& f : runtime::parsed(*module, call.machine.modules).functions)
            if (f.is_entry) made->entries.push_back(f.name);
    } catch (const Unsupported& e) {
        return told(e, CUDA_ERROR_NOT_SUPPORTED);
    } catch (const std::exception& e) { return told(e, CUDA_ERROR_INVALID_PTX); }
    made->module = module.get();
    call.machine.modules.push_back(std::move(module));
    all().push_back(std::move(made));
    *out = all().back().get();
    return CUDA_SUCCESS;
}

}  // namespace wl::cuda

using namespace wl::cuda;

namespace {

template <class Handle>
CUresult load_as(Handle* out, const void* image) {
    Loaded* made = nullptr;
    const CUresult error = load(image, &made);
    if (error == CUDA_SUCCESS) *out = reinterpret_cast<Handle>(made);
    return error;
}

template <class Handle>
CUresult load_file_as(Handle* out, const char* path) {
    Loaded* made = nullptr;
    const CUresult error = load_file(path, &made);
    if (error == CUDA_SUCCESS) *out = reinterpret_cast<Handle>(made);
    return error;
}

}  // namespace

extern "C" {

CUresult cuModuleLoadData(CUmodule* out, const void* image) { return load_as(out, image); }
CUresult cuModuleLoadDataEx(
    CUmodule* out, const void* image, unsigned count, CUjit_option* options, void** values
) {
    if (!clear_logs(count, options, values)) return CUDA_ERROR_INVALID_VALUE;
    return load_as(out, image);
}
CUresult cuModuleLoadFatBinary(CUmodule* out, const void* image) { return load_as(out, image); }
CUresult cuModuleLoad(CUmodule* out, const char* path) { return load_file_as(out, path); }
CUresult cuModuleUnload(CUmodule module) { return unload("cuModuleUnload", module); }

CUresult cuModuleGetFunction(CUfunction* out, CUmodule module, const char* name) {
    return kernel_in("cuModuleGetFunction", out, module, name);
}
CUresult cuModuleGetGlobal(CUdeviceptr* out, size_t* bytes, CUmodule module, const char* name) {
    return variable_in("cuModuleGetGlobal", out, bytes, module, name);
}
CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule module) {
    if (loaded(module) == nullptr) return not_there("cuModuleGetFunctionCount", "no module");
    *count = static_cast<unsigned>(loaded(module)->entries.size());
    return CUDA_SUCCESS;
}
CUresult cuModuleEnumerateFunctions(CUfunction* out, unsigned room, CUmodule module) {
    return list("cuModuleEnumerateFunctions", out, room, module);
}
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
    *mode = CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}

CUresult cuLibraryLoadData(
    CUlibrary* out, const void* image, CUjit_option*, void**, unsigned, CUlibraryOption*, void**, unsigned
) {
    return load_as(out, image);
}
CUresult cuLibraryLoadFromFile(
    CUlibrary* out, const char* path, CUjit_option*, void**, unsigned, CUlibraryOption*, void**, unsigned
) {
    return load_file_as(out, path);
}
CUresult cuLibraryUnload(CUlibrary library) { return unload("cuLibraryUnload", library); }
CUresult cuLibraryGetKernel(CUkernel* out, CUlibrary library, const char* name) {
    return kernel_in("cuLibraryGetKernel", out, library, name);
}
CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary library) {
    if (loaded(library) == nullptr) return not_there("cuLibraryGetKernelCount", "no library");
    *count = static_cast<unsigned>(loaded(library)->entries.size());
    return CUDA_SUCCESS;
}
CUresult cuLibraryEnumerateKernels(CUkernel* out, unsigned room, CUlibrary library) {
    return list("cuLibraryEnumerateKernels", out, room, library);
}
CUresult cuLibraryGetModule(CUmodule* out, CUlibrary library) {
    *out = reinterpret_cast<CUmodule>(library);
    return loaded(library) != nullptr ? CUDA_SUCCESS : not_there("cuLibraryGetModule", "no library");
}
CUresult cuLibraryGetGlobal(CUdeviceptr* out, size_t* bytes, CUlibrary library, const char* name) {
    return variable_in("cuLibraryGetGlobal", out, bytes, library, name);
}
}
