// The search for a change that mends: what it names in a kernel that no rule knows, and what it says in vain.
#include "tests/support/program.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

std::string kernel() { return source_path("tests/kernels/search/centre.toml"); }

// Long enough on a busy machine: the search ends with its first proof.
json searched(const std::string& fault, const char* seconds = "300") {
    std::vector<std::string> words = {"diagnose", kernel(), "--search", seconds, "--json"};
    if (!fault.empty()) words.insert(words.end(), {"--fault", fault});
    return json::parse(warplens(words).out, nullptr, false);
}

struct Fault {
    const char *name, *line, *rule, *title;
};

struct Search : testing::TestWithParam<Fault> {};

TEST_P(Search, NamesTheLineAndTheChange) {
    const Fault& fault = GetParam();
    const json answer = searched(fault.name);
    ASSERT_EQ(answer.at("verdict"), "findings");
    const json& first = answer.at("findings")[0];
    const std::string at =
        first.at("where").value("file", "") + ":" + std::to_string(first.at("where").value("line", 0));
    EXPECT_EQ(at, source_place("tests/kernels/search/centre.cu", fault.line));
    EXPECT_EQ(first.at("rule"), fault.rule);
    EXPECT_EQ(first.at("title"), fault.title);
    EXPECT_EQ(first.at("proven"), true);
    const std::string proof = first.at("proof");
    EXPECT_NE(proof.find("with 6 other seeds"), std::string::npos) << proof;
    EXPECT_NE(proof.find("0 of 900"), std::string::npos) << "all blocks: " << proof;
    for (size_t k = 1; k < answer.at("findings").size(); ++k)
        EXPECT_EQ(answer.at("findings")[k].at("caused_by"), 0) << "gone with the change";
}

INSTANTIATE_TEST_SUITE_P(
    Centre,
    Search,
    testing::Values(
        Fault{"axis", "row = blockIdx.y", "wrong_index", "`y` should be `x`"},
        Fault{"index", "x[row * rows + c]", "wrong_index", "`rows` should be `cols`"},
        Fault{"lost", "        sum = x[row", "partial_reduction", "`=` should be `+=`"},
        Fault{"last", "step > 1", "boundary_off_by_one", "`>` should be `>=`"},
        Fault{"half", "step = 16", "wrong_initial_value", "`16` should be `32`"},
        Fault{"sign", "+ mean) * scale", "wrong_operation", "`+` should be `-`"}
    ),
    [](const auto& each) { return std::string(each.param.name); }
);

TEST(Search, ARightKernelIsNotSearched) {
    const json clean = searched("");
    EXPECT_EQ(clean.at("verdict"), "ok");
    EXPECT_TRUE(clean.at("findings").empty());
}

TEST(Search, WhatNoSmallChangeMendsIsSaidAndNothingIsClaimed) {
    const json answer = searched("two", "2");
    const json& first = answer.at("findings")[0];
    EXPECT_EQ(first.at("rule"), "values_differ");
    EXPECT_EQ(first.at("proven"), false);
    const std::string said = first.at("explanation");
    EXPECT_NE(said.find("small changes of the program"), std::string::npos) << said;
    EXPECT_NE(said.find("none mends it"), std::string::npos) << said;
}

// Neither loop's begin mends anything alone.
TEST(Search, WhatTakesTwoPlacesIsToldWithBoth) {
    const json first = searched("twice").at("findings")[0];
    EXPECT_EQ(first.at("proven"), true) << first.dump(1);
    for (const auto& [place, comment] : {std::pair("where", "// summed"), std::pair("other", "// written")}) {
        const std::string line = source_place("tests/kernels/search/centre.cu", comment);
        EXPECT_EQ(std::to_string(first.at(place).value("line", 0)), line.substr(line.rfind(':') + 1))
            << first.dump(1);
    }
    EXPECT_NE(first.value("title", "").find(", and at line"), std::string::npos) << first.dump(1);
    EXPECT_NE(first.value("proof", "").find("of all blocks 0 of 900"), std::string::npos) << first.dump(1);
}

// What the kernel takes is a struct of its own, and groups of CUDA's library count its threads.
TEST(Search, MembersOfAStructAreVariablesLikeOthers) {
    const std::string rows = source_path("tests/kernels/search/rows.toml");
    const auto first = [&](const std::string& fault) {
        return json::parse(
                   warplens({"diagnose", rows, "--search", "300", "--fault", fault, "--json"}).out,
                   nullptr,
                   false
        )
            .at("findings")
            .at(0);
    };
    const json pitch = first("pitch"), shift = first("shift");
    EXPECT_EQ(pitch.at("title"), "`r.columns` should be `r.pitch`");
    EXPECT_EQ(pitch.at("proven"), true);
    EXPECT_EQ(shift.at("title"), "`r.scale` should be `shift`") << "of a template's type";
    EXPECT_NE(warplens({"diagnose", rows}).out.find("ok: no findings"), std::string::npos);
}

TEST(Search, AFactorThatIsMissingIsFoundWhereItCanStand) {
    const json answer = searched("scale"), first = answer.at("findings").at(0);
    EXPECT_EQ(first.at("rule"), "missing_rescale");
    EXPECT_EQ(first.at("proven"), true);
    EXPECT_NE(answer.value("patch", "").find("* scale"), std::string::npos) << first.dump(1);
}

// A number that stands nowhere else is solved for; a table that nobody reads, and what one says, are at hand.
TEST(Search, WhatNoListHoldsIsSolvedForOrAtHand) {
    const std::string lbm = source_path("tests/kernels/gallery/solvers/lbm.toml");
    const auto first = [&](const std::string& fault) {
        return json::parse(warplens({"diagnose", lbm, "--search", "300", "--fault", fault, "--json"}).out)
            .at("findings")
            .at(0);
    };
    for (const auto& [fault, title] :
         {std::pair("square", "`3.0f` should be `4.5f`"),
          std::pair("bounce", "`q` should be `kOpposite[q]`"),
          std::pair("solid", "`if (!solid[cell])` is missing")}) {
        const json said = first(fault);
        EXPECT_EQ(said.at("title"), title);
        EXPECT_EQ(said.at("proven"), true) << said.dump(1);
    }
    EXPECT_NE(warplens({"diagnose", lbm}).out.find("ok: no findings"), std::string::npos);
}

// With no pivots exchanged the results are right as well: that goes around the exchange, and is no cause.
TEST(Search, WhatMendsByLeavingLinesOutIsNotNamed) {
    const std::string path = source_path("tests/kernels/search/gauss_jordan.toml");
    const json said =
        json::parse(warplens({"diagnose", path, "--fault", "half", "--search", "300", "--json"}).out);
    EXPECT_EQ(said.at("findings").at(0).at("title"), "`kOrder` should be `kWide`") << said.dump(1);
    EXPECT_NE(warplens({"diagnose", path}).out.find("ok: no findings"), std::string::npos);
}

// An access outside of its memory is mended where it is let in: by a condition around it, or around its
// `else`; a race that comes with it does not end the search.
TEST(Search, OfAnAccessOutsideItsMemoryTheConditionIsTold) {
    const auto first_of = [](const std::string& kernel, const std::string& fault) {
        const std::string path = source_path("tests/kernels/gallery/" + kernel + ".toml");
        return json::parse(warplens({"diagnose", path, "--fault", fault, "--search", "300", "--json"}).out
        )["findings"]
            .at(0);
    };
    const json fold = first_of("orders/reduce", "fold"), edge = first_of("solvers/edit_distance", "edge");
    EXPECT_EQ(fold.value("title", ""), "`<=` should be `<`");
    EXPECT_EQ(fold.value("proven", false), true);
    EXPECT_EQ(edge.value("title", ""), "`i == 0` should be `i == 0 || j == 0`");
    EXPECT_EQ(edge.value("proven", false), true);
}

// A wait that ends the race with a copy is no proof while the values stay wrong.
TEST(Search, OfACopyThatIsReadTooEarlyTheWaitIsProvenOrTheBufferIs) {
    const std::string ring = source_path("tests/kernels/search/ring.toml");
    const auto first = [&](const char* fault) {
        return json::parse(warplens({"diagnose", ring, "--search", "300", "--json", "--fault", fault}).out)
            .at("findings")
            .at(0);
    };
    const auto line = [](const json& finding) {
        return finding.at("where").value("file", "") + ":" +
            std::to_string(finding.at("where").value("line", 0));
    };
    const json wait = first("wait"), buffer = first("buffer"), zero = first("first");
    EXPECT_EQ(wait.at("rule"), "async_copy_wait");
    EXPECT_EQ(wait.at("proven"), true);
    EXPECT_EQ(line(wait), source_place("tests/kernels/search/ring.cu", "__pipeline_wait_prior(2)"));
    for (const json& finding : {buffer, zero}) {
        EXPECT_NE(finding.at("rule"), "async_copy_wait") << finding.dump(1);
        EXPECT_EQ(finding.at("proven"), true) << finding.dump(1);
    }
    EXPECT_EQ(line(buffer), source_place("tests/kernels/search/ring.cu", "* tile = stage[(step + 1) % 2]"));
    EXPECT_EQ(line(zero), source_place("tests/kernels/search/ring.cu", "* tile = stage[0]"));
    EXPECT_EQ(json::parse(warplens({"diagnose", ring, "--json"}).out).at("verdict"), "ok");
}

TEST(Search, AVariableWithoutAValueIsToldWhereItIsDeclared) {
    for (const char* seconds : {"0", "300"}) {
        const Said said = warplens(
            {"diagnose",
             source_path("tests/kernels/search/ring.toml"),
             "--fault",
             "unset",
             "--json",
             "--search",
             seconds}
        );
        const json first = json::parse(said.out).at("findings").at(0);
        const std::string rule = first.at("rule");
        EXPECT_TRUE(rule == "uninitialised" || rule == "wrong_initial_value") << first.dump(1);
        const std::string line = source_place("tests/kernels/search/ring.cu", "float sum;");
        EXPECT_EQ(first.at("where").at("line"), std::stoi(line.substr(line.rfind(':') + 1))) << first.dump(1);
    }
}

json gallery_fault(const std::string& kernel, const std::string& fault) {
    std::vector<std::string> words = {
        "diagnose", source_path("tests/kernels/gallery/" + kernel + ".toml"), "--search", "60", "--json"};
    if (!fault.empty()) words.insert(words.end(), {"--fault", fault});
    return json::parse(warplens(words).out, nullptr, false);
}

// A race is noticed where the bytes are read again; the barrier is missing at the head of the loop between.
TEST(Search, OfARaceTheFirstPlaceThatMendsItIsTold) {
    const json first = gallery_fault("orders/reduce", "sync").at("findings").at(0);
    EXPECT_EQ(first.at("rule"), "race_shared");
    EXPECT_EQ(first.at("proven"), true);
    const std::string place = source_place("tests/kernels/gallery/orders/reduce.cu", "        if (t < half)");
    EXPECT_EQ(
        std::to_string(first.at("evidence").value("barrier_line", 0)), place.substr(place.rfind(':') + 1)
    ) << first.dump(1);
    EXPECT_NE(first.value("explanation", "").find("with `__syncthreads();` put in there"), std::string::npos);
    EXPECT_EQ(gallery_fault("orders/reduce", "").at("verdict"), "ok");
}

// Zero by chance where little is optimised, and NaN where more is.
TEST(Search, AFirstValueIsFoundWhereOnlyTheOptimisedBuildIsWrong) {
    const json first = gallery_fault("models/moe_top_k", "total").at("findings").at(0);
    EXPECT_EQ(first.at("rule"), "wrong_initial_value");
    EXPECT_EQ(first.at("title"), "`= 0.0f` is missing");
    EXPECT_EQ(first.at("proven"), true);
    EXPECT_EQ(gallery_fault("models/moe_top_k", "").at("verdict"), "ok");
}

// The program is mended where the fragment is loaded, the source where its type is written.
TEST(Search, AFragmentsLayoutIsToldWhereItIsDeclared) {
    const json first = gallery_fault("products/gemm_wmma", "layout").at("findings").at(0);
    EXPECT_EQ(first.at("rule"), "permuted_operand");
    EXPECT_EQ(first.at("proven"), true);
    const std::string place =
        source_place("tests/kernels/gallery/products/gemm_wmma.cu", "half, wmma::col_major> fb;");
    EXPECT_EQ(std::to_string(first.at("where").value("line", 0)), place.substr(place.rfind(':') + 1))
        << first.dump(1);
}

TEST(Search, WithoutASourceOrLinesThePtxIsSearched) {
    const json answer =
        json::parse(warplens({"diagnose", source_path("tests/kernels/search/added.toml"), "--json"}).out);
    const json& first = answer.at("findings")[0];
    EXPECT_EQ(first.at("proven"), true) << answer.dump(1);
    EXPECT_EQ(first.at("title"), "`+` should be `-`");
    EXPECT_TRUE(first.at("where").value("file", "").ends_with("added.ptx")) << first.dump(1);
    EXPECT_GT(first.at("where").value("line", 0), 0);
}

TEST(Search, IsNotMadeWhereItIsForbidden) {
    const Said said = warplens({"diagnose", kernel(), "--fault", "sign", "--search", "0", "--json"});
    EXPECT_EQ(json::parse(said.out).at("findings")[0].at("rule"), "values_differ");
}

// ---- hints

// What a difference for a sum makes right: all elements but one of `every`, of all inputs or of the seed's
// own.
std::string explanation_where(int every, const std::string& inputs) {
    const TemporaryFolder folder;
    write_file(
        folder.path + "/k.cu", R"(extern "C" __global__ void k(const float* a, const float* b, float* c) {
    const int i = threadIdx.x;
    c[i] = a[i] + b[i];
})"
    );
    write_file(folder.path + "/k.toml", R"(args = [
  { name = "a", dtype = "f32", shape = [256], fill = "normal" },
  { name = "b", dtype = "f32", shape = [256], fill = "normal" },
  { name = "c", dtype = "f32", shape = [256], output = true },
]
[launch]
grid = [1]
block = [256]
[reference]
python = "k.py"
)");
    write_file(
        folder.path + "/k.py",
        "import numpy as np\ndef reference(inputs, params):\n    a, b, i = inputs['a'], inputs['b'], "
        "np.arange(256)\n    c = a - b if " +
            inputs + " else a * b\n    return {'c': np.where(i % " + std::to_string(every) +
            " == 0, np.sin(i * i * 0.37) * 50 + 60, c)}\n"
    );
    const Said said = warplens({"diagnose", folder.path + "/k.toml", "--search", "300", "--json"});
    return json::parse(said.out).at("findings").at(0).at("explanation");
}

TEST(Hint, IsGivenWhereNearlyAllComesRightWithOtherDataToo) {
    const std::string hint = "With `-` in place of `+`";
    EXPECT_NE(explanation_where(16, "True").find(hint), std::string::npos);
    EXPECT_EQ(explanation_where(4, "True").find(hint), std::string::npos) << "too few";
    EXPECT_EQ(explanation_where(16, "a[7] < -1.05").find(hint), std::string::npos) << "of this seed alone";
}

// ---- another shape

// The kernel with a number for its length, and a manifest that names a second length.
struct OtherShape : testing::Test {
    TemporaryFolder folder;
    std::string toml = folder.path + "/centre.toml", line;

    OtherShape() {
        for (const char* name : {"centre.cu", "centre.toml", "centre.py"})
            write_file(
                folder.path + "/" + name, read_file(source_path(std::string("tests/kernels/search/") + name))
            );
        write_file(toml, read_file(toml) + "\n[presets.short]\nROWS = 3\nCOLS = 100\n");
        line = std::to_string(divide_by("cols", "7"));
    }
    // Puts one divisor of the sum in another's place; the line.
    long divide_by(const std::string& was, const std::string& now) const {
        std::string source = read_file(folder.path + "/centre.cu");
        const std::string divided = "part[0] / " + was + ";";
        const size_t at = source.find(divided);
        const long above = std::count(source.begin(), source.begin() + static_cast<long>(at), '\n');
        write_file(folder.path + "/centre.cu", source.replace(at, divided.size(), "part[0] / " + now + ";"));
        return above + 1;
    }
    json first(std::vector<std::string> words) const {
        words.insert(words.begin(), {"diagnose", toml, "--json"});
        return json::parse(warplens(words).out).at("findings").at(0);
    }
};

TEST_F(OtherShape, WhatMendsBothSaysSoInItsProof) {
    const json found = first({"--search", "300"});
    EXPECT_EQ(found.at("title"), "`7` should be `cols`");
    EXPECT_NE(found.value("proof", "").find("; with preset short 0 of 300"), std::string::npos)
        << found.dump(1);
}

TEST_F(OtherShape, WhatItRefutesIsPutBehind) {
    divide_by("7", "149");
    const json found = first({"--search", "300"});
    EXPECT_EQ(
        found.at("title"), "`149` should be `cols`"
    );  // not 150, which is nearer and mends a row of 150
}

TEST_F(OtherShape, AnIdeaThatMendsOneIsSaidToBeHardlyMeant) {
    const json found = first({"--search", "0", "--try", line + ": 7 -> 150"});
    const std::string said = found.at("explanation");
    EXPECT_NE(said.find("with preset short 300 of 300 elements are outside"), std::string::npos) << said;
    EXPECT_NE(said.find("hardly what is meant"), std::string::npos) << said;
    const json right = first({"--search", "0", "--try", line + ": 7 -> cols"});
    EXPECT_EQ(right.value("explanation", "").find("hardly"), std::string::npos) << right.dump(1);
    EXPECT_NE(right.value("proof", "").find("; with preset short 0 of 300"), std::string::npos)
        << right.dump(1);
}

}  // namespace
}  // namespace wl::test
