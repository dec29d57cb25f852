// Formulas over results: "[t4:meshkv.noc.traffic] / [t4:cent.noc.traffic]".
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace meshkv::platform {

/// What is wrong with a formula, and where.
class ExpressionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Numbers, + - * / ( ), [NAME], min(...), max(...), abs(x), and best(k1, x1, k2, x2, ...): the k whose x is
/// largest. `look_up` gives the value of a name. Throws ExpressionError.
double evaluate(const std::string& formula, const std::function<double(const std::string&)>& look_up);

/// The names in a formula, in order.
std::vector<std::string> names_in(const std::string& formula);

}  // namespace meshkv::platform
