// The mode Fit: a better skin from the examples of the document. What was learned is a preview beside the character
// until it is kept, as one step, or discarded.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "studio/modes/fit/learned_skin.h"
#include "studio/modes/mode.h"

namespace sinew::studio::fit {

class FitMode final : public Mode {
 public:
  explicit FitMode(ModeContext& context) : context_(context) {}
  [[nodiscard]] std::span<const CommandRow> commands() const override;
  void opened(const std::shared_ptr<const void>& prepared) override;
  /// Drops results of another skin, other locks, other clips or other examples, and running jobs lose theirs.
  void edited(const Edit& edit) noexcept override;

 private:
  wire::FitFieldsAnswer fields(const wire::FitFieldsCommand& asked);
  nlohmann::json state(const wire::FitStateCommand& asked);
  wire::FitStartAnswer start(const wire::FitStartCommand& asked);
  wire::FitLearnAnswer learn(const wire::FitLearnCommand& asked);
  wire::FitExplainAnswer explain(const wire::FitExplainCommand& asked);
  wire::FitErrorsAnswer errors(const wire::FitErrorsCommand& asked);
  void show(const wire::FitShowCommand& asked);
  void keep(const wire::FitKeepCommand& asked);
  void discard(const wire::FitDiscardCommand& asked);

  /// A result, and the document of it that is drawn.
  struct Preview {
    LearnedSkinPtr skin;
    Document shown;
    wire::FitResult result;  ///< as the page shows it
  };
  /// What a job learns from, as it is now. Called in the job: it copies the shapes of all examples.
  [[nodiscard]] std::function<LearnSource()> source() const;
  [[nodiscard]] const Preview& preview() const;
  [[nodiscard]] wire::FitInfo info();
  void tell();
  void drop() noexcept;
  /// Starts a job unless one runs. `adopt` gets what `work` made, if the document still has the skin and the examples
  /// that it was made from.
  template <class Made>
  std::uint32_t run(const std::string& what, std::function<Made(const sinew::Progress&)> work,
                    std::function<std::string(const Made&)> adopt);
  std::string adopt(const LearnedSkinPtr& made);

  ModeContext& context_;
  std::optional<Preview> preview_;
  std::optional<wire::FitTriage> triage_;
  std::vector<wire::FitChoice> choices_;
  std::uint32_t results_ = 0;
  std::uint32_t skin_ = 0;  ///< increases when results become those of another skin
  /// The job of the open document; another document does not wait for it.
  struct Running {
    std::atomic<bool> ended = false;
    std::atomic<bool> unwanted = false;
  };
  std::shared_ptr<Running> running_;
};

}  // namespace sinew::studio::fit
