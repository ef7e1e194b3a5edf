// Bad situations that people come into, each answered by one sentence that says what is wrong and what to do,
// and by the right exit status.
#include "tests/support/program.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>

namespace wl::test {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

// A kernel that is in order, with everything that a situation may spoil.
struct Bench {
    TemporaryFolder folder;
    Bench() {
        put("k.cu",
            "__global__ void k(const float* x, float* y, int n) {\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (i < n) y[i] = 2 * x[i];\n"
            "}\n");
        put("k.py", "def reference(inputs, params):\n    return {\"y\": 2 * inputs[\"x\"]}\n");
        put("k.toml", manifest());
    }
    static std::string manifest() {
        return "args = [\n"
               "  { name = \"x\", dtype = \"float\", shape = [\"N\"], fill = \"normal\" },\n"
               "  { name = \"y\", dtype = \"float\", shape = [\"N\"], output = true },\n"
               "  { name = \"n\", dtype = \"int\", value = \"N\" },\n"
               "]\n"
               "[params]\n"
               "N = 96\n"
               "[launch]\n"
               "grid = [\"ceil_div(N, 32)\"]\n"
               "block = [32]\n"
               "[reference]\n"
               "python = \"k.py\"\n"
               "[output.y]\n"
               "terms = 1\n"
               "[presets.small]\n"
               "N = 32\n"
               "[fault.off]\n"
               "about = \"nothing\"\n";
    }
    std::string at(const std::string& name) const { return folder.path + "/" + name; }
    void put(const std::string& name, const std::string& text) const { write_file(at(name), text); }
    void edit(const std::string& from, const std::string& to) const {
        std::string text = manifest();
        const size_t begin = text.find(from);
        ASSERT_NE(begin, std::string::npos) << from;
        put("k.toml", text.replace(begin, from.size(), to));
    }
    void capture() const {
        ASSERT_EQ(warplens({"run", at("k.toml"), "-o", at("k.wlcap"), "--quiet"}).status, 0);
    }
};

struct Situation {
    const char* name;
    std::function<void(const Bench&)> spoil;
    Words words;     // %: the bench's folder
    Words must_say;  // all of them
    int status = 2;
};

void nothing(const Bench&) {}

std::function<void(const Bench&)> edited(const char* from, const char* to) {
    return [=](const Bench& b) { b.edit(from, to); };
}

// The command line.
const std::vector<Situation> kWords = {
    {"UnknownVerb",
     nothing,                                {"diagnoze", "%/k.toml"},
     {"there is no verb 'diagnoze'", "did you mean 'diagnose'?"}                                                                             },
    {"UnknownOption",
     nothing,                                {"diagnose", "%/k.toml", "--sead", "1"},
     {"no option --sead", "did you mean --seed?"}                                                                                            },
    {"UnknownFormat",
     nothing,                                {"diagnose", "%/k.toml", "--format", "xml"},
     {"--format xml", "write one of text, json, sarif, junit, github"}                                                                       },
    {"FormatOfAVerbWithoutVerdict",
     nothing,                                {"kernels", "--format", "sarif"},
     {"`warplens kernels` has no option --format", "have it"}                                                                                },
    {"OptionOfAnotherVerb",
     nothing,                                {"check", "%/k.cu", "--search", "3"},
     {"`warplens check` has no option --search; `warplens run`, `warplens diagnose`"}                                                        },
    {"OptionWithoutValue",
     nothing,                                {"show", "%/k.wlcap", "-o", "%/x.png", "--tile"},
     {"--tile needs a value"}                                                                                                                },
    {"NoKernel",
     nothing,                                {"diagnose"},
     {"`warplens diagnose` needs kernel, a shipped kernel, a .toml", "--help"}                                                               },
    {"SeedIsNoNumber",              nothing, {"diagnose", "%/k.toml", "--seed", "one"},          {"--seed one: this is no number"}           },
    {"ThreadsBelowZero",
     nothing,                                {"diagnose", "%/k.toml", "--threads", "-1"},
     {"--threads -1: this is outside what it may be"}                                                                                        },
    {"SeedsOfNone",
     nothing,                                {"diagnose", "%/k.toml", "--seeds", "0"},
     {"--seeds 0: this is outside what it may be"}                                                                                           },
    {"SetWithoutValue",             nothing, {"diagnose", "%/k.toml", "--set", "N"},             {"--set N", "NAME=VALUE"}                   },
    {"SetOfNoParameter",            nothing, {"diagnose", "%/k.toml", "--set", "M=3"},           {"M", "N"}                                  },
    {"SetToNoNumber",               nothing, {"diagnose", "%/k.toml", "--set", "N=many"},        {"N", "many"}                               },
    {"UnknownPreset",               nothing, {"diagnose", "%/k.toml", "--preset", "smal"},       {"smal", "small"}                           },
    {"UnknownPresets",              nothing, {"diagnose", "%/k.toml", "--presets", "smal"},      {"smal", "small"}                           },
    {"UnknownFault",                nothing, {"diagnose", "%/k.toml", "--fault", "of"},          {"of", "off"}                               },
    {"UnknownCheck",                nothing, {"diagnose", "%/k.toml", "--check", "races,bound"}, {"bound", "bounds"}                         },
    {"UnknownInputs",               nothing, {"diagnose", "%/k.toml", "--inputs", "nromal"},     {"nromal"}                                  },
    {"AbsentInputs",                nothing, {"diagnose", "%/k.toml", "--inputs", "%/none.npz"}, {"none.npz"}                                },
    {"ExecutorThatIsNotHere",
     nothing,                                {"diagnose", "%/k.toml", "--on", "gpu"},
     {"CUDA driver", "--on cpu"},
     3},
    {"RecordOutsideTheGrid",                             nothing,               {"run", "%/k.toml", "--record", "7,0,0", "-o", "%/o.wlcap"},                              {"7,0,0"}},
    {"RecordIsNoBlock",                             nothing,                    {"run", "%/k.toml", "--record", "first", "-o", "%/o.wlcap"},                                   {"first"}},
    {"UnknownColour",
     nothing,                      {"diagnose", "%/k.toml", "--color", "red"},
     {"--color red", "write one of auto, always, never"}                                                                },
    {"LimitIsNoNumber",                             nothing,                    {"accept", "%/k.toml", "--max-registers", "few"},                                   {"few", "whole number"}},
};

// Files.
const std::vector<Situation> kFiles = {
    {"AbsentManifest",              nothing,                                                   {"diagnose", "%/none.toml"},                 {"there is no manifest", "none.toml"}       },
    {"AbsentSource",                nothing,                                                   {"diagnose", "%/none.cu"},                   {"there is no kernel source", "none.cu"}    },
    {"SourceWithoutManifest",
     [](const Bench& b) { fs::remove(b.at("k.toml")); },
     {"diagnose", "%/k.cu"},
     {"warplens init"}                                                                                                                                                                  },
    {"FolderForAManifest",
     [](const Bench& b) { fs::remove(b.at("k.toml")), fs::create_directory(b.at("k.toml")); },
     {"diagnose", "%/k.toml"},
     {"k.toml"}                                                                                                                                                                         },
    {"FolderForASource",
     [](const Bench& b) { fs::remove(b.at("k.cu")), fs::create_directory(b.at("k.cu")); },
     {"diagnose", "%/k.toml"},
     {"k.cu"}                                                                                                                                                                           },
    {"EmptyManifest",
     [](const Bench& b) { b.put("k.toml", ""); },
     {"diagnose", "%/k.toml"},
     {"k.toml", "args"}                                                                                                                                                                 },
    {"EmptySource",
     [](const Bench& b) { b.put("k.cu", ""); },
     {"diagnose", "%/k.toml"},
     {"k.cu", "__global__"}                                                                                                                                                             },
    {"BinarySource",
     [](const Bench& b) {
         b.put(
             "k.cu",
             std::string(
                 "\x7f"
                 "ELF\0\x01\x02\xff\xfe",
                 9
             )
         );
     },                                                                                        {"diagnose", "%/k.toml"},
     {"k.cu"}                                                                                                                                                                           },
    {"BinaryManifest",
     [](const Bench& b) {
         b.put(
             "k.toml",
             std::string(
                 "\x7f"
                 "ELF\0\x01\x02\xff\xfe",
                 9
             )
         );
     },                                                                                        {"diagnose", "%/k.toml"},
     {"k.toml"}                                                                                                                                                                         },
    {"NoPermissionToWrite",
     nothing,                                                                                  {"run", "%/k.toml", "-o", "/sys/o.wlcap"},
     {"cannot write /sys/o.wlcap", "Permission denied"}                                                                                                                                 },
    {"AbsentCapture",               nothing,                                                   {"tiles", "%/none.wlcap"},                   {"none.wlcap"}                              },
    {"EmptyCapture",                [](const Bench& b) { b.put("k.wlcap", ""); },              {"tiles", "%/k.wlcap"},                      {"k.wlcap"}                                 },
    {"TruncatedCapture",
     [](const Bench& b) {
         b.capture();
         fs::resize_file(b.at("k.wlcap"), fs::file_size(b.at("k.wlcap")) / 2);
     },                                                                                        {"diagnose", "%/k.wlcap"},
     {"k.wlcap"}                                                                                                                                                                        },
    {"TextForACapture",
     [](const Bench& b) { b.put("k.wlcap", "no capture"); },
     {"diagnose", "%/k.wlcap"},
     {"k.wlcap"}                                                                                                                                                                        },
    {"CaptureToRun",                [](const Bench& b) { b.capture(); },                       {"run", "%/k.wlcap"},                        {"is a capture", "diagnose"}                },
    {"CaptureInNoFolder",           nothing,                                                   {"run", "%/k.toml", "-o", "%/none/o.wlcap"}, {"there is no folder", "-o"}                },
    {"CaptureInAFolderThatIsAFile", nothing,                                                   {"run", "%/k.toml", "-o", "%/k.cu/o.wlcap"}, {"o.wlcap", "-o"}                           },
    {"CheckOfAnythingElse",         nothing,                                                   {"check", "%/k.py"},                         {"neither a .cu nor PTX"}                   },
    {"CheckOfAManifest",            nothing,                                                   {"check", "%/k.toml"},                       {"this is a manifest", "`warplens diagnose"}},
    {"PtxThatIsNone",               [](const Bench& b) { b.put("p.ptx", "hello"); },           {"check", "%/p.ptx"},                        {"p.ptx"}                                   },
    {"InitOverFilesThatAreThere",   nothing,                                                   {"init", "%/k.cu"},                          {"k.toml", "--force"}                       },
    {"UnknownTile",
     [](const Bench& b) { b.capture(); },
     {"show", "%/k.wlcap", "--tile", "z", "-o", "%/z.png"},
     {"z"}                                                                                                                                                                              },
};

// What the manifest says.
const std::vector<Situation> kManifests = {
    {"UnknownKey",                                                   edited("[launch]", "[lunch]"),                                          {"diagnose", "%/k.toml"},{"k.toml:", "lunch", "launch"}},
    {"UnknownType",                                                              edited("\"int\"",                                                                   "\"integer\""),                                         {"diagnose", "%/k.toml"},{"k.toml:4", "integer"}},
    {"UnknownName",
     edited("ceil_div(N, 32)",                                                        "ceil_div(NN, 32)"),
     {"diagnose", "%/k.toml"},
     {"k.toml:9", "NN", "did you mean"}},
    {"ShapeOfNothing",                                       edited("N = 96",                                                "N = 0"),                                                                                                   {"diagnose", "%/k.toml"},{"k.toml:", "0"}},
    {"TooManyThreads",
     edited("block = [32]","block = [2048]"),
     {"diagnose", "%/k.toml"},
     {"k.toml:10", "the limit is 1,024"}},
    {"NoToml",                                          edited("[params]",                                           "[params"),                                                                                                               {"diagnose", "%/k.toml"},{"k.toml:"}},
    {"AbsentReference",                                                       edited("k.py",              "none.py"),             {"diagnose", "%/k.toml"},{"k.toml:12", "none.py"}},
    {"AbsentFill",                                                              edited("\"normal\"",                                                               "\"none.npy\""),                                               {"diagnose", "%/k.toml"},{"none.npy"}},
    {"FillThatIsNoNpy",
     [](const Bench& b) { b.put("x.npy", "not an array"), b.edit("\"normal\"", "\"x.npy\""); },
     {"diagnose", "%/k.toml"},
     {"x.npy"}                                                                                                                                        },
    {"EmptyFill",
     [](const Bench& b) { b.put("x.npy", ""), b.edit("\"normal\"", "\"x.npy\""); },
     {"diagnose", "%/k.toml"},
     {"x.npy"}        },
    {"UnknownFill",                                       edited("\"normal\"",                                                                         "\"noise\""),                                                                                                                            {"diagnose", "%/k.toml"},{"k.toml:2", "noise"}},
    {"ArgumentTooFew",
     edited("  { name = \"n\", dtype = \"int\", value = \"N\" },\n",                                                                         ""),
     {"diagnose", "%/k.toml"},
     {"k"}},
    {"UnknownEntry",
     edited("args =","entry = \"kk\"\nargs ="),
     {"diagnose", "%/k.toml"},
     {"no kernel named 'kk'", "there is k"}},
    {"InfiniteTolerance",
     edited("terms = 1","tolerance = inf"),
     {"diagnose", "%/k.toml"},
     {"k.toml:14", "inf"}},
    {"OutputOfNothing",                                                 edited("[output.y]",                                                                   "[output.z]"),                                                                                                                           {"diagnose", "%/k.toml"},{"k.toml:13", "z"}},
    {"SourceThatDoesNotCompile",
     [](const Bench& b) { b.put("k.cu", "__global__ void k() { return 1 }\n"); },
     {"diagnose", "%/k.toml"},
     {"cannot compile", "k.cu:1"}},
    {"ReferenceThatThrows",
     [](const Bench& b) { b.put("k.py", "def reference(i, p):\n    raise ValueError('no')\n"); },
     {"diagnose", "%/k.toml"},
     {"no reference", "k.py"}},
    {"ReferenceWithoutFunction",
     [](const Bench& b) { b.put("k.py", "x = 1\n"); },
     {"diagnose", "%/k.toml"},
     {"no reference", "reference"}},
    {"ReferenceOfAnotherShape",
     [](const Bench& b) { b.put("k.py", "def reference(i, p):\n    return {\"y\": i[\"x\"][:5]}\n"); },
     {"diagnose", "%/k.toml"},
     {"(5,)", "(96,)"}},
};

struct Situations : testing::TestWithParam<Situation> {};

TEST_P(Situations, AreAnsweredByOneSentence) {
    const Situation& s = GetParam();
    const Bench bench;
    s.spoil(bench);
    Words words = s.words;
    for (std::string& word : words)
        if (word.starts_with('%')) word.replace(0, 1, bench.folder.path);
    words.insert(words.begin() + 1, "--quiet");
    const Said said = warplens(words);
    EXPECT_EQ(said.status, s.status) << said.out << said.err;
    EXPECT_EQ(said.err.rfind("warplens: ", 0), 0U) << said.err;
    EXPECT_EQ(said.err.find("warplens: ", 1), std::string::npos) << "one message: " << said.err;
    EXPECT_EQ(said.err.find("terminate called"), std::string::npos) << said.err;
    EXPECT_EQ(said.err.find("what():"), std::string::npos) << said.err;
    EXPECT_LT(said.err.size(), 1500U) << said.err;
    for (const std::string& part : s.must_say)
        EXPECT_NE(said.err.find(part), std::string::npos) << part << " in: " << said.err;
}

std::string name_of(const testing::TestParamInfo<Situation>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(OfTheCommandLine, Situations, testing::ValuesIn(kWords), name_of);
INSTANTIATE_TEST_SUITE_P(OfFiles, Situations, testing::ValuesIn(kFiles), name_of);
INSTANTIATE_TEST_SUITE_P(OfManifests, Situations, testing::ValuesIn(kManifests), name_of);

TEST(Situations, AreFortyAtLeast) { EXPECT_GE(kWords.size() + kFiles.size() + kManifests.size(), 40U); }

}  // namespace
}  // namespace wl::test
