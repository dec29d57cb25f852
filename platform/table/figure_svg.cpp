// Curves, bars and stacks of a table, drawn as SVG: what a reader lays beside the published figure.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "platform/report/xml_text.h"
#include "platform/table/table_pages.h"

namespace meshkv::platform {
namespace {

constexpr double kWidth = 720, kHeight = 320, kLeft = 60, kRight = 170, kTop = 12, kBottom = 36;
const char* const kColours[] = {"#c2410c", "#b45309", "#0e7490", "#1d4ed8", "#7e22ce", "#4d7c0f"};

std::string number(double v) {
  char text[40];
  std::snprintf(text, sizeof text, "%.2f", v);
  return text;
}

std::string text_at(double x, double y, const std::string& text, const char* anchor) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\">" +
         xml_text(text) + "</text>";
}

class Drawing {
 public:
  Drawing(const TableFigure& figure, const TableResults& results) : figure_(figure) {
    for (const auto& series : figure.series) {
      ours_.emplace_back();
      for (const std::string& formula : series.ours) ours_.back().push_back(results.estimate(formula));
    }
    top_ = highest();
  }

  std::string svg() {
    svg_ = "<svg viewBox=\"0 0 720 320\" width=\"720\" role=\"img\">";
    axes();
    for (std::size_t s = 0; s < figure_.series.size(); ++s) {
      if (figure_.kind == "lines") {
        line(s, false);
        line(s, true);
      } else {
        bars(s, false);
        bars(s, true);
      }
      legend(s);
    }
    return svg_ + "</svg>";
  }

 private:
  std::optional<double> value(std::size_t s, std::size_t x, bool published) const {
    const auto& series = figure_.series[s];
    if (published && (series.published.empty() || std::isnan(series.published[x]))) return std::nullopt;
    if (published) return series.published[x];
    return ours_[s][x] ? std::optional<double>(ours_[s][x]->mean) : std::nullopt;
  }

  double highest() const {
    double top = 0;
    for (std::size_t x = 0; x < figure_.x.size(); ++x) {
      for (const bool published : {false, true}) {
        double stack = 0;
        for (std::size_t s = 0; s < figure_.series.size(); ++s) {
          const double v = value(s, x, published).value_or(0);
          stack = figure_.kind == "stacks" ? stack + v : std::max(stack, v);
        }
        top = std::max(top, stack);
      }
    }
    return top > 0 ? top * 1.05 : 1;
  }

  double y_of(double v) const { return kHeight - kBottom - v / top_ * (kHeight - kTop - kBottom); }
  double slot() const { return (kWidth - kLeft - kRight) / static_cast<double>(figure_.x.size()); }
  double x_of(std::size_t x) const { return kLeft + (static_cast<double>(x) + 0.5) * slot(); }
  static const char* colour(std::size_t s) { return kColours[s % (sizeof kColours / sizeof *kColours)]; }

  void axes() {
    const double step = std::pow(10, std::floor(std::log10(top_ / 2)));
    const double pace = top_ / step > 10 ? 5 * step : top_ / step > 5 ? 2 * step : step;
    for (double v = 0; v <= top_; v += pace) {
      svg_ += "<line x1=\"60\" x2=\"550\" y1=\"" + number(y_of(v)) + "\" y2=\"" + number(y_of(v)) +
              "\" stroke=\"#e5e5e5\"/>";
      char label[40];
      std::snprintf(label, sizeof label, "%g", v);
      svg_ += text_at(kLeft - 6, y_of(v) + 4, label, "end");
    }
    for (std::size_t x = 0; x < figure_.x.size(); ++x)
      svg_ += text_at(x_of(x), kHeight - kBottom + 18, figure_.x[x], "middle");
    svg_ += text_at(kWidth - kRight + 12, kTop + 8, figure_.y_label, "start");
  }

  void legend(std::size_t s) {
    const double y = kTop + 30 + 20 * static_cast<double>(s);
    svg_ += std::string("<rect x=\"562\" width=\"12\" height=\"12\" y=\"") + number(y - 10) + "\" fill=\"" +
            colour(s) + "\"/>" + text_at(580, y, figure_.series[s].name, "start");
    if (s + 1 == figure_.series.size())
      svg_ += text_at(562, y + 24, figure_.kind == "lines" ? "dashed: paper" : "outlined: paper", "start");
  }

  void line(std::size_t s, bool published) {
    std::string points;
    for (std::size_t x = 0; x < figure_.x.size(); ++x) {
      const auto v = value(s, x, published);
      if (!v) continue;
      points += number(x_of(x)) + "," + number(y_of(*v)) + " ";
      if (published)  // one published value alone makes no line
        svg_ += "<circle r=\"4\" fill=\"none\" stroke=\"" + std::string(colour(s)) + "\" cx=\"" +
                number(x_of(x)) + "\" cy=\"" + number(y_of(*v)) + "\"/>";
    }
    if (points.empty()) return;
    svg_ += std::string("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"") + colour(s) + "\"" +
            (published ? " stroke-dasharray=\"5 4\"" : "") + " points=\"" + points + "\"/>";
  }

  /// Ours filled, the published ones outlined to the right of them; stacks stand on one another.
  void bars(std::size_t s, bool published) {
    const bool stacks = figure_.kind == "stacks";
    const auto groups = static_cast<double>(stacks ? 1 : figure_.series.size());
    const double width = slot() * 0.8 / groups / 2;
    for (std::size_t x = 0; x < figure_.x.size(); ++x) {
      const auto v = value(s, x, published);
      if (!v) continue;
      double below = 0;
      for (std::size_t under = 0; stacks && under < s; ++under)
        below += value(under, x, published).value_or(0);
      const double left = x_of(x) - slot() * 0.4 + (stacks ? 0 : static_cast<double>(s) * 2 * width) +
                          (published ? width : 0);
      svg_ += "<rect x=\"" + number(left) + "\" width=\"" + number(width - 2) + "\" y=\"" +
              number(y_of(below + *v)) + "\" height=\"" + number(y_of(below) - y_of(below + *v)) + "\" " +
              (published ? std::string("fill=\"none\" stroke=\"") : std::string("fill=\"")) + colour(s) +
              "\"/>";
    }
  }

  const TableFigure& figure_;
  std::vector<std::vector<std::optional<Estimate>>> ours_;
  double top_ = 1;
  std::string svg_;
};

}  // namespace

std::string figure_svg(const TableFigure& figure, const TableResults& results) {
  return Drawing(figure, results).svg();
}

}  // namespace meshkv::platform
