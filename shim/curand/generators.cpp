// cuRAND's functions for the host. Enumerations are passed as the ints that they are.
#include "shim/curand/distributions.h"
#include "shim/curand/sobol.h"
#include "shim/libraries/calls.h"

#include <optional>
#include <type_traits>
#include <utility>

namespace wl::libraries {

// curandStatus_t, which has none for what is not supported.
const Statuses kStatuses{
    .no_handle = 101, .no_memory = 102, .invalid = 104, .failed = 201, .internal = 999, .not_supported = 999};

}  // namespace wl::libraries

namespace wl::curand {
namespace {

using namespace wl::libraries;

constexpr int kNoDevice = 203, kTypeError = 103, kNotMultiple = 105, kVersion = 10400;  // of CUDA 13.0
constexpr const char* kWhat = "what numbers are generated into";
constexpr const char* kOrder =
    "cuRAND: the numbers are those of the published generators, in the order of NVIDIA's generator on the "
    "CPU "
    "(CUDA 13.0), which its guide says is the GPU's; normal and log-normal ones may differ from a GPU's in "
    "their last digits";
constexpr const char* kReseeded =
    "cuRAND: a Philox generator gets another seed or order after it has generated; where it goes on is not "
    "NVIDIA's order";

// As the program has set it; work that was asked for before keeps what was set then.
struct Generator {
    Settings settings;
    bool on_host = false, seeds_anew = false;
    std::optional<uint64_t> offset;
    void* stream = nullptr;
    std::shared_ptr<std::optional<Sequences>> sequences = std::make_shared<std::optional<Sequences>>();
};

Handles<Generator>& generators() {
    static auto* const kAll = new Handles<Generator>;
    return *kAll;
}

// Another seed or order goes on from the position that was reached; another offset from that.
void bring_up(std::optional<Sequences>& s, Settings settings, std::optional<uint64_t> offset, bool anew) {
    const bool same = s && s->settings.seed == settings.seed && s->settings.legacy == settings.legacy &&
        s->settings.dimensions == settings.dimensions;
    if (same && !offset && !anew) return;
    if (s && !offset && settings.kind == Kind::philox) tell_note(kReseeded);
    settings.offset = offset.value_or(s ? s->position : 0);
    s = started(settings);
}

template <class T, class Make>
int generated(const char* function, const void* handle, T* out, size_t count, Make make) {
    return answered([&] {
        const auto g = generators().at(handle);
        if (count % g->settings.dimensions != 0) return kNotMultiple;
        require_memory(out, static_cast<int64_t>(count), sizeof(T), kWhat);
        if (count == 0) return 0;
        tell_note(kOrder);
        const auto work = [s = g->sequences,
                           settings = g->settings,
                           offset = std::exchange(g->offset, std::nullopt),
                           anew = std::exchange(g->seeds_anew, false),
                           out,
                           count,
                           make] {
            bring_up(*s, settings, offset, anew);
            const std::vector<T> numbers = make(**s, count);
            store(out, numbers.data(), numbers.size() * sizeof(T), kWhat);
        };
        if (!g->on_host) return submit(function, g->stream, When::at_once, work);
        tell_plain(function);
        work();
        return 0;
    });
}

template <class T>
int distributed(
    const char* function, const void* handle, T* out, size_t count, Shape shape, T mean, T deviation
) {
    return answered([&] {
        const auto g = generators().at(handle);
        const Kind kind = g->settings.kind;
        const bool in_pairs = shape != Shape::uniform && kind != Kind::philox && !is_quasi(kind);
        if (in_pairs && count % 2 != 0) return kNotMultiple;
        return generated(function, handle, out, count, [=](Sequences& s, size_t n) {
            if constexpr (std::is_same_v<T, float>)
                return singles(s, n, shape, mean, deviation);
            else
                return doubles(s, n, shape, mean, deviation);
        });
    });
}

constexpr int kDefault = 100, kMtgp32 = 141, kMt19937 = 142, kQuasi = 200, kScrambled = 202,
              kScrambled64 = 204;
constexpr uint32_t kMostOfNvidias = 20000;  // dimensions

int create(Generator** out, int type, bool on_host, const void* caller) {
    return answered([&] {
        Generator* made = nullptr;
        if (!write_value(out, &made, sizeof(Generator*))) return kStatuses.no_handle;
        if (type == kMtgp32 || type == kMt19937 || type == kScrambled || type == kScrambled64)
            refuse(("curandCreateGenerator of type " + std::to_string(type)).c_str(), caller);
        Generator g;
        g.settings.kind = type == kDefault ? Kind::xorwow
            : type == kQuasi               ? Kind::sobol32
                                           : static_cast<Kind>(type);
        const Kind kind = g.settings.kind;
        if (kind != Kind::xorwow && kind != Kind::mrg32k3a && kind != Kind::philox && !is_quasi(kind))
            return kTypeError;
        if (!on_host && !has_device()) return kNoDevice;
        g.on_host = on_host;
        give(out, generators().add(g));
        return 0;
    });
}

}  // namespace
}  // namespace wl::curand

using namespace wl::curand;
using namespace wl::libraries;

extern "C" {

int curandCreateGenerator(Generator** out, int type) {
    return create(out, type, false, __builtin_return_address(0));
}
int curandCreateGeneratorHost(Generator** out, int type) {
    return create(out, type, true, __builtin_return_address(0));
}

int curandDestroyGenerator(const Generator* handle) {
    return answered([&] { return generators().drop(handle) ? 0 : kStatuses.no_handle; });
}

int curandGetVersion(int* version) {
    return answered([&] {
        give(version, kVersion);
        return 0;
    });
}

int curandSetStream(const Generator* handle, void* stream) {
    return answered([&] {
        generators().at(handle)->stream = stream;
        return 0;
    });
}

int curandSetPseudoRandomGeneratorSeed(const Generator* handle, unsigned long long seed) {
    return answered([&] {
        const auto g = generators().at(handle);
        if (is_quasi(g->settings.kind)) return kTypeError;
        g->settings.seed = seed;
        return 0;
    });
}

int curandSetGeneratorOffset(const Generator* handle, unsigned long long offset) {
    return answered([&] {
        generators().at(handle)->offset = offset;
        return 0;
    });
}

int curandSetGeneratorOrdering(const Generator* handle, int order) {
    constexpr int kBest = 100, kPlain = 101, kSeeded = 102, kLegacy = 103, kDynamic = 104, kOfQuasi = 201;
    const void* const caller = __builtin_return_address(0);
    return answered([&] {
        const auto g = generators().at(handle);
        if (is_quasi(g->settings.kind)) {
            require(order == kOfQuasi);
            return 0;
        }
        if ((order == kSeeded && g->settings.kind == Kind::xorwow) || (order == kDynamic && !g->on_host))
            refuse(("curandSetGeneratorOrdering to " + std::to_string(order)).c_str(), caller);
        require(order == kBest || order == kPlain || order == kLegacy);
        g->settings.legacy = order == kLegacy;
        return 0;
    });
}

int curandGenerateSeeds(const Generator* handle) {
    return answered([&] {
        generators().at(handle)->seeds_anew = true;
        return 0;
    });
}

int curandSetQuasiRandomGeneratorDimensions(const Generator* handle, unsigned dimensions) {
    const void* const caller = __builtin_return_address(0);
    return answered([&] {
        const auto g = generators().at(handle);
        if (!is_quasi(g->settings.kind)) return kTypeError;
        require(dimensions >= 1 && dimensions <= kMostOfNvidias);
        if (dimensions > kMostDimensions)
            refuse(("cuRAND of " + std::to_string(dimensions) + " dimensions").c_str(), caller);
        g->settings.dimensions = dimensions;
        return 0;
    });
}

int curandGenerateLongLong(const Generator* handle, uint64_t* out, size_t count) {
    return answered([&] {
        if (generators().at(handle)->settings.kind != Kind::sobol64) return kTypeError;
        return generated("curandGenerateLongLong", handle, out, count, long_bits);
    });
}

int curandGenerate(const Generator* handle, uint32_t* out, size_t count) {
    return answered([&] {
        if (generators().at(handle)->settings.kind == Kind::sobol64) return kTypeError;
        return generated("curandGenerate", handle, out, count, bits);
    });
}
int curandGenerateUniform(const Generator* handle, float* out, size_t count) {
    return distributed("curandGenerateUniform", handle, out, count, Shape::uniform, 0.0F, 1.0F);
}
int curandGenerateUniformDouble(const Generator* handle, double* out, size_t count) {
    return distributed("curandGenerateUniformDouble", handle, out, count, Shape::uniform, 0.0, 1.0);
}
int curandGenerateNormal(const Generator* handle, float* out, size_t count, float mean, float deviation) {
    return distributed("curandGenerateNormal", handle, out, count, Shape::normal, mean, deviation);
}
int curandGenerateNormalDouble(
    const Generator* handle, double* out, size_t count, double mean, double deviation
) {
    return distributed("curandGenerateNormalDouble", handle, out, count, Shape::normal, mean, deviation);
}
int curandGenerateLogNormal(const Generator* handle, float* out, size_t count, float mean, float deviation) {
    return distributed("curandGenerateLogNormal", handle, out, count, Shape::log_normal, mean, deviation);
}
int curandGenerateLogNormalDouble(
    const Generator* handle, double* out, size_t count, double mean, double deviation
) {
    return distributed(
        "curandGenerateLogNormalDouble", handle, out, count, Shape::log_normal, mean, deviation
    );
}
}
