// Wrong calls of CUDA's APIs under `warplens run --`: the table of tests/runtime/wild/, whose answers of a
// GPU are in docs/measured. Skipped where there is no nvcc.
#include "tests/runtime/compiled.h"

#include <array>
#include <cstdio>
#include <elf.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace wl::test {
namespace {

// Where the stand-in answers something else, and why.
const std::map<std::string, std::string> kOther = {
    {"cudaMemcpy from a page that ends",       "the driver had mapped something behind that page"         },
    {"cudaMemcpy2D pitch of all bytes",        "rows that go backwards: a driver's sum of addresses wraps"},
    {"cudaMemset all bytes",                   "a driver takes the number for one that is smaller"        },
    {"cuMemsetD32 all",                        "a driver takes the number for one that is smaller"        },
    {"cuLaunchKernel both kinds of arguments", "a driver reads nothing where a launch has no parameters"  },
    {"cuLaunchKernel a buffer that is short",  "a driver reads what lies behind the buffer"               },
    {"cuLibraryLoadData nonsense",             "a driver reads a library when something of it is used"    },
    {"cuLinkComplete nothing added",           "nothing that could be run comes of it"                    },
    {"cudaDeviceSetMemPool destroyed",         "a driver keeps a pool whose handle is gone"               },
    {"cudaEventDestroy of malloc",             "what such memory is taken for is no answer"               },
    {"grain of cudaMalloc",                    "what lies between allocations shows reads over the end"   },
    {"grain of cudaMallocAsync",               "likewise"                                                 },
    {"grain of cudaMallocHost",                "likewise"                                                 },
    {"grain of cudaMallocManaged",             "likewise"                                                 },
    {"grain of cudaMallocHost, pages",         "likewise"                                                 },
    {"grain of cudaMallocManaged, pages",      "likewise"                                                 }
};

// A row's name may hold ": ", an answer never does.
std::map<std::string, std::string> rows_of(const std::string& text) {
    std::map<std::string, std::string> out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (const size_t at = line.rfind(": "); at != std::string::npos)
            out[line.substr(0, at)] = line.substr(at + 2);
    return out;
}

struct WildCalls : testing::Test {
    TemporaryFolder folder;

    void SetUp() override {
        const size_t rows = std::hash<std::string>()(read_file(WL_WILD_ROWS));  // what is kept is of these
        const std::string linked = fmt::format(
            "{} -std=c++17 -DROWS={} -Xlinker --whole-archive,{},--no-whole-archive {}",
            kAsPtx,
            rows,
            WL_WILD_ROWS,
            WL_DRIVER_STUB
        );
        if (!compiled(folder.path, "wild_calls", linked))
            GTEST_SKIP() << "no nvcc: " << read_file(folder.path + "/said");
    }
};

TEST_F(WildCalls, AreAnsweredAsByADriver) {
    const auto measured = nlohmann::json::parse(read_file(source_path("docs/measured/wild-calls-h100.json")));
    const Said said = warplens({"run", "--", folder.path + "/wild_calls", "--jobs", "4"});
    const std::map<std::string, std::string> answers = rows_of(said.out);
    EXPECT_EQ(answers.size(), measured.at("answers").size());
    EXPECT_GT(answers.size(), 900u);
    for (const auto& [row, expected] : measured.at("answers").items()) {
        const auto found = answers.find(row);
        ASSERT_NE(found, answers.end()) << row;
        EXPECT_FALSE(has(found->second, "signal") || has(found->second, "hang"))
            << row << ": " << found->second;
        const bool died = has(expected.get<std::string>(), "signal");
        if (kOther.contains(row)) {
            EXPECT_NE(found->second, expected.get<std::string>()) << row << " is no exception";
        } else if (!died) {
            EXPECT_EQ(found->second, expected.get<std::string>()) << row;
        }
    }
}

// Some of them; `./dev fuzz calls` goes on.
TEST(StandIn, CallsAtRandomGetErrors) {
    std::FILE* program = popen(WL_RANDOM_CALLS " --first 1 --count 20", "r");
    ASSERT_NE(program, nullptr);
    std::string said;
    std::array<char, 4096> part;
    while (const size_t n = std::fread(part.data(), 1, part.size(), program)) said.append(part.data(), n);
    EXPECT_EQ(pclose(program), 0) << said;
    EXPECT_TRUE(has(said, "800 calls of ")) << said;
}

// Functions that a library exports, with what their first bytes are.
std::map<std::string, std::array<unsigned char, 2>> exported(const std::string& path) {
    const std::string bytes = read_file(path);
    const auto* header = reinterpret_cast<const Elf64_Ehdr*>(bytes.data());
    const auto* sections = reinterpret_cast<const Elf64_Shdr*>(bytes.data() + header->e_shoff);
    std::map<std::string, std::array<unsigned char, 2>> out;
    for (int k = 0; k < header->e_shnum; ++k) {
        if (sections[k].sh_type != SHT_DYNSYM) continue;
        const char* names = bytes.data() + sections[sections[k].sh_link].sh_offset;
        const auto* all = reinterpret_cast<const Elf64_Sym*>(bytes.data() + sections[k].sh_offset);
        for (size_t s = 0; s < sections[k].sh_size / sizeof *all; ++s) {
            if (all[s].st_shndx == SHN_UNDEF || ELF64_ST_TYPE(all[s].st_info) != STT_FUNC) continue;
            const Elf64_Shdr& code = sections[all[s].st_shndx];
            const char* at = bytes.data() + code.sh_offset + (all[s].st_value - code.sh_addr);
            out[names + all[s].st_name] = {
                static_cast<unsigned char>(at[0]), static_cast<unsigned char>(at[1])};
        }
    }
    return out;
}

std::set<std::string> names_in(const std::string& list) {
    std::set<std::string> out;
    std::istringstream lines(read_file(source_path(list)));
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("WL_NAME(")) out.insert(line.substr(8, line.find_first_of(",)", 8) - 8));
    return out;
}

// A jump through a pointer, ff 25: the entry (shim/guard/entries.h), behind which arguments and exceptions
// are looked after.
TEST(StandIn, EveryExportedFunctionIsAnEntry) {
    const auto functions = exported(WL_STAND_IN);
    std::set<std::string> expected = {
        "__cudaSubmitWork",
        "__cudaDoWork",
        "__cudaCopyMemory",
        "__cudaFindMemory",
        "__cudaTellMissing",
        "__cudaTellPlain",
        "__cudaTellNote"};
    for (const char* list : {"shim/cudart/names.inc", "shim/cuda/names.inc", "shim/cuda/nvjitlink.inc"})
        expected.merge(names_in(list));
    std::set<std::string> there;
    for (const auto& [name, begin] : functions) {
        there.insert(name);
        EXPECT_TRUE(begin[0] == 0xff && begin[1] == 0x25) << name << " is exported without its guard";
    }
    EXPECT_EQ(there, expected);
}

}  // namespace
}  // namespace wl::test
