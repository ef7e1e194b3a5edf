// random_calls [--first N] [--count N] [--seconds N] [--findings FOLDER]: calls of both APIs with arguments
// at random, of the stand-in that this program is linked with. Each process makes 40 that follow from its
// number. One that a signal ends, or that takes longer than 20 s, is a finding: its calls are told, and in
// FOLDER/calls-NUMBER.txt; `random_calls --first NUMBER --count 1` makes them again.
#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tuple>
#include <type_traits>
#include <unistd.h>
#include <vector>

// NOLINTBEGIN(misc-use-internal-linkage,bugprone-branch-clone,readability-function-size,bugprone-macro-parentheses,bugprone-reserved-identifier,readability-identifier-naming,bugprone-sizeof-expression):
// a program of one file, made of tables of names
namespace wl::fuzz::calls {

struct Undeclared {};
#define WL_NAME(name) constexpr Undeclared name;
#include "shim/cudart/names.inc"
#undef WL_NAME
#define WL_NAME(symbol, name, since) constexpr Undeclared symbol;
#include "shim/cuda/names.inc"
#undef WL_NAME

namespace declared {

#define __CUDA_API_VERSION_INTERNAL  // all versions, by the names of their symbols
extern "C" {
#include <cuda.h>
#include <cuda_runtime_api.h>
}

constexpr int kCalls = 40;
constexpr unsigned kSeconds = 20;
constexpr size_t kPage = 4096, kObject = 4 * kPage;

std::mt19937_64 generator;
size_t below(size_t n) { return generator() % n; }

// Memory of every kind, good and bad; what calls gave is added.
std::vector<void*> memory;
// Handles of a type: good ones, and what was destroyed.
template <class T>
std::vector<T*>& handles() {
    static std::vector<T*> all;
    return all;
}
bool launches = false;  // the call could start a kernel: it gets few threads, or too many

template <class T>
T number() {
    constexpr long long kSmall[] = {0, 1, 2, 3, 4, 7, 8, 16, 32, 64, 100, 1024, 4096, 65536, 1 << 20, -1};
    if (launches) return static_cast<T>(kSmall[below(4)] - static_cast<long long>(below(8) == 0));
    if (below(8) == 0)
        return sizeof(T) == 8 ? static_cast<T>(1LL << 40) : static_cast<T>(1LL << (8 * sizeof(T) - 1));
    return static_cast<T>(kSmall[below(std::size(kSmall))]);
}

template <class T>
concept Complete = requires {
    sizeof(T);
};

// What is copied over its end meets a page that is not there, and no heap.
std::vector<const void*> objects;
void* host_object() {
    void* at = mmap(nullptr, kObject + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(static_cast<char*>(at) + kObject, kPage, PROT_NONE);
    objects.push_back(at);
    return at;
}

template <class T>
void* object() {
    static std::vector<void*> all;
    if (all.empty() || below(2) == 0) all.push_back(host_object());
    void* at = all[below(all.size())];
    if (below(4) == 0)
        for (size_t k = 0; k < sizeof(T) / sizeof(uint32_t); ++k)
            static_cast<uint32_t*>(at)[k] = number<uint32_t>();
    if (below(4) == 0) std::memcpy(at, &memory[below(memory.size())], std::min(sizeof(T), sizeof(void*)));
    return at;
}

template <class T>
T argument() {
    if constexpr (std::is_pointer_v<T>) {
        using To = std::remove_const_t<std::remove_pointer_t<T>>;
        if constexpr (std::is_function_v<std::remove_pointer_t<T>>) {
            return nullptr;
        } else if constexpr (std::is_same_v<To, char> && std::is_const_v<std::remove_pointer_t<T>>) {
            constexpr const char* kTexts[] = {"", "fill", "word", "cuMemAlloc", "/nowhere/at/all", nullptr};
            return below(8) == 0 ? static_cast<T>(memory[below(memory.size())])
                                 : kTexts[below(std::size(kTexts))];
        } else if constexpr (std::is_void_v<To>) {
            const bool kernel = launches && below(2) == 0;
            return kernel ? handles<CUfunc_st>()[0] : memory[below(memory.size())];
        } else if constexpr (Complete<To>) {
            return static_cast<T>(below(5) == 0 ? memory[below(memory.size())] : object<To>());
        } else {
            auto& known = handles<To>();
            const bool good = !known.empty() && below(4) != 0;
            return good ? known[below(known.size())] : static_cast<To*>(memory[below(memory.size())]);
        }
    } else if constexpr (std::is_class_v<T> || std::is_union_v<T>) {
        T out;
        std::memset(static_cast<void*>(&out), 0, sizeof out);
        auto* words = reinterpret_cast<uint32_t*>(&out);
        for (size_t k = 0; k < sizeof out / sizeof *words; ++k) words[k] = number<uint32_t>();
        return out;
    } else if constexpr (sizeof(T) == 8 && std::is_integral_v<T>) {
        return below(2) == 0 ? number<T>()
                             : static_cast<T>(reinterpret_cast<uintptr_t>(memory[below(memory.size())]));
    } else if constexpr (std::is_enum_v<T>) {
        return static_cast<T>(number<int>());
    } else {
        return static_cast<T>(number<int>());
    }
}

// A call that succeeded left a handle, or an address, in what it was given.
template <class T>
void take(T given) {
    if constexpr (std::is_pointer_v<T>) {
        using To = std::remove_pointer_t<T>;
        if constexpr (std::is_pointer_v<To> && !std::is_const_v<To>) {
            if (std::find(objects.begin(), objects.end(), given) == objects.end()) return;
            using Of = std::remove_pointer_t<To>;
            if constexpr (std::is_void_v<Of>)
                memory.push_back(const_cast<void*>(static_cast<const void*>(*given)));
            else if constexpr (!Complete<Of> && !std::is_function_v<Of> && !std::is_const_v<Of>)
                handles<Of>().push_back(*given);
        }
    }
}

struct Function {
    const char* name;
    std::function<void()> call;
};
std::vector<Function> functions;

void add(const char* /*name*/, const Undeclared* /*none*/) {}
template <class R, class... A>
void add(const char* name, R (*function)(A...)) {
    functions.push_back({name, [=] {
                             std::tuple<A...> all{argument<A>()...};
                             const auto answer = std::apply(function, all);
                             if constexpr (std::is_enum_v<R>)
                                 if (static_cast<int>(answer) == 0)
                                     std::apply([](auto... each) { (take(each), ...); }, all);
                         }});
}

void add_all() {
#define WL_NAME(name) add(#name, &name);
#include "shim/cudart/names.inc"
#undef WL_NAME
#define WL_NAME(symbol, name, since) add(#symbol, &symbol);
#include "shim/cuda/names.inc"
#undef WL_NAME
}

constexpr const char* kText = R"(.version 7.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 word = 7;
.visible .entry fill(.param .u64 at, .param .u32 value)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [at];
    cvta.to.global.u64 %rd2, %rd1;
    ld.param.u32 %r1, [value];
    st.global.u32 [%rd2], %r1;
    ret;
}
)";

void* page(int protection) { return mmap(nullptr, kPage, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }

template <class T>
void make_one(cudaError_t (*make)(T**), cudaError_t (*destroy)(T*)) {
    T *good = nullptr, *gone = nullptr;
    make(&good), make(&gone), destroy(gone);
    handles<T>() = {good, gone};
}

void make_objects() {
    void *device = nullptr, *freed = nullptr, *pinned = nullptr, *managed = nullptr;
    cudaMalloc(&device, kPage), cudaMalloc(&freed, kPage), cudaFree(freed);
    cudaMallocHost(&pinned, kPage), cudaMallocManaged(&managed, kPage, cudaMemAttachGlobal);
    auto* last = static_cast<char*>(
        mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    );
    munmap(last + kPage, kPage);
    memory = {
        nullptr,
        reinterpret_cast<void*>(0x5a5a5a5a5000),
        reinterpret_cast<void*>(1),
        device,
        freed,
        pinned,
        managed};
    memory.insert(memory.end(), {host_object(), page(PROT_READ), page(PROT_NONE), last + kPage - 16});
    memory.insert(memory.end(), {static_cast<char*>(device) + 5, const_cast<char*>(kText)});
    make_one<CUstream_st>(cudaStreamCreate, cudaStreamDestroy);
    make_one<CUevent_st>(cudaEventCreate, cudaEventDestroy);
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    CUcontext context = nullptr;
    cuInit(0), cuDevicePrimaryCtxRetain(&context, 0), cuCtxSetCurrent(context);
    cuModuleLoadData(&module, kText), cuModuleGetFunction(&function, module, "fill");
    handles<CUmod_st>() = {module}, handles<CUfunc_st>() = {function}, handles<CUctx_st>() = {context};
}

// The names of the calls, each before it is made.
void run_one(uint64_t seed, char* said) {
    generator.seed(seed);
    make_objects();
    for (int k = 0; k < kCalls; ++k) {
        const Function& f = functions[below(functions.size())];
        said += std::snprintf(said, 100, "%s\n", f.name);
        launches = std::strstr(f.name, "Launch") != nullptr || std::strstr(f.name, "KernelNode") != nullptr;
        f.call();
    }
}

struct Options {
    uint64_t first = 1, count = ~uint64_t{0};
    time_t seconds = 60;
    std::string findings;
};

// False: it ended by a signal, or did not end. `calls`: that it made.
bool is_well(uint64_t seed, const Options& options, uint64_t& calls) {
    constexpr size_t kSaid = kCalls * 100;
    auto* said =
        static_cast<char*>(mmap(nullptr, kSaid, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    const pid_t child = fork();
    if (child == 0) {
        alarm(kSeconds);
#if !defined(__SANITIZE_ADDRESS__)
        constexpr rlimit kMemory{
            rlim_t{3} << 30, rlim_t{3} << 30};  // to fill more takes longer than an alarm
        setrlimit(RLIMIT_AS, &kMemory);
#endif
        const int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, STDERR_FILENO);
        run_one(seed, said);
        _exit(0);
    }
    int state = 0;
    waitpid(child, &state, 0);
    calls += static_cast<uint64_t>(std::count(said, said + kSaid, '\n'));
    const bool well = WIFEXITED(state) && WEXITSTATUS(state) == 0;
    if (!well) {
        const std::string text =
            "signal " + std::to_string(WTERMSIG(state)) + " in the last of these calls:\n" + said;
        std::printf("%llu: %s\n", static_cast<unsigned long long>(seed), text.c_str());
        if (!options.findings.empty()) {
            std::filesystem::create_directories(options.findings);
            std::ofstream(options.findings + "/calls-" + std::to_string(seed) + ".txt") << text;
        }
    }
    munmap(said, kSaid);
    return well;
}

int run_all(const Options& options) {
    add_all();
    const time_t end = time(nullptr) + options.seconds;
    uint64_t done = 0, calls = 0, findings = 0;
    for (; done < options.count && time(nullptr) < end; ++done)
        findings += is_well(options.first + done, options, calls) ? 0 : 1;
    std::printf(
        "%llu calls of %zu functions, %llu findings\n",
        static_cast<unsigned long long>(calls),
        functions.size(),
        static_cast<unsigned long long>(findings)
    );
    return findings == 0 ? 0 : 1;
}

}  // namespace declared
// NOLINTEND(misc-use-internal-linkage,bugprone-branch-clone,readability-function-size,bugprone-macro-parentheses,bugprone-reserved-identifier,readability-identifier-naming,bugprone-sizeof-expression)
}  // namespace wl::fuzz::calls

int main(int count, char** words) {
    wl::fuzz::calls::declared::Options options;
    for (int k = 1; k + 1 < count; k += 2) {
        const std::string word = words[k];
        if (word == "--first") options.first = std::strtoull(words[k + 1], nullptr, 10);
        if (word == "--count") options.count = std::strtoull(words[k + 1], nullptr, 10);
        if (word == "--seconds") options.seconds = std::atoi(words[k + 1]);
        if (word == "--findings") options.findings = words[k + 1];
    }
    return wl::fuzz::calls::declared::run_all(options);
}
