// All templates asked in turn.
#include "tests/conformance/families/families.h"

namespace wl::conformance {

std::vector<Case> cases_of(const ptx::Form& form) {
    std::vector<Case> all;
    for (const auto family :
         {elementwise_cases,
          carry_cases,
          move_cases,
          video_cases,
          memory_cases,
          atomic_cases,
          async_copy_cases,
          mbarrier_cases,
          barrier_cases,
          texture_cases,
          surface_cases,
          warp_cases,
          control_cases,
          mma_cases,
          wmma_cases,
          matrix_move_cases,
          warpgroup_cases})
        for (Case& c : family(form)) all.push_back(std::move(c));
    return all;
}

}  // namespace wl::conformance
