// The instructions that an entry can come to, as reports name them: source line, text and the calls they were
// inlined through.
#include "instrumentation/execution/listing.h"

#include "instrumentation/execution/reach.h"
#include "instrumentation/ptx/print/listing.h"

#include <algorithm>
#include <map>

namespace wl::execution {
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

void add_sites(
    const ptx::Module& module,
    const std::vector<const ptx::Function*>& functions,
    std::vector<capture::Site>& sites
) {
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

void name_stages(Listing& listing) {
    for (const ptx::Mark& mark : listing.marks) {
        int index = -1;
        if (mark.kind == ptx::Mark::Kind::stage) {
            const auto known = std::find(listing.stages.begin(), listing.stages.end(), mark.name);
            index = static_cast<int>(known - listing.stages.begin());
            if (known == listing.stages.end()) listing.stages.push_back(mark.name);
        }
        listing.stage_of_mark.push_back(index);
    }
}

}  // namespace

Listing list(const ptx::Module& module, int function) {
    Listing listing;
    listing.functions = reachable_functions(module, function);
    std::vector<const ptx::Function*> bodies;
    for (const int index : listing.functions) {
        const ptx::Function& f = module.functions[static_cast<size_t>(index)];
        if (!f.is_declaration) bodies.push_back(&f);
        listing.marks.insert(listing.marks.end(), f.marks.begin(), f.marks.end());
    }
    name_stages(listing);
    add_sites(module, bodies, listing.sites);
    return listing;
}

}  // namespace wl::execution
