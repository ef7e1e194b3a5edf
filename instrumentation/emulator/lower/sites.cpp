// The instructions of a program as its reports name them: source line, text and the calls they were inlined
// through.
#include "instrumentation/emulator/lower/lowering.h"
#include "instrumentation/ptx/print/listing.h"

#include <algorithm>

namespace wl::emulator {
namespace {

void fill(const ptx::Module& module, capture::Site& site, const ptx::Location& where) {
    site.source = where.file;
    site.line = where.line;
    site.column = where.column;
    if (where.function >= 0) site.function = module.function_names[static_cast<size_t>(where.function)];
}

// Call sites come behind all instructions, each once; they are appended before they are referred to.
struct CallSites {
    const ptx::Module& module;
    std::vector<capture::Site>& sites;
    std::map<int, int> by_location{};
};

int call_site(CallSites& c, int location) {
    if (location < 0) return -1;
    const auto known = c.by_location.find(location);
    if (known != c.by_location.end()) return known->second;
    const ptx::Location& where = c.module.locations[static_cast<size_t>(location)];
    capture::Site site;
    fill(c.module, site, where);
    site.inlined_at = call_site(c, where.inlined_at);
    c.sites.push_back(site);
    return c.by_location[location] = static_cast<int>(c.sites.size()) - 1;
}

}  // namespace

void add_sites(
    const ptx::Module& module, const std::vector<const ptx::Function*>& functions, Program& program
) {
    auto& sites = program.sites;
    for (const ptx::Function* f : functions) {
        for (std::string& line : ptx::list_code(module, *f)) {
            capture::Site& site = sites.emplace_back();
            if (!f->is_entry) site.function = f->name;
            site.text = std::move(line);
        }
    }
    CallSites calls{module, sites};
    size_t k = 0;
    for (const ptx::Function* f : functions) {
        for (const ptx::Instruction& in : f->code) {
            const size_t here = k++;
            if (in.location < 0) continue;
            const ptx::Location& where = module.locations[static_cast<size_t>(in.location)];
            fill(module, sites[here], where);
            const int call = call_site(calls, where.inlined_at);
            sites[here].inlined_at = call;
        }
    }
}

void name_stages(Program& program) {
    for (const ptx::Mark& mark : program.marks) {
        int index = -1;
        if (mark.kind == ptx::Mark::Kind::stage) {
            const auto known = std::find(program.stages.begin(), program.stages.end(), mark.name);
            index = static_cast<int>(known - program.stages.begin());
            if (known == program.stages.end()) program.stages.push_back(mark.name);
        }
        program.stage_of_mark.push_back(index);
    }
}

}  // namespace wl::emulator
