// Stacked generalisation (Wolpert 1992; Breiman, "Stacked regressions", 1996) of interpolations. With R_m the operator
// that takes the deltas of the examples to the errors of term m at left-out examples (math/rbf, closed form), shares b
// of the terms leave the error
//   sum over vertices |sum_m b_m R_m delta_v|^2 = b^T H b,  H_mn = trace(R_m S R_n^T),  S = sum_v delta_v delta_v^T,
// which is smallest on the simplex b >= 0, sum b = 1: the same solver as for skin weights. The term that corrects
// nothing away from the examples is one of them, so that corrections which do not predict are faded instead of played.
// Shares are chosen for each group of vertices from its own H, those of groups that listen to the same joints, and a
// little of all, so that they change smoothly over the skin.
#include "sinew/learn/pose_space/terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/parallel.h"
#include "sinew/learn/pose_space/pooling.h"
#include "sinew/learn/pose_space/spread.h"
#include "sinew/math/decompositions.h"
#include "sinew/math/simplex_least_squares.h"

namespace sinew::pose_space {
namespace {

/// Terms that get less than this are not worth their time in every frame, and more likely noise than not.
constexpr double kLeastTermShare = 0.1;
/// A term that gets more than this does it alone; shares below that are none.
constexpr double kAlone = 0.95;
constexpr double kNoShare = 0.003;
constexpr std::size_t kMostTerms = 5;
/// With rest: a single sculpt cannot be predicted from others, so nothing can be chosen.
constexpr Index kLeastPoses = 3;
/// Groups whose errors are measured; the others go by groups like them.
constexpr std::size_t kMeasuredGroups = 384;
constexpr std::size_t kLeastMeasuredGroups = 6;
/// Multiplications of all inverses that are worth it: with many examples fewer groups are measured.
constexpr double kMostWork = 3e9;
/// Examples whose errors are measured: those of more are spread over the poses.
constexpr std::size_t kMostMeasuredExamples = 224;
/// Sums over joints are for few examples in many dimensions: beyond this many, and per dimension, they are not tried.
constexpr Index kManyExamples = 128;
constexpr Index kDensePerDimension = 4;
/// Of the widest.
constexpr double kLeastSpanned = 1e-6;
/// How much the errors of all vertices count in the choice of a group.
constexpr double kShareOfAll = 0.1;
/// One interpolation with one measure for all vertices is preferred to a mixture whose squared error is less by at most
/// this factor.
constexpr double kPlainEnough = 1.1;
/// Of two terms with equal predictions the cheaper one is used: the cost of shares, relative to the error.
constexpr double kCheap = 1e-6;
constexpr double kDear = 1e-4;

struct TermCandidate {
  PoseSpaceTerm term;
  std::string name;
};
TermCandidate additive(const char* kernel, double floor, double local) {
  TermCandidate candidate;
  candidate.term.interpolation.kernel = kernel;
  candidate.term.interpolation.local = local;
  candidate.term.floor = floor;
  candidate.name = fmt::format("{}, local {:g}, floor {:g}", kernel, local, floor);
  return candidate;
}

TermCandidate radial(std::string_view kernel, bool uniform, double radius = 0) {
  TermCandidate candidate;
  candidate.term.interpolation = {.kernel = std::string(kernel), .radius = radius};
  candidate.term.uniform = uniform;
  candidate.name = fmt::format("{}{}, {}", kernel, radius > 0 ? fmt::format(", radius {:.3g}", radius) : "",
                               uniform ? "all joints alike" : "weighted");
  return candidate;
}

/// Directions of the pose space in which the examples extend.
Index spannedDimensions(const PoseSpaceModel& model) {
  const Eigen::MatrixXd places = model.poseSpace.scales().asDiagonal() * model.poses;
  return orthonormalBasis(places.colwise() - places.col(0), kLeastSpanned).cols();
}

std::size_t measuredGroupsFor(std::size_t examples, std::size_t candidates) {
  const double work = 2 * std::pow(static_cast<double>(examples), 3) * static_cast<double>(candidates);
  return static_cast<std::size_t>(
      std::clamp(kMostWork / work, static_cast<double>(kLeastMeasuredGroups), static_cast<double>(kMeasuredGroups)));
}

/// A linear polynomial needs examples to spare in every direction.
bool carriesPolynomial(const PoseSpaceModel& model) {
  return model.poses.cols() >= model.poses.rows() + 2 || spannedDimensions(model) + 3 <= model.poses.cols();
}

std::vector<TermCandidate> candidatesFor(const PoseSpaceModel& model, const TermOptions& options) {
  std::vector<TermCandidate> result = {additive("none", 0, 1)};
  const bool polynomial = carriesPolynomial(model);
  const RbfOptions& own = model.interpolation;
  if (rbfKernel(own.kernel).usesRadius && !options.weighted)  // many.h
    result.push_back(radial(own.kernel, true, own.radius));
  for (const bool uniform : {true, false}) {
    if (uniform && options.weighted) continue;
    if (polynomial) result.push_back(radial("cubic", uniform));
    result.push_back(radial("linear", uniform));
  }
  if (model.poses.cols() > kManyExamples && model.poses.cols() > kDensePerDimension * (spannedDimensions(model) + 1))
    return result;
  for (const double local : {0.001, 0.03, 0.3}) result.push_back(additive("joint-even", 0, local));
  result.push_back(additive("joint-quadratic", 0, 0.01));
  for (const double local : {0.001, 0.1}) result.push_back(additive("joint-quadratic", 0.02, local));
  result.push_back(additive("joint-chord", 0.02, 0.001));
  result.push_back(additive("joint-smooth", 0, 0.001));
  return result;
}

PoseSpaceModel withTerms(const PoseSpaceModel& model, const std::vector<PoseSpaceTerm>& terms) {
  PoseSpaceModel result = withoutShapes(model);
  result.terms = terms;
  return result;
}

Index groupCountOf(const PoseSpaceModel& model) {
  return model.weighted() ? model.groupWeights.cols() : 1;
}

/// Products of the shapes in each group: S, or its factor Q of S = C^T Q C for a model of low rank.
std::vector<Eigen::MatrixXd> groupProducts(const PoseSpaceModel& model) {
  const auto shapes = static_cast<Index>(model.deltas.size());
  const Index groups = groupCountOf(model);
  std::vector<std::vector<Index>> members(toSize(groups));
  for (std::size_t i = 0; i < model.vertices.size(); ++i)
    members[model.weighted() ? model.groupOf[i] : 0].push_back(static_cast<Index>(i));
  std::vector<Eigen::MatrixXd> products(members.size());
  parallelFor(groups, 1, [&](Index g) {
    const std::vector<Index>& vertices = members[toSize(g)];
    const bool layered = !model.layer.empty();
    Eigen::MatrixXd rows((layered ? 6 : 3) * static_cast<Index>(vertices.size()), shapes);
    for (Index k = 0; k < shapes; ++k) {
      for (std::size_t i = 0; i < vertices.size(); ++i) {
        const auto at = static_cast<Index>(i) * (layered ? 6 : 3);
        rows.block<3, 1>(at, k) = model.deltas[toSize(k)].col(vertices[i]);
        if (layered) rows.block<3, 1>(at + 3, k) = model.layer[toSize(k)].col(vertices[i]);
      }
    }
    products[toSize(g)] = rows.transpose() * rows;
  });
  return products;
}

class TermChooser {
 public:
  TermChooser(const TermOptions& options, PoseSpaceModel& model, const Progress& progress)
      : model_(model),
        progress_(progress),
        candidates_(candidatesFor(model, options)),
        products_(groupProducts(model)),
        chosen_(spreadExamples(model, kMostMeasuredExamples)) {
    if (model.lowRank()) factors_ = model.coefficients(Eigen::all, chosen_);
  }

  std::vector<PoseSpaceTrial> run() {
    leaveOut();
    if (groupCountOf(model_) > 1) pooled_ = pooledErrors(grams_, directionsOfGroups());
    std::vector<Index> kept = chosenOverall();
    if (const Index plain = plainInstead(kept); plain >= 0) kept = {plain};
    for (const Index c : kept) model_.terms.push_back(candidates_[toSize(c)].term);
    model_.shares = sharesOfGroups(kept);
    overall_ = meanShares(model_.shares);
    trials(kept, overall_);
    roundShares(model_.shares);
    simplify();
    return std::move(trials_);
  }

 private:
  /// The groups with the largest corrections, cycling through the drivers that bend them most, so that every part of
  /// the body is measured.
  [[nodiscard]] std::vector<Index> measuredGroups() const {
    std::vector<Index> groups(products_.size());
    for (std::size_t g = 0; g < groups.size(); ++g) groups[g] = static_cast<Index>(g);
    const std::size_t most = measuredGroupsFor(chosen_.size(), candidates_.size());
    if (groups.size() <= most) return groups;
    std::stable_sort(groups.begin(), groups.end(),
                     [&](Index a, Index b) { return products_[toSize(a)].trace() > products_[toSize(b)].trace(); });
    std::vector<std::pair<Index, Index>> turns;  // the how manieth of its driver, group
    std::vector<Index> taken(toSize(model_.groupWeights.rows()), 0);
    for (const Index g : groups) {
      Index driver = 0;
      model_.groupWeights.col(g).maxCoeff(&driver);
      turns.emplace_back(taken[toSize(driver)]++, g);
    }
    std::stable_sort(turns.begin(), turns.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    groups.clear();
    for (std::size_t i = 0; i < most; ++i) groups.push_back(turns[i].second);
    std::sort(groups.begin(), groups.end());
    return groups;
  }

  /// H of every measured group. Candidates that some example is indispensable for are dropped.
  void leaveOut() {
    const std::vector<Index> measured = measuredGroups();
    const auto groups = static_cast<Index>(measured.size());
    const auto examples = static_cast<Index>(chosen_.size());
    const auto counts = [&](std::uint32_t g) { return std::binary_search(measured.begin(), measured.end(), Index{g}); };
    vertices_ = model_.weighted() ? std::count_if(model_.groupOf.begin(), model_.groupOf.end(), counts)
                                  : static_cast<Index>(model_.vertices.size());
    const double thinned = thinningOf(model_, chosen_);
    PoseSpaceModel few = ofExamples(withTerms(model_, {}), chosen_);
    if (model_.weighted()) few.groupWeights = Eigen::MatrixXd(model_.groupWeights(Eigen::all, measured));
    std::vector<std::vector<Eigen::MatrixXd>> errors;  // candidate, group: R C^T without the row of rest
    std::vector<TermCandidate> usable;
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      report(progress_, {static_cast<double>(c) / static_cast<double>(candidates_.size()), "kernels"});
      few.terms = {candidates_[c].term};
      few.terms[0].interpolation.radius *= thinned;
      few.shares = Eigen::MatrixXd::Ones(1, groups);
      const PoseSpaceWeights weights(few);
      std::vector<Eigen::MatrixXd> mine(toSize(groups));
      parallelFor(groups, 1, [&](Index g) {
        const RbfLeftOut without = weights.weightsWithoutEach(g);
        if (!without.undetermined.empty()) return;
        const Eigen::MatrixXd rows =
            (Eigen::MatrixXd::Identity(examples, examples) - without.weights).bottomRows(examples - 1);
        mine[toSize(g)] = factors_.size() > 0 ? Eigen::MatrixXd(rows * factors_.transpose()) : rows;
      });
      if (std::any_of(mine.begin(), mine.end(), [](const auto& m) { return m.size() == 0 || !m.allFinite(); }))
        continue;
      usable.push_back(candidates_[c]);
      errors.push_back(std::move(mine));
    }
    candidates_ = std::move(usable);
    const auto count = static_cast<Index>(candidates_.size());
    costs_.setConstant(count, kDear);
    for (Index c = 0; c < count; ++c) {
      if (candidates_[toSize(c)].term.uniform) costs_[c] = kCheap;
    }
    grams_.assign(products_.size(), Eigen::MatrixXd::Zero(count, count));
    parallelFor(groups, 1, [&](Index i) {
      const auto place = toSize(i);
      const auto at = toSize(measured[place]);
      std::vector<Eigen::MatrixXd> carried;
      for (Index m = 0; m < count; ++m) carried.emplace_back(errors[toSize(m)][place] * products_[at]);
      for (Index m = 0; m < count; ++m) {
        for (Index n = 0; n <= m; ++n) {
          grams_[at](m, n) = grams_[at](n, m) = carried[toSize(m)].cwiseProduct(errors[toSize(n)][place]).sum();
        }
      }
    });
    total_ = Eigen::MatrixXd::Zero(count, count);
    for (const Eigen::MatrixXd& gram : grams_) total_ += gram;
  }

  [[nodiscard]] Eigen::VectorXd stacked(const Eigen::MatrixXd& gram, const std::vector<Index>& kept,
                                        SimplexScratch& scratch) const {
    Eigen::VectorXd shares = Eigen::VectorXd::Constant(gram.rows(), 1.0 / static_cast<double>(gram.rows()));
    const double scale = gram.trace() / static_cast<double>(gram.rows());
    if (!(scale > 0)) return Eigen::VectorXd::Unit(gram.rows(), 0);
    Eigen::MatrixXd steady = gram / scale;
    steady.diagonal() += costs_(kept);
    solveSimplex(steady, Eigen::VectorXd(), 1, {}, scratch, shares);
    return shares;
  }

  [[nodiscard]] static Eigen::MatrixXd part(const Eigen::MatrixXd& gram, const std::vector<Index>& kept) {
    return gram(kept, kept);
  }

  /// The shares of some candidates in every group.
  [[nodiscard]] Eigen::MatrixXd sharesOfGroups(const std::vector<Index>& kept) const {
    const Index groups = groupCountOf(model_);
    Eigen::MatrixXd shares(static_cast<Index>(kept.size()), groups);
    parallelRanges(groups, 1, [&](Index first, Index end) {
      SimplexScratch scratch;
      for (Index g = first; g < end; ++g) {
        const Eigen::MatrixXd gram = groups > 1 ? pooled(g, kept) : part(total_, kept);
        shares.col(g) = stacked(gram, kept, scratch);
      }
    });
    return shares;
  }

  /// Mean of shares over the groups, by the size of their corrections.
  [[nodiscard]] Eigen::VectorXd meanShares(const Eigen::MatrixXd& shares) const {
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(shares.rows());
    double sum = 0;
    for (Index g = 0; g < shares.cols(); ++g) {
      const double size = products_[toSize(g)].trace();
      mean += size * shares.col(g);
      sum += size;
    }
    return sum > 0 ? Eigen::VectorXd(mean / sum) : shares.col(0);
  }

  /// The few candidates that the groups want, and always the first, which corrects nothing.
  std::vector<Index> chosenOverall() const {
    std::vector<Index> kept(candidates_.size());
    for (std::size_t c = 0; c < kept.size(); ++c) kept[c] = static_cast<Index>(c);
    for (;;) {
      const Eigen::VectorXd shares = meanShares(sharesOfGroups(kept));
      Index best = 0;
      if (shares.maxCoeff(&best) >= kAlone) return {kept[toSize(best)]};
      Index least = -1;
      for (Index i = 1; i < shares.size(); ++i) {
        if (least < 0 || shares[i] < shares[least]) least = i;
      }
      if (least < 0 || (shares[least] >= kLeastTermShare && kept.size() <= kMostTerms)) return kept;
      // Removes all terms without a share at once, then one at a time.
      const double threshold = std::max(shares[least], 1e-3);
      for (Index i = shares.size() - 1; i > 0; --i) {
        if (shares[i] <= threshold) kept.erase(kept.begin() + i);
      }
    }
  }

  /// The plain candidate that is about as good as the mixture of those kept, or -1.
  [[nodiscard]] Index plainInstead(const std::vector<Index>& kept) const {
    const Eigen::MatrixXd shares = sharesOfGroups(kept);
    double mixed = 0;
    for (Index g = 0; g < shares.cols(); ++g) mixed += shares.col(g).dot(part(grams_[toSize(g)], kept) * shares.col(g));
    Index best = -1;
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      const auto at = static_cast<Index>(c);
      if (!candidates_[c].term.uniform || total_(at, at) > kPlainEnough * mixed) continue;
      if (best < 0 || total_(at, at) < total_(best, best)) best = at;
    }
    return best;
  }

  void trials(const std::vector<Index>& kept, const Eigen::VectorXd& shares) {
    const double numbers = std::max(1.0, static_cast<double>(vertices_) * (static_cast<double>(chosen_.size()) - 1));
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      const auto at = static_cast<Index>(c);
      PoseSpaceTrial trial{candidates_[c].name, candidates_[c].term.interpolation.kernel,
                           std::sqrt(std::max(0.0, total_(at, at)) / numbers), 0};
      for (std::size_t i = 0; i < kept.size(); ++i) {
        if (kept[i] == at) trial.share = shares[static_cast<Index>(i)];
      }
      trials_.push_back(std::move(trial));
    }
  }

  /// Shares that are too small to matter are exactly 0, so that their terms are not evaluated.
  static void roundShares(Eigen::MatrixXd& shares) {
    for (Index g = 0; g < shares.cols(); ++g) {
      auto column = shares.col(g);
      for (double& share : column) share = share < kNoShare ? 0 : share;
      column /= column.sum();
    }
  }

  /// How much each driver bends the skin of a group, as unit vectors; a last entry separates groups that none bends.
  [[nodiscard]] Eigen::MatrixXd directionsOfGroups() const {
    Eigen::MatrixXd directions(model_.groupWeights.rows() + 1, model_.groupWeights.cols());
    directions.topRows(model_.groupWeights.rows()) = model_.groupWeights.array() - kLeastGroupWeight;
    directions.bottomRows(1).setConstant(kLeastGroupWeight);
    directions.colwise().normalize();
    return directions;
  }

  [[nodiscard]] Eigen::MatrixXd pooled(Index group, const std::vector<Index>& kept) const {
    const Eigen::Map<const Eigen::MatrixXd> all(pooled_.col(group).data(), total_.rows(), total_.cols());
    const Eigen::MatrixXd sum = all(kept, kept);
    const double whole = total_.trace();
    return whole > 0 ? Eigen::MatrixXd(sum + kShareOfAll * (sum.trace() / whole) * part(total_, kept)) : sum;
  }

  /// Groups that no term listens to are removed, and a single plain interpolation becomes the model's own.
  void simplify() {
    const bool plainTerms = std::all_of(model_.terms.begin(), model_.terms.end(), [&](const PoseSpaceTerm& term) {
      const Index row = &term - model_.terms.data();
      return term.uniform || model_.shares.row(row).maxCoeff() == 0;
    });
    if (!plainTerms) {
      dropUnused();
      return;
    }
    model_.groupOf.clear();
    model_.groupWeights.resize(0, 0);
    model_.shares = overall_;
    roundShares(model_.shares);
    dropUnused();
    if (model_.terms.size() == 1) {
      const std::vector<double> confidence = model_.interpolation.confidence;
      model_.interpolation = model_.terms[0].interpolation;
      model_.interpolation.confidence = confidence;
      model_.terms.clear();
      model_.shares.resize(0, 0);
    }
  }

  void dropUnused() {
    std::vector<Index> used;
    std::vector<PoseSpaceTerm> terms;
    for (Index t = 0; t < model_.shares.rows(); ++t) {
      if (model_.shares.row(t).maxCoeff() == 0) continue;
      used.push_back(t);
      terms.push_back(model_.terms[toSize(t)]);
    }
    model_.shares = Eigen::MatrixXd(model_.shares(used, Eigen::all));
    model_.terms = std::move(terms);
  }

  PoseSpaceModel& model_;
  const Progress& progress_;
  std::vector<TermCandidate> candidates_;
  std::vector<Eigen::MatrixXd> products_;
  std::vector<Index> chosen_;           // examples whose errors are measured
  Eigen::MatrixXd factors_;             // low rank: their coefficients
  std::vector<Eigen::MatrixXd> grams_;  // per group: H
  Eigen::MatrixXd total_;
  Index vertices_ = 0;       // of measured groups
  Eigen::MatrixXd pooled_;   // a column per group: H of all candidates, of the groups like it
  Eigen::VectorXd costs_;    // per candidate
  Eigen::VectorXd overall_;  // shares of the kept candidates
  std::vector<PoseSpaceTrial> trials_;
};

}  // namespace

std::vector<PoseSpaceTrial> chooseTerms(const TermOptions& options, PoseSpaceModel& model, const Progress& progress) {
  if (model.vertices.empty()) return {};
  if (model.poses.cols() < kLeastPoses) {
    model.groupOf.clear();
    model.groupWeights.resize(0, 0);
    return {};
  }
  return TermChooser(options, model, progress).run();
}

}  // namespace sinew::pose_space
