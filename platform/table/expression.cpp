#include "platform/table/expression.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace meshkv::platform {
namespace {

class Parser {
 public:
  Parser(const std::string& text, const std::function<double(const std::string&)>& look_up)
      : text_(text), look_up_(look_up) {}

  double whole() {
    const double value = sum();
    if (peek() != '\0') fail("expected an operator");
    return value;
  }

 private:
  static constexpr int kDeepest = 100;

  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw ExpressionError("\"" + text_ + "\": " + what + " at character " + std::to_string(at_ + 1));
  }

  double sum() {
    double value = product();
    for (;;) {
      if (take('+'))
        value += product();
      else if (take('-'))
        value -= product();
      else
        return value;
    }
  }

  double product() {
    double value = factor();
    for (;;) {
      if (take('*')) {
        value *= factor();
      } else if (take('/')) {
        const double by = factor();
        if (by == 0) fail("division by zero");
        value /= by;
      } else {
        return value;
      }
    }
  }

  double factor() {
    bool negative = false;
    while (take('-')) negative = !negative;
    const double value = unsigned_factor();
    return negative ? -value : value;
  }

  double unsigned_factor() {
    if (take('(')) {
      const double value = nested();
      if (!take(')')) fail("expected )");
      return value;
    }
    if (take('[')) return look_up_(name());
    const char c = peek();
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) return call();
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') {
      char* end = nullptr;
      const double value = std::strtod(text_.c_str() + at_, &end);
      at_ = static_cast<std::size_t>(end - text_.c_str());
      return value;
    }
    fail("expected a number, a name in brackets or a function");
  }

  double nested() {
    if (++depth_ > kDeepest) fail("more than " + std::to_string(kDeepest) + " brackets inside each other");
    const double value = sum();
    --depth_;
    return value;
  }

  std::string name() {
    const std::size_t end = text_.find(']', at_);
    if (end == std::string::npos) fail("expected ]");
    const std::string found = text_.substr(at_, end - at_);
    at_ = end + 1;
    return found;
  }

  double call() {
    std::string function;
    while (std::isalpha(static_cast<unsigned char>(peek())) != 0) function += text_[at_++];
    if (!take('(')) fail("expected ( after " + function);
    std::vector<double> values{nested()};
    while (take(',')) values.push_back(nested());
    if (!take(')')) fail("expected ) or ,");
    if (function == "min") return *std::min_element(values.begin(), values.end());
    if (function == "max") return *std::max_element(values.begin(), values.end());
    if (function == "abs" && values.size() == 1) return std::abs(values[0]);
    if (function == "best" && values.size() % 2 == 0) return best(values);
    fail("unknown function " + function + " of " + std::to_string(values.size()) +
         " values; allowed: min, max, abs of one, best of pairs");
  }

  static double best(const std::vector<double>& pairs) {
    std::size_t found = 0;
    for (std::size_t i = 2; i < pairs.size(); i += 2)
      if (pairs[i + 1] > pairs[found + 1]) found = i;
    return pairs[found];
  }

  const std::string& text_;
  const std::function<double(const std::string&)>& look_up_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

double evaluate(const std::string& formula, const std::function<double(const std::string&)>& look_up) {
  const double value = Parser(formula, look_up).whole();
  if (!std::isfinite(value)) throw ExpressionError("\"" + formula + "\": is no finite number");
  return value;
}

std::vector<std::string> names_in(const std::string& formula) {
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = formula.find('[', at)) != std::string::npos;) {
    const std::size_t end = formula.find(']', at);
    if (end == std::string::npos) break;
    names.push_back(formula.substr(at + 1, end - at - 1));
    at = end;
  }
  return names;
}

}  // namespace meshkv::platform
