// An array of n elements is too small where an access falls out of it: the least n that is not, as a product
// of sizes.
#include "app/cli/init/measure.h"

#include "app/cli/init/names.h"
#include "app/cli/init/pointers.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/emulator/run.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <map>
#include <set>

namespace wl::app {
namespace {

constexpr int64_t kMost = int64_t{1} << 16;    // elements; far more than the sizes of a guess ask for
constexpr uint64_t kBudget = 1 << 21;          // warp instructions of a block
constexpr std::chrono::seconds kPatience(10);  // for all runs together

struct Shape {
    std::vector<std::string> extents;
    int64_t elements = 0;
};

struct Meter {
    Guess& guess;
    const ptx::Module& module;
    const ptx::Function& entry;
    execution::Executable executable;
    std::vector<std::pair<std::string, std::string>> set = {};  // sizes other than the default ones
    std::set<size_t> measured = {};
    std::map<size_t, int64_t> fixed = {};  // elements of arrays that are touched as far whatever the sizes
    std::vector<int64_t> blocks = {};      // that are run; empty: all
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::now() + kPatience;

    bool is_late() const { return std::chrono::steady_clock::now() > deadline; }

    int64_t lanes_of(const manifest::Argument& a) const {
        return a.shape.size() > 1 ? std::stoll(a.shape.back()) : 1;
    }

    // Runs with these numbers of elements in front of the vectors' extents.
    execution::RunResult run(
        const std::vector<int64_t>& elements, bool poisoned, execution::GlobalMemory* left
    ) const {
        manifest::Kernel kernel = guess.kernel;
        for (size_t i = 0; i < kernel.args.size(); ++i) {
            if (kernel.args[i].shape.empty()) continue;
            kernel.args[i].shape.front() = fmt::format("{}", elements[i]);
            kernel.args[i].output = true;
        }
        manifest::BindOptions options;
        options.set = set;
        manifest::Problem problem = manifest::bind(kernel, options);
        for (manifest::BoundArgument& a : problem.args) {
            if (!a.array) continue;
            // Bytes are pixels and symbols, of which every value occurs; all else is zero, as a size or an
            // index.
            const bool symbols = a.data.dtype == DType::u8;
            for (size_t k = 0; k < a.data.bytes.size(); ++k)
                a.data.bytes[k] = static_cast<std::byte>(symbols ? k : 0);
            a.filled = !poisoned;
        }
        diagnosis::Prepared prepared = diagnosis::prepare_launch(problem, entry);
        execution::RunOptions how;
        how.blocks = blocks;
        how.budget = kBudget;
        how.marks = false;
        how.threads = 1;
        how.on_progress = [this](uint64_t, uint64_t) { return !is_late(); };
        how.checks = {.races = false, .uninitialised = poisoned, .uniform = false};
        execution::RunResult result = executable.run(prepared.launch, prepared.memory, how);
        if (left) *left = std::move(prepared.memory);
        return result;
    }
    // A fault that the size of an array has no part in.
    static bool is_broken(const execution::RunResult& result) {
        using Kind = execution::Incident::Kind;
        return std::any_of(
            result.incidents.begin(),
            result.incidents.end(),
            [](const execution::Incident& i) {
                return i.kind == Kind::out_of_bounds || i.kind == Kind::endless_loop ||
                    i.kind == Kind::deadlock || i.kind == Kind::trap || i.kind == Kind::assertion;
            }
        );
    }
    bool fits(size_t argument, int64_t elements) const {
        std::vector<int64_t> all(guess.kernel.args.size(), kMost);
        all[argument] = elements;
        return !is_broken(run(all, false, nullptr));
    }
    // Among the sizes that shapes have, which is where it mostly lies, else among all.
    int64_t least(size_t argument) const {
        std::set<int64_t> sorted = {0, kMost};
        for (const Shape& shape : shapes(argument))
            if (shape.elements < kMost) sorted.insert(shape.elements);
        const std::vector<int64_t> candidates(sorted.begin(), sorted.end());
        size_t below = 0, above = candidates.size() - 1;
        while (above - below > 1) {
            const size_t middle = (below + above) / 2;
            (fits(argument, candidates[middle]) ? above : below) = middle;
        }
        int64_t low = candidates[below], high = candidates[above];
        if (high - low > 1 && !fits(argument, high - 1)) return high;
        while (high - low > 1) {
            const int64_t middle = low + (high - low) / 2;
            (fits(argument, middle) ? high : low) = middle;
        }
        return high;
    }

    int64_t value_of(const std::string& name) const {
        for (const auto& [param, value] : set)
            if (param == name) return std::stoll(value);
        for (const auto& [param, value] : guess.kernel.params)
            if (param == name) return std::stoll(value);
        return 1;
    }
    // Products of different sizes, and of numbers that launches have: 1, 2, 3, 4; of vectors a row's elements
    // over theirs.
    std::vector<Shape> shapes(size_t argument) const {
        std::vector<Shape> found = {
            {{}, 1}
        };
        for (const std::string& size : guess.sizes) {
            const size_t before = found.size();
            for (size_t i = 0; i < before; ++i) {
                Shape with = found[i];
                with.extents.push_back(size);
                with.elements *= value_of(size);
                if (with.extents.size() <= 4) found.push_back(with);
            }
        }
        const size_t plain = found.size();
        const int64_t lanes = lanes_of(guess.kernel.args[argument]);
        for (size_t i = 0; i < plain && lanes > 1; ++i) {
            if (found[i].extents.empty()) continue;
            Shape with = found[i];
            const int64_t row = value_of(with.extents.back());
            with.elements = with.elements / row * (row / lanes);
            with.extents.back() += fmt::format(" / {}", lanes);
            found.push_back(with);
        }
        for (size_t i = 0; i < plain; ++i)
            for (const int factor : {2, 3, 4}) {
                Shape with = found[i];
                with.extents.push_back(fmt::format("{}", factor));
                with.elements *= factor;
                found.push_back(with);
            }
        for (const std::string& extent : guess.kernel.launches.front().grid) add_value(found, extent);
        for (const std::string& extent : guess.kernel.launches.front().block) add_value(found, extent);
        if (guess.kernel.launches.front().grid.size() == 1 && guess.kernel.launches.front().block.size() == 1)
            add_value(
                found,
                fmt::format(
                    "{} * {}", guess.kernel.launches.front().grid[0], guess.kernel.launches.front().block[0]
                )
            );
        return found;
    }
    void add_value(std::vector<Shape>& found, const std::string& expression) const {
        std::map<std::string, double> variables;
        for (const auto& [name, value] : guess.kernel.params)
            variables[name] = static_cast<double>(value_of(name));
        found.push_back(
            {{expression}, static_cast<int64_t>(manifest::evaluate(expression, variables, "[launch]"))}
        );
    }

    void shape_of(size_t index, const Shape& shape) {
        measured.insert(index);
        manifest::Argument& a = guess.kernel.args[index];
        const std::vector<std::string> lanes(a.shape.begin() + 1, a.shape.end());
        a.shape = shape.extents.empty() ? std::vector<std::string>{fmt::format("{}", shape.elements)}
                                        : shape.extents;
        a.shape.insert(a.shape.end(), lanes.begin(), lanes.end());
    }
    // Of the shapes that fit at the default sizes the first that is right at the ragged ones, too.
    void measure(size_t index) {
        if (is_late()) return;
        manifest::Argument& a = guess.kernel.args[index];
        set.clear();
        const int64_t elements = least(index);
        const std::vector<Shape> usual = shapes(index);
        set = guess.ragged;
        const int64_t ragged_elements = least(index);
        const std::vector<Shape> ragged = shapes(index);
        set.clear();
        if (is_late()) return;  // its runs were cut short
        for (size_t i = 0; i < usual.size(); ++i)
            if (usual[i].elements == elements && ragged[i].elements == ragged_elements) {
                if (usual[i].extents.empty()) fixed[index] = elements;
                return shape_of(index, usual[i]);
            }
        if (elements == ragged_elements) {
            fixed[index] = elements;
            return shape_of(index, {{}, elements});
        }
        size_t near = usual.size();
        for (size_t i = 0; i < usual.size(); ++i)
            if (usual[i].elements >= elements && ragged[i].elements >= ragged_elements &&
                (near == usual.size() || usual[i].elements < usual[near].elements))
                near = i;
        shape_of(index, near < usual.size() ? usual[near] : Shape{{}, std::max(elements, ragged_elements)});
        guess.unknown.push_back(fmt::format(
            "{} is touched up to element {} ({} with the ragged sizes), which is no product of the sizes: "
            "look at its "
            "shape, [{}]",
            a.name,
            elements,
            ragged_elements,
            join(a.shape, ", ")
        ));
    }

    // A run over zeros may go where one over other values does not.
    void assume_fixed(size_t index, bool touched) {
        manifest::Argument& a = guess.kernel.args[index];
        if (!fixed.contains(index) || guess.sized.contains(a.name)) return;
        if (!touched) a.shape.front() = guess.sizes.front();
        guess.unknown.push_back(
            touched ? fmt::format(
                          "{} is touched up to element {} whatever the sizes, with zeros in the arrays: that "
                          "it has no "
                          "more is assumed",
                          a.name,
                          fixed.at(index)
                      )
                    : fmt::format(
                          "{} is not touched with zeros in the arrays: its shape [{}] is assumed",
                          a.name,
                          join(a.shape, ", ")
                      )
        );
    }

    // Written bytes are outputs, bytes read that nobody wrote inputs.
    void directions() {
        std::vector<int64_t> elements(guess.kernel.args.size(), kMost);
        execution::GlobalMemory left;
        const execution::RunResult result = run(elements, true, &left);
        const std::vector<Pointer> pointers = pointer_params(entry);
        for (size_t index = 0; index < guess.kernel.args.size(); ++index) {
            manifest::Argument& a = guess.kernel.args[index];
            if (a.shape.empty()) continue;
            const bool added_to = pointers[index].added_to;
            const bool may_write =
                !points_to_const(guess.types[index]) && (pointers[index].stored || pointers[index].escapes);
            const execution::Allocation* memory = execution::find_named(left, a.name);
            const bool wrote = memory &&
                std::any_of(memory->written.begin(), memory->written.end(), [](uint8_t w) { return w != 0; });
            a.output = wrote || may_write;
            const bool was_read = std::any_of(
                result.incidents.begin(),
                result.incidents.end(),
                [&](const execution::Incident& i) {
                    return i.kind == execution::Incident::Kind::uninitialised_read &&
                        i.first.memory == "global " + a.name;
                }
            );
            assume_fixed(index, wrote || was_read);
            const bool read = was_read || added_to;
            const bool data = is_float(a.dtype) || size_of(a.dtype) == 1;
            a.fill = wrote && !read    ? ""
                : !data || added_to    ? "zeros"
                : a.dtype == DType::u8 ? "uniform(0, 255)"
                                       : "normal";
            if (!data && !a.fill.empty() && !a.output)
                guess.unknown.push_back(
                    a.name +
                    " holds whole numbers, zeros for now: where they are indices or counts, say which by " +
                    "its fill, such as \"uniform(0, " + guess.sizes.front() + " - 1)\" or a .npy"
                );
        }
    }

    // With arrays that no guess of sizes asks for. Where the first block fails already, the others would only
    // fail as it does, access by access: it alone is run from then on.
    bool breaks() {
        const std::vector<int64_t> most(guess.kernel.args.size(), kMost);
        blocks = {0};
        if (is_broken(run(most, false, nullptr))) return true;
        blocks.clear();
        return is_broken(run(most, false, nullptr));
    }

    void all() {
        const bool broken = breaks();
        for (size_t i = 0; i < guess.kernel.args.size() && !broken; ++i)
            if (!guess.kernel.args[i].shape.empty() && !guess.sized.contains(guess.kernel.args[i].name))
                measure(i);
        const bool late = is_late();
        deadline = std::chrono::steady_clock::now() + kPatience;
        directions();
        for (size_t i = 0; i < guess.kernel.args.size(); ++i)
            if (!guess.kernel.args[i].shape.empty() && !measured.contains(i) &&
                !guess.sized.contains(guess.kernel.args[i].name))
                guess.kernel.args[i].shape.front() = guess.sizes.front();
        if (broken)
            guess.unknown.emplace_back(
                "the kernel comes to grief with these sizes and with zeros in its arrays: write the shapes, "
                "then "
                "run it"
            );
        else if (late)
            guess.unknown.emplace_back(
                "the kernel runs too long to measure all of its arrays: write their shapes"
            );
    }
};

// Sizes so small that the grid has no blocks grow: a host that divides by its tile rounds down.
void grow_sizes(Guess& guess) {
    constexpr int kMostTimes = 3;
    const auto grown = [](const std::string& size) { return fmt::format("{}", 4 * std::stoll(size)); };
    for (int times = 0; times < kMostTimes; ++times) {
        manifest::Kernel kernel = guess.kernel;
        kernel.args.clear();
        try {
            manifest::BindOptions options;
            manifest::bind(kernel, options);
            options.set = guess.ragged;
            manifest::bind(kernel, options);
            return;
        } catch (const Error&) {
            for (auto& [name, value] : guess.kernel.params)
                if (std::find(guess.sizes.begin(), guess.sizes.end(), name) != guess.sizes.end())
                    value = grown(value);
            for (auto& [name, value] : guess.ragged) value = fmt::format("{}", 4 * std::stoll(value) + 1);
        }
    }
}

}  // namespace

void measure_arrays(Guess& guess, const ptx::Module& module, const ptx::Function& entry) {
    grow_sizes(guess);
    Meter meter{guess, module, entry, emulator::executor().prepare(module, entry.name)};
    meter.all();
}

}  // namespace wl::app
