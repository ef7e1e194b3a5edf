// The emulated kernels against PyTorch's own outputs, statistics and inputs, measured on an H200
// (tests/golden/README.md).
#include "instrumentation/analysis/diff.h"
#include "instrumentation/base/tensor.h"
#include "instrumentation/diagnosis/run.h"
#include "instrumentation/manifest/python.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace wl::diagnosis {
namespace {

struct Golden {
    const char* file;
    const char *heads, *sequence, *dim;
};
constexpr Golden kGolden[] = {
    {"attention_b1_h1_s96_d64",   "1", "96",  "64" },
    {"attention_b1_h2_s128_d64",  "2", "128", "64" },
    {"attention_b1_h2_s128_d128", "2", "128", "128"}
};

const Tensor& named(const std::vector<Tensor>& tensors, const std::string& name) {
    return *std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& t) { return t.name == name; });
}

// NaN where any element, or the number of elements, has nothing to be compared with.
double largest_difference(const std::vector<double>& got, const Tensor& want) {
    if (static_cast<int64_t>(got.size()) != elements(want.shape)) return NAN;
    double worst = 0;
    for (size_t i = 0; i < got.size(); ++i) {
        const double difference = std::fabs(got[i] - at(want, static_cast<int64_t>(i)));
        if (std::isnan(difference)) return NAN;
        worst = std::max(worst, difference);
    }
    return worst;
}

// Every last l (or m) of the launch in the order of (head, query row): from the last tile of each recorded
// block.
std::vector<double> last_statistics(
    const capture::Capture& c, const std::string& name, int heads, int sequence
) {
    std::vector<double> out(static_cast<size_t>(heads * sequence), NAN);
    for (const capture::Tile& t : c.tiles) {  // in kernel time: the last one stays
        if (c.probes[static_cast<size_t>(t.probe)].name != name) continue;
        const Dim3 block = from_linear(static_cast<uint64_t>(t.block), c.launch.grid);
        const analysis::TileData data = analysis::load_tile(c, t);
        for (int row = 0; row < t.rows; ++row) {
            const int query = static_cast<int>(block.x) * t.rows + row;
            if (query < sequence)
                out[static_cast<size_t>(static_cast<int>(block.y) * sequence + query)] = data.got(row, 0);
        }
    }
    return out;
}

void check(const char* kernel, const Golden& g, bool causal) {
    SCOPED_TRACE(std::string(kernel) + " " + g.file + (causal ? " causal" : ""));
    const std::string folder = std::string(WL_SOURCE_DIR) + "/tests/golden/", file = folder + g.file + ".npz";
    manifest::BindOptions b;
    b.set = {
        {"B",      "1"               },
        {"H",      g.heads           },
        {"S",      g.sequence        },
        {"D",      g.dim             },
        {"CAUSAL", causal ? "1" : "0"}
    };
    b.inputs = file;
    Options options;
    const manifest::Problem problem = manifest::bind(manifest::load(manifest::resolve(kernel)), b);
    for (int64_t block = 0; block < static_cast<int64_t>(count(manifest::launch_of(problem).grid)); ++block)
        options.record.push_back(block);
    const capture::Capture c = run(problem, options);
    EXPECT_EQ(c.verdict, "ok");
    const std::vector<Tensor> golden = manifest::read_npz(file);
    const std::string suffix = causal ? "_causal1" : "_causal0";
    const std::vector<double> o =
        analysis::load_tile(c, c.tiles[static_cast<size_t>(c.outputs.at(0).tile)]).got.data;
    EXPECT_LE(largest_difference(o, named(golden, "o_sdpa_flash" + suffix)), 1e-3);
    EXPECT_LE(largest_difference(o, named(golden, "o64" + suffix)), 1e-3);
    // m and l of the last KV tile are the softmax statistics of the whole row: FP32 sums of at most 128 terms
    // in (0, 1].
    const int heads = std::stoi(g.heads), sequence = std::stoi(g.sequence);
    EXPECT_LE(
        largest_difference(last_statistics(c, "m", heads, sequence), named(golden, "m" + suffix)), 1e-4
    );
    EXPECT_LE(
        largest_difference(last_statistics(c, "l", heads, sequence), named(golden, "l" + suffix)), 1e-3
    );
}

TEST(Golden, AnElementThatIsNoNumberIsNoMatch) {
    const Tensor two{"two", DType::f64, {2}, std::vector<std::byte>(16)};  // zeros
    EXPECT_EQ(largest_difference({0, 0.5}, two), 0.5);
    EXPECT_TRUE(std::isnan(largest_difference({0, NAN}, two)));
    EXPECT_TRUE(std::isnan(largest_difference({NAN, 0}, two)));
    EXPECT_TRUE(std::isnan(largest_difference({0}, two)));
}

TEST(Golden, V2bMatchesPyTorchInOutputsAndStatistics) {
    for (const Golden& g : kGolden) {
        for (const bool causal : {false, true}) check("v2b", g, causal);
    }
}

TEST(Golden, V2c3MatchesPyTorchInOutputsAndStatistics) {
    for (const Golden& g : kGolden) {
        for (const bool causal : {false, true}) check("v2c_3", g, causal);
    }
}

}  // namespace
}  // namespace wl::diagnosis
