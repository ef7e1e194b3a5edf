// Binding a manifest's [reference] to data.
#include "instrumentation/diagnosis/reference.h"

#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/kernel_reference.h"
#include "instrumentation/manifest/python.h"

#include <algorithm>

namespace wl::diagnosis {

namespace {

using manifest::Problem;

double param(const Problem& p, const std::string& name) {
    const auto it = std::find_if(p.params.begin(), p.params.end(), [&](const auto& entry) {
        return entry.first == name;
    });
    if (it == p.params.end()) {
        throw Error(
            p.kernel.path + ": the builtin attention reference needs the parameter '" + name +
            "'; add it to [params] (it reads B, H, S, D, N and CAUSAL)"
        );
    }
    return it->second;
}

double param_or(const Problem& p, const std::string& name, double otherwise) {
    const auto it = std::find_if(p.params.begin(), p.params.end(), [&](const auto& entry) {
        return entry.first == name;
    });
    return it == p.params.end() ? otherwise : it->second;
}

Tensor input(const Problem& p, const std::string& name) {
    const auto it =
        std::find_if(p.args.begin(), p.args.end(), [&](const auto& a) { return a.array && a.name == name; });
    if (it == p.args.end())
        throw Error(
            p.kernel.path + ": the builtin attention reference needs an array argument named '" + name + "'"
        );
    Tensor t = it->data;
    t.name = name;
    return t;
}

analysis::Reference attention(const Problem& p) {
    analysis::AttentionProblem a;
    a.batch = static_cast<int64_t>(param(p, "B")), a.heads = static_cast<int64_t>(param(p, "H"));
    a.sequence = static_cast<int64_t>(param(p, "S")), a.head_dim = static_cast<int64_t>(param(p, "D"));
    a.kv_tile = static_cast<int64_t>(param(p, "N")), a.causal = param(p, "CAUSAL") != 0;
    a.scale = param_or(p, "SCALE", 0);
    if (param_or(p, "P_BITS", 32) == 16) a.p_format = DType::f16;  // the kernel rounds P to f16 before P V
    a.q = input(p, "Q"), a.k = input(p, "K"), a.v = input(p, "V");
    return analysis::attention_reference(std::move(a));
}

}  // namespace

std::vector<analysis::TensorTerms> terms_of(const Problem& p) {
    std::map<std::string, double> variables(p.params.begin(), p.params.end());
    std::vector<analysis::TensorTerms> out;
    const auto add = [&](const std::string& of, const std::string& expression, const std::string& where) {
        if (!expression.empty()) out.push_back({of, manifest::evaluate(expression, variables, where)});
    };
    for (const auto& [name, rule] : p.kernel.outputs)
        add(rule.of.empty() ? name : rule.of, rule.terms, p.kernel.path + ": output." + name + ".terms");
    for (const manifest::BoundLaunch& launch : p.launches)
        for (const auto& [name, rule] : launch.outputs)
            add(rule.of, rule.terms, p.kernel.path + ": " + launch.key + ".output." + name + ".terms");
    for (const auto& [name, rule] : p.kernel.tiles)
        add(rule.of, rule.terms, p.kernel.path + ": tile." + name + ".terms");
    return out;
}

MadeReference make_reference(const Problem& p) {
    const manifest::ReferenceRule& rule = p.kernel.reference;
    using Kind = manifest::ReferenceRule::Kind;
    switch (rule.kind) {
        case Kind::none: return {std::nullopt, {}};
        case Kind::builtin:
            if (rule.target != "attention")
                throw Error(
                    p.kernel.path + R"(: reference.builtin = ")" + rule.target +
                    R"(" is unknown; the only one is "attention")"
                );
            return {attention(p), {}};
        case Kind::python: {
            manifest::PythonReference made = manifest::run_python_reference(p, rule.target);
            const std::string remark =
                made.open.empty() ? "" : "the reference in Python was not fully restricted: " + made.open;
            if (!made.problem.empty()) return {std::nullopt, std::move(made.problem), remark};
            return {
                analysis::tensor_reference(rule.target + ", float64", std::move(made.tensors), terms_of(p)),
                {},
                remark};
        }
        case Kind::npz:
            return {
                analysis::tensor_reference(rule.target, manifest::read_npz(rule.target), terms_of(p)), {}};
        case Kind::recorded:
            return {
                analysis::tensor_reference("what the " + rule.target + " left", p.recorded, terms_of(p)), {}};
        case Kind::kernel: return kernel_reference(p, rule.target);
    }
    return {};
}

}  // namespace wl::diagnosis
