// A kernel described (docs/manifest.md): the .toml as a value, and its binding to numbers and data, the
// Problem.
#pragma once

#include "instrumentation/base/dim3.h"
#include "instrumentation/base/tensor.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wl::manifest {

// An array that the kernel gets as a texture or surface: its extents are those of z or the layers, y, x and,
// where there are several, the channels.
struct TextureRule {
    bool surface = false;
    int channels = 1;  // 1, 2 or 4
    bool layered = false;
    bool cube = false;  // the first extent counts faces, six a cube: +x -x +y -y +z -z
    std::string width;  // expression: texels of a row that the texture has; what the array has more is pitch
    uint32_t texels = 0;                      // the same, bound; 0: all of the row
    bool linear = false, normalized = false;  // filter; coordinates from 0 to 1
    bool numbers = false;                     // integers are read as numbers of [0, 1] or [-1, 1]
    std::array<std::string, 3> address{"clamp", "clamp", "clamp"};  // wrap, clamp, mirror, border; x first
    std::array<float, 4> border{};
};

struct Argument {
    std::string name;
    DType dtype = DType::f32;
    std::vector<std::string> shape;  // expressions; empty: a scalar by value
    std::string fill;   // "normal", "normal(0,0.5)", "uniform(-1,1)", "zeros", "ones", "coordinates",
                        // "one-hot", "identity", "file.npy"
    std::string value;  // scalar: expression
    std::vector<Argument> fields;  // a struct by value, a vector such as float4; the arrays of its own that a
                                   // table of addresses points to
    size_t align = 0;              // of a vector, bytes; 0: the largest of its fields
    std::vector<std::string> pointers;  // a table of addresses: the array that each is of
    std::string rows_of;                // or the one array whose rows, along its first extent, they are
    std::optional<TextureRule> texture;
    bool output = false;
    int line = 0;  // in the .toml
};

struct OutputRule {                         // [output.NAME]
    std::string of;                         // reference tensor; default: the same name
    std::string terms;                      // expression; empty: 1
    std::optional<double> tolerance, rtol;  // limits of the user's own: tolerance + rtol * |reference|
    bool compare = true;                    // false: it need not be compared with anything
    bool partial = false;                   // elements whose reference is NaN need not be compared
};

struct TileRule {  // [tile.NAME]
    std::string of;
    std::vector<std::string> at;  // expressions over params, block.x/y/z, warp, iteration
    std::string terms;
    std::optional<int> row_axis, col_axis;  // dimensions that rows and columns run along; default: the last
                                            // two, or the last for a vector
    std::string row, col;  // of a probe of registers: which element of the window a lane's element is,
                           // expressions over params, lane and element
};

// How a region of shared memory is read: for people, and for the costs of its accesses.
struct LayoutRule {
    std::string as;         // "f16 Swizzle<3,3,3> o (64,64):(64,1)", as layouts::parse_matrix takes it
    std::string of;         // a __shared__ variable or mark; default: the rule's own name
    std::optional<int> at;  // bytes from its beginning; default: 0
};

struct Fault {
    std::string name, about;  // compiled as -DWL_FAULT_<NAME upper-cased, non-alphanumerics as _>
    std::string story;        // as Kernel::story
    std::vector<std::pair<std::string, std::string>> set;  // parameters that it puts in force; --set wins
};

// A parameter of one launch: an argument of the kernel, or a scalar of its own.
struct LaunchArgument {
    std::string of;  // of Kernel::args; empty: its own
    Argument own;
};

struct LaunchRule {           // [launch], or one [[launch]] of several
    std::string name, entry;  // empty: the entry's, Kernel::entry
    std::vector<std::string> grid, block;
    std::string shared = "0", stack = "0";
    std::vector<std::pair<std::string, std::string>> shared_parts;  // [launch.shared]: bytes by buffer, whose
                                                                    // sum `shared` is; empty: not told apart
    bool cooperative = false;                                       // launched by cudaLaunchCooperativeKernel
    std::optional<std::vector<LaunchArgument>> args;                // without: Kernel::args
    std::string repeat, turn;                   // so many times, counted from 0 by a variable of this name
    std::vector<LaunchRule> launches;           // what is repeated, where that are several
    std::map<std::string, OutputRule> outputs;  // [launch.output.NAME]: compared once it is over
    std::string key;                            // in Kernel::lines: "launch", "launch[1]"
};

struct Limits {                        // [limits]: what the kernel's authors allow themselves, expressions
    std::string registers = "72";      // a thread
    std::string shared = "99 * 1024";  // bytes a block, dynamic and static together
};

struct ReferenceRule {
    enum class Kind : uint8_t { none, builtin, python, npz, kernel, recorded };
    Kind kind = Kind::none;
    std::string target;  // "attention"; of a recorded launch who ran it; else the absolute path of the file
};

inline constexpr std::array<const char*, 3> kAssumable = {"args", "params", "launch"};

struct Kernel {
    std::string name;                  // the .toml's stem
    std::string path;                  // of the .toml
    std::string title, source, entry;  // source: resolved path of the .cu
    std::string story;                 // where it comes from, in a few sentences on one line; may be empty
    std::vector<std::string> include;
    std::vector<std::string> assumed;  // of kAssumable: made up by init, so that findings may be of these
    std::vector<Argument> args;
    std::vector<Argument> symbols;  // [symbol.NAME]: what __device__ and __constant__ variables hold
    std::vector<std::pair<std::string, std::string>>
        params;  // in order; value: number or expression over earlier ones
    std::map<std::string, std::vector<std::pair<std::string, std::string>>> presets;
    std::vector<std::pair<std::string, std::string>> define;
    std::vector<LaunchRule> launches;  // in order
    Limits limits;
    ReferenceRule reference;
    std::map<std::string, OutputRule> outputs;
    std::map<std::string, TileRule> tiles;
    std::map<std::string, LayoutRule> layouts;
    std::vector<Fault> faults;
    std::map<std::string, int> lines;  // of every key, for messages: "launch.grid[0]" -> 31
};

// Reads and checks a .toml. Throws Error "file:line: ..." on unknown keys (with the nearest known one), wrong
// types, missing entries.
Kernel load(const std::string& toml_path);

// A shipped kernel's name, a .toml, or a .cu with its manifest beside it. Throws Error naming the nearest
// shipped kernel, or the manifest to write.
std::string resolve(const std::string& kernel);
std::vector<std::string> shipped();  // paths of the .toml files in the kernels folder, sorted
std::string kernels_folder();        // $WARPLENS_KERNELS, beside the binary, or the source tree

// A path as people read it: "kernels/v2b.cu" for a shipped kernel's file, relative for one below the current
// folder, else unchanged.
std::string display_path(const std::string& path);

// "gemm.toml:31: launch.grid[0]", the place of a key for a message.
std::string place(const Kernel& kernel, const std::string& key);

struct PythonServer;

struct BindOptions {
    std::vector<std::pair<std::string, std::string>> set;  // --set NAME=VALUE, in order; later wins
    std::string preset;
    std::vector<std::string> faults;
    std::string
        inputs;  // --inputs KIND, nan-padding or FILE.npz: replaces the fills (docs/manifest.md, "Inputs")
    uint64_t seed = 0;
    std::string launch = {};                         // --launch: a number from 1, or a name
    std::shared_ptr<PythonServer> python = nullptr;  // of a problem that is bound again; else a new one
};

// One parameter of the entry, ready to be laid out.
struct BoundArgument {
    std::string name;
    bool array = false, output = false, filled = false;  // filled output: in and out
    Tensor data;  // array: its contents (outputs without fill: poisoned, every byte 0xff); scalar: one
                  // element, shape empty
    std::optional<TextureRule> texture;  // array: the kernel gets a handle instead of the address
    std::vector<BoundArgument> fields;
    size_t align = 0;  // as Argument::align
    // A table of addresses, an array of u64 that is filled when they are known: of which array each is, and
    // how many bytes into it.
    std::vector<std::pair<std::string, uint64_t>> pointers;
    uint64_t base = 0;  // the device address that the array has to have; 0: any
};

// A parameter of a launch.
struct Parameter {
    int argument = -1;  // index in Problem::args; -1: `own`
    BoundArgument own;
};

struct BoundLaunch {
    std::string name, entry, key;  // name: "scan", and of repeated ones "scan (step=3)"; as LaunchRule's
    Dim3 grid, block;
    uint32_t shared = 0;
    uint32_t stack = 0;  // bytes a thread, cudaLimitStackSize; 0: CUDA's default
    bool cooperative = false;
    std::vector<Parameter> parameters;
    std::vector<std::byte> buffer;  // of a recorded launch in place of parameters: the buffer as it was
    std::vector<std::pair<std::string, double>> turns;  // of the repetitions that it is in
    std::map<std::string, OutputRule> outputs;          // compared once it is over
};

// A kernel with numbers: everything a run needs, and nothing that depends on the executor.
struct Problem {
    Kernel kernel;
    std::vector<std::pair<std::string, double>> params;
    std::vector<std::pair<std::string, std::string>> defines;  // [define] evaluated, and the faults
    std::vector<std::string> faults;
    std::vector<BoundLaunch> launches;  // in order, repetitions written out
    size_t at = 0;                      // the launch that is looked at; those before it make its memory
    bool chosen = false;                // by --launch
    std::vector<BoundArgument> args, symbols;
    uint64_t seed = 0;
    std::string inputs;
    std::vector<std::string> remarks = {};  // of the inputs, for whoever reads the run
    std::string ptx;                        // of a recorded launch, in place of Kernel::source
    std::vector<Tensor> recorded;           // what a recorded launch left, by output
    std::shared_ptr<PythonServer>
        python;  // of a reference in Python; copies of the problem share the process
};
inline const BoundLaunch& launch_of(const Problem& problem) { return problem.launches[problem.at]; }
inline bool is_recorded(const Problem& problem) { return !problem.ptx.empty(); }
inline bool is_sequence(const Problem& problem) { return problem.launches.size() > 1; }

// Throws Error on an unknown fault, preset or parameter, an expression that does not evaluate, an impossible
// shape (an extent that is not a positive whole number, a launch outside CUDA's limits).
Problem bind(const Kernel& kernel, const BindOptions& options);

// The rule of a key, "launch[1]"; repeated ones are looked through. Null: there is none.
const LaunchRule* find_rule(const std::vector<LaunchRule>& rules, const std::string& key);

// Entries of its launches that are instances of templates, each once.
std::vector<std::string> template_entries(const Problem& problem);

// Value of an expression over the variables: + - * / % ( ) < <= > >= == != && || ! ?: and min, max, ceil_div,
// abs, floor, ceil, sqrt, log2. `/` and `%` of two whole numbers are C's integer operations; whole are
// literals without a point, variables of whole value and what is computed from them, so 3/2 is 1, 3.0/2
// is 1.5 and 1/sqrt(64) is 0.125. `where` names the place for the message: "gemm.toml:12: launch.grid[0]".
double evaluate(
    const std::string& expression, const std::map<std::string, double>& variables, const std::string& where
);

// The coordinates of a tile's element (0,0) in its reference tensor.
std::vector<int64_t> window_origin(
    const Problem& problem, const TileRule& rule, Dim3 block, int warp, int iteration
);

// Of a rule with row and col: the element of the window that each lane's elements are, lane after lane.
// Throws Error where an expression gives no whole number of at least 0.
struct LanePlace {
    int row = 0, col = 0;
};
std::vector<LanePlace> lane_places(const Problem& problem, const TileRule& rule, int lanes, int elements);

}  // namespace wl::manifest
