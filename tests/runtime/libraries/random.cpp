// cuRAND's numbers, as hashes and some of them in full; by a word of the command line wrong calls. By another
// word with the generator of the CPU.
#include "device.h"

#include <cstdint>
#include <cstring>
#ifdef WL_HEADERS  // those of a whole toolkit; without them what they declare
#include <curand.h>
#else
struct curandGenerator_st;
using curandGenerator_t = curandGenerator_st*;
enum curandRngType_t {};
enum curandOrdering_t {};
extern "C" {
int curandCreateGenerator(curandGenerator_t*, curandRngType_t);
int curandCreateGeneratorHost(curandGenerator_t*, curandRngType_t);
int curandDestroyGenerator(curandGenerator_t);
int curandSetPseudoRandomGeneratorSeed(curandGenerator_t, unsigned long long);
int curandSetGeneratorOffset(curandGenerator_t, unsigned long long);
int curandSetGeneratorOrdering(curandGenerator_t, curandOrdering_t);
int curandSetQuasiRandomGeneratorDimensions(curandGenerator_t, unsigned);
int curandGenerate(curandGenerator_t, unsigned*, size_t);
int curandGenerateLongLong(curandGenerator_t, unsigned long long*, size_t);
int curandGenerateUniform(curandGenerator_t, float*, size_t);
int curandGenerateUniformDouble(curandGenerator_t, double*, size_t);
int curandGenerateNormal(curandGenerator_t, float*, size_t, float, float);
int curandGenerateNormalDouble(curandGenerator_t, double*, size_t, double, double);
int curandGenerateLogNormal(curandGenerator_t, float*, size_t, float, float);
int curandGeneratePoisson(curandGenerator_t, unsigned*, size_t, double);
}
#endif

namespace {

constexpr size_t kMany = 200000;
bool on_host = false;

curandGenerator_t made(int type, unsigned long long seed) {
    curandGenerator_t out = nullptr;
    const auto of = static_cast<curandRngType_t>(type);
    on_host ? curandCreateGeneratorHost(&out, of) : curandCreateGenerator(&out, of);
    if (seed != 0) curandSetPseudoRandomGeneratorSeed(out, seed);
    return out;
}

// Numbers that `generate` puts into memory of whichever side generates.
template <class T, class Generate>
std::vector<T> numbers(size_t count, Generate generate) {
    if (on_host) {
        std::vector<T> out(count);
        generate(out.data(), count);
        return out;
    }
    const OnDevice<T> out{std::vector<T>(count)};
    generate(out.at, count);
    return out.back();
}

// FNV-1a of their bytes.
template <class T>
void say_hash(const char* what, const std::vector<T>& all) {
    uint64_t hash = 0xcbf29ce484222325;
    const auto* bytes = reinterpret_cast<const unsigned char*>(all.data());
    for (size_t k = 0; k < all.size() * sizeof(T); ++k) hash = (hash ^ bytes[k]) * 0x100000001b3;
    std::printf(" %s %016llx", what, static_cast<unsigned long long>(hash));
}

void hashes(const char* name, int type) {
    std::printf("%s:", name);
    const curandGenerator_t g = made(type, 1234);
    say_hash("bits", numbers<unsigned>(kMany, [&](unsigned* at, size_t n) { curandGenerate(g, at, n); }));
    say_hash("single", numbers<float>(30001, [&](float* at, size_t n) { curandGenerateUniform(g, at, n); }));
    say_hash("double", numbers<double>(kMany, [&](double* at, size_t n) {
                 curandGenerateUniformDouble(g, at, n);
             }));
    curandSetGeneratorOrdering(g, static_cast<curandOrdering_t>(103));
    curandSetGeneratorOffset(g, 1234567890123ULL);
    say_hash("legacy", numbers<unsigned>(kMany, [&](unsigned* at, size_t n) { curandGenerate(g, at, n); }));
    std::printf("\n");
    curandDestroyGenerator(g);
}

// The last of many, of which the library of mathematics decides the last digits.
void normals(const char* name, int type) {
    const curandGenerator_t g = made(type, 99);
    const auto single =
        numbers<float>(kMany, [&](float* at, size_t n) { curandGenerateNormal(g, at, n, 1, 2); });
    const auto twice =
        numbers<double>(kMany, [&](double* at, size_t n) { curandGenerateNormalDouble(g, at, n, 1, 2); });
    const auto log =
        numbers<float>(kMany, [&](float* at, size_t n) { curandGenerateLogNormal(g, at, n, 0, 1); });
    std::printf(
        "%s: normal %.4f %.4f, in FP64 %.9f %.9f, log-normal %.4f\n",
        name,
        double(single[kMany - 2]),
        double(single[kMany - 1]),
        twice[kMany - 2],
        twice[kMany - 1],
        double(log[kMany - 1])
    );
    curandDestroyGenerator(g);
}

// What the generators' authors published for their first states.
void published() {
    const curandGenerator_t philox = made(161, 0), mrg = made(121, 0);
    const auto bits = numbers<unsigned>(4, [&](unsigned* at, size_t n) { curandGenerate(philox, at, n); });
    const auto first =
        numbers<double>(1, [&](double* at, size_t n) { curandGenerateUniformDouble(mrg, at, n); });
    std::printf("published: %08x %08x %08x %08x, %.10f\n", bits[0], bits[1], bits[2], bits[3], first[0]);
    curandDestroyGenerator(philox), curandDestroyGenerator(mrg);
}

// Sobol's, of all dimensions that there are, in two parts and from an offset on.
void quasi(const char* name, int type) {
    constexpr unsigned kDimensions = 101;
    constexpr size_t kEach = 500, kAll = kDimensions * kEach;
    std::printf("%s:", name);
    const curandGenerator_t g = made(type, 0);
    curandSetQuasiRandomGeneratorDimensions(g, kDimensions);
    for (int part = 0; part < 2; ++part)
        if (type == 201)
            say_hash("bits", numbers<unsigned>(kAll, [&](unsigned* at, size_t n) {
                         curandGenerate(g, at, n);
                     }));
        else
            say_hash("bits", numbers<unsigned long long>(kAll, [&](unsigned long long* at, size_t n) {
                         curandGenerateLongLong(g, at, n);
                     }));
    say_hash("single", numbers<float>(kAll, [&](float* at, size_t n) { curandGenerateUniform(g, at, n); }));
    curandSetGeneratorOffset(g, 4000000001ULL);
    say_hash("double", numbers<double>(kAll, [&](double* at, size_t n) {
                 curandGenerateUniformDouble(g, at, n);
             }));
    curandDestroyGenerator(g);
    const curandGenerator_t plain = made(type, 0);  // one dimension
    const auto single =
        numbers<float>(7, [&](float* at, size_t n) { curandGenerateNormal(plain, at, n, 1, 2); });
    const auto twice =
        numbers<double>(7, [&](double* at, size_t n) { curandGenerateNormalDouble(plain, at, n, 1, 2); });
    std::printf(
        " normal %.4f %.4f %.4f, in FP64 %.9f %.9f\n",
        double(single[0]),
        double(single[4]),
        double(single[6]),
        twice[0],
        twice[6]
    );
    curandDestroyGenerator(plain);
}

void right() {
    published();
    hashes("XORWOW", 101), hashes("MRG32k3a", 121), hashes("Philox", 161);
    normals("XORWOW", 101), normals("MRG32k3a", 121), normals("Philox", 161);
    quasi("Sobol", 201), quasi("Sobol of 64 bits", 203);
}

int created(int type) {
    curandGenerator_t out = nullptr;
    const int status = int(curandCreateGenerator(&out, static_cast<curandRngType_t>(type)));
    if (out != nullptr) curandDestroyGenerator(out);
    return status;
}

void wrong() {
    const curandGenerator_t g = made(100, 1);
    const OnDevice<unsigned> some{std::vector<unsigned>(8)};
    const OnDevice<float> few{std::vector<float>(8)};
    const auto none = static_cast<curandGenerator_t>(wild());
    say("as it should be", int(curandGenerate(g, some.at, 8)));
    say("nothing", int(curandGenerate(g, some.at, 0)));
    say("no generator of that number", created(5));
    say("MT19937", created(142));
    say("scrambled Sobol", created(202));
    const curandGenerator_t sobol = made(201, 0);
    say("a seed for Sobol", int(curandSetPseudoRandomGeneratorSeed(sobol, 1)));
    say("no dimension", int(curandSetQuasiRandomGeneratorDimensions(sobol, 0)));
    say("20,000 dimensions", int(curandSetQuasiRandomGeneratorDimensions(sobol, 20000)));
    curandSetQuasiRandomGeneratorDimensions(sobol, 3);
    say("8 numbers in 3 dimensions", int(curandGenerate(sobol, some.at, 8)));
    say("dimensions of XORWOW", int(curandSetQuasiRandomGeneratorDimensions(g, 1)));
    say("an odd number of pairs", int(curandGenerateNormal(g, few.at, 7, 0, 1)));
    say("more than there is room", int(curandGenerate(g, some.at, 9)));
    say("far more", int(curandGenerate(g, some.at, SIZE_MAX)));
    say("a wild address", int(curandGenerate(g, static_cast<unsigned*>(wild()), 8)));
    say("freed memory", int(curandGenerate(g, static_cast<unsigned*>(freed()), 8)));
    say("nowhere", int(curandGenerate(g, nullptr, 8)));
    say("no order of that number", int(curandSetGeneratorOrdering(g, static_cast<curandOrdering_t>(7))));
    say("a wild generator", int(curandGenerate(none, some.at, 8)));
    say("nowhere to put it", int(curandCreateGenerator(nullptr, static_cast<curandRngType_t>(100))));
    say("not there", int(curandGeneratePoisson(g, some.at, 8, 3)));
    say("twice destroyed", int(curandDestroyGenerator(g)) + int(curandDestroyGenerator(g)));
}

}  // namespace

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "";
    on_host = std::strcmp(what, "host") == 0;
    std::strcmp(what, "wrong") == 0 ? wrong() : right();
    return 0;
}
