// docs/benchmarks.md: every number of it in one run.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "skinning_cases.h"

namespace sinew::bench {

/// Nanoseconds per vertex, the best of many calls. Keys are the names of ways up to a slash.
using Times = std::map<std::string, double, std::less<>>;

/// Calls all ways in turn, each a few times in a row, until the time is up: what disturbs one disturbs the others too.
inline Times measure(const std::vector<Way>& ways, std::size_t vertices, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  Times best;
  const Clock::time_point begin = Clock::now();
  for (int round = 0; round < 5 || since(begin) < seconds; ++round) {
    for (const Way& way : ways) {
      way.run();
      for (int call = 0; call < 4; ++call) {
        const Clock::time_point start = Clock::now();
        way.run();
        const double time = since(start) * 1e9 / static_cast<double>(vertices);
        const auto [found, added] = best.try_emplace(way.name.substr(0, way.name.find('/')), time);
        found->second = std::min(found->second, time);
      }
    }
  }
  return best;
}

class TableWriter {
 public:
  TableWriter(const std::string& file, double seconds) : out_(file), seconds_(seconds) {
    SINEW_CHECK(out_.good(), "bench_skinning", fmt::format("cannot write {}", file));
  }

  void write(const std::vector<Index>& sizes) {
    out_ << fmt::format(kOpening, cpuName(), compilerName(), play::instructionSets().front());
    for (const Index size : sizes) measureBiped(size);
    requirements();
    everyWay();
    growth();
    byJoints();
    byInfluences();
    scatteredWeights();
  }

 private:
  struct Measured {
    std::size_t vertices;
    play::PackReport report;
    Times one;
    double twoThreads;
  };

  static constexpr const char* kOpening =
      "# Benchmarks of the packed runtime\n\n"
      "Made by `bench/make_table` on {}, {}, instruction set {}.\n"
      "`build/release/bench/bench_skinning` alone runs the same cases under Google Benchmark.\n\n"
      "Times are nanoseconds per vertex, the best of many interleaved calls, one thread unless noted. "
      "They depend on the machine, the ratios less so. The character is the built-in `biped` with its own weights, at "
      "most 4 per vertex. The table compares:\n\n"
      "- **packed**: `skinLinear`, positions as x y z in packed order ([methods/packed_runtime.md]"
      "(methods/packed_runtime.md)).\n"
      "- **traffic**: the same bytes read and written in blocks, no skinning; the fastest of 256 and 512 "
      "bits, "
      "cached and streamed stores. This is the lower bound.\n"
      "- **columns**: each vertex blends the columns of its 4 matrices by SIMD, the best of 128, 256 and 512 bits.\n"
      "- **plain**: a straightforward loop over 4 influences, compiled at -O2; the better of "
      "two.\n\n";

  void measureBiped(Index size) {
    const MeasuredSkin skin = biped(size);
    Stage stage(skin);
    const std::vector<Way> ways = stage.ways();
    Measured measured{stage.vertices, stage.packed.report(), {}, 0};
    {
      const ThreadLimit one(1);
      measured.one = measure(ways, stage.vertices, seconds_);
    }
    const ThreadLimit two(2);
    measured.twoThreads = measure({ways.front()}, stage.vertices, seconds_ / 2).at("packed");
    biped_.emplace(size, std::move(measured));
  }

  void requirements() {
    out_ << "## Ratios\n\n| biped | 100,000 | 1,000,000 | target |\n|---|---|---|---|\n";
    const auto row = [&](std::string_view name, std::string_view wanted, auto&& ratio) {
      out_ << fmt::format("| {} |", name);
      for (const Index size : {Index{100000}, Index{1000000}}) {
        const auto found = biped_.find(size);
        out_ << (found == biped_.end() ? std::string(" |") : fmt::format(" {:.2f} |", ratio(found->second)));
      }
      out_ << fmt::format(" {} |\n", wanted);
    };
    const auto over = [](const char* a, const char* b) {
      return [a, b](const Measured& m) { return m.one.find(a)->second / m.one.find(b)->second; };
    };
    row("packed / traffic", "at most 2.0", over("packed", "traffic"));
    row("columns / packed", "at least 1.6", over("columns", "packed"));
    row("plain / packed", "at least 5", over("plain", "packed"));
    row("1 thread / 2 threads", "at least 1.6 at 1,000,000",
        [](const Measured& m) { return m.one.at("packed") / m.twoThreads; });
    row("dual quaternion / linear blend", "at most 3.5", over("packed, dual quaternion", "packed"));
    row("positions and packed normals / positions", "at most 1.5", over("packed, packed normals", "packed"));
    row("the traffic of both / the traffic of positions", "", over("traffic, packed normals", "traffic"));
    row("positions and float normals / positions", "", over("packed, float normals", "packed"));
    out_ << "\n"
            "Packed normals miss their target if the vertices are in the caches. Positions alone read 15 "
            "bytes per "
            "vertex, write 12, and run near the lower bound. Packed normals add 5 bytes read, 4 written, "
            "and about two "
            "thirds of the arithmetic: from memory the bytes dominate, in the caches the arithmetic.\n\n";
  }

  void everyWay() {
    out_ << "## Nanoseconds per vertex\n\n| biped | 100,000 | 1,000,000 |\n|---|---|---|\n";
    const auto small = biped_.find(100000);
    const auto large = biped_.find(1000000);
    if (small == biped_.end()) return;
    for (const auto& [name, time] : small->second.one) {
      out_ << fmt::format("| {} | {:.2f} | {} |\n", name, time,
                          large == biped_.end() ? "" : fmt::format("{:.2f}", large->second.one.at(name)));
    }
    out_ << fmt::format("\nPacking at 100,000: {}.\n\n", small->second.report.text());
  }

  void growth() {
    out_ << "## Vertices\n\nThe biped at other resolutions.\n\n"
            "| vertices | traffic | packed | 2 threads | with packed normals | dual quaternion "
            "|\n|---|---|---|---|---|---|\n";
    for (const auto& [size, m] : biped_) {
      out_ << fmt::format("| {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |\n", m.vertices, m.one.at("traffic"),
                          m.one.at("packed"), m.twoThreads, m.one.at("packed, packed normals"),
                          m.one.at("packed, dual quaternion"));
    }
    out_ << "\n";
  }

  void chainRow(const std::string& head, const MeasuredSkin& skin) {
    const ThreadLimit one(1);
    Stage stage(skin);
    const Times t = measure(stage.packedWays(), stage.vertices, seconds_ / 8);
    out_ << fmt::format("| {} | {} | {:.1f} | {:.2f} | {:.2f} | {:.2f} |\n", head, stage.packed.report().runs,
                        stage.packed.report().bytesPerVertex, t.at("packed"), t.at("packed, packed normals"),
                        t.at("packed, dual quaternion"));
  }

  void chainHead(std::string_view title, std::string_view text, std::string_view first) {
    out_ << fmt::format("## {}\n\n{}\n\n| {} | runs | bytes read | packed | with packed normals | dual quaternion |\n",
                        title, text, first)
         << "|---|---|---|---|---|---|\n";
  }

  void byJoints() {
    chainHead("Joints", "100,000 points in random order along a chain of joints, each influenced by its 4 nearest.",
              "joints");
    for (const std::size_t joints : {8u, 32u, 128u, 512u, 2048u}) {
      chainRow(std::to_string(joints), chain(100000, joints, 4));
    }
    out_ << "\n";
  }

  void byInfluences() {
    chainHead("Influences", "The same with 24 joints.", "influences");
    for (int influences = 1; influences <= 8; ++influences) {
      chainRow(std::to_string(influences), chain(100000, 24, influences));
    }
    out_ << "\n";
  }

  void scatteredWeights() {
    out_ << "## Scattered weights\n\n100,000 vertices, each with 4 random joints, so that few vertices share a set. "
            "Packing merges what it can and blends the rest one vertex at a time.\n\n"
            "| joints | in runs | packed | columns | plain |\n|---|---|---|---|---|\n";
    const ThreadLimit one(1);
    for (const std::size_t joints : {24u, 60u, 240u}) {
      Stage stage(scattered(100000, joints));
      const Times t = measure(stage.ways(), stage.vertices, seconds_ / 4);
      out_ << fmt::format("| {} | {:.0f} % | {:.2f} | {:.2f} | {:.2f} |\n", joints,
                          100 * stage.packed.report().shareInRuns(), t.at("packed"), t.at("columns"), t.at("plain"));
    }
  }

  static std::string cpuName() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
      if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
    }
    return "an unknown processor";
  }

  static std::string compilerName() {
#if defined(__clang__)
    return fmt::format("clang {}.{}", __clang_major__, __clang_minor__);
#else
    return fmt::format("g++ {}.{}", __GNUC__, __GNUC_MINOR__);
#endif
  }

  std::ofstream out_;
  double seconds_;
  std::map<Index, Measured> biped_;
};

}  // namespace sinew::bench
