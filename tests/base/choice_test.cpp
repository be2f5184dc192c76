#include "sinew/base/choice.h"

#include <gtest/gtest.h>

#include "sinew/base/error.h"

namespace sinew::choice_test {
namespace {

enum class Shape { Round, Square, Hidden };
constexpr auto choiceRows(Shape) {
  return choiceTable<Shape>({{Shape::Square, "square"}, {Shape::Round, "round"}});
}
enum class Plain { One };

static_assert(Choice<Shape> && !Choice<Plain> && !Choice<int>);
static_assert(nameOf(Shape::Round) == "round" && choiceOf<Shape>("square") == Shape::Square);

template <class Work>
std::string refusal(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::BadInput);
    return error.what();
  }
  return {};
}

TEST(Choice, NamesComeFromTheTableInItsOrder) {
  EXPECT_EQ(choiceNames<Shape>(), (std::vector<std::string>{"square", "round"}));
  for (const auto& [value, name] : kChoices<Shape>) {
    EXPECT_EQ(nameOf(value), name);
    EXPECT_EQ(choiceNamed<Shape>(name, "shape"), value);
  }
}

TEST(Choice, AnUnknownNameIsRefusedWithTheNearestOrAll) {
  EXPECT_EQ(choiceOf<Shape>("Round"), std::nullopt);
  EXPECT_EQ(refusal([] { choiceNamed<Shape>("sqare", "shape"); }), "unknown shape 'sqare'; did you mean 'square'?");
  EXPECT_EQ(refusal([] { choiceNamed<Shape>("", "shape", "a.json"); }),
            "a.json: unknown shape ''; the choices are square, round");
}

TEST(Choice, AValueWithoutARowIsRefused) {
  EXPECT_EQ(refusal([] { checkChoice(Shape::Round, "shape", "fit"); }), "");
  EXPECT_EQ(refusal([] { checkChoice(Shape::Hidden, "shape", "fit"); }),
            "fit: unknown shape '2'; the choices are square, round");
}

TEST(ChoiceRef, ReadsAndWritesTheValueByName) {
  Shape shape = Shape::Round;
  const ChoiceRef choice(shape);
  EXPECT_EQ(choice.names(), choiceNames<Shape>());
  EXPECT_EQ(choice.name(), "round");
  EXPECT_TRUE(choice.set("square"));
  EXPECT_EQ(shape, Shape::Square);
  EXPECT_FALSE(choice.set("oval"));
  EXPECT_EQ(shape, Shape::Square);
  EXPECT_EQ(choice.name(), "square");
}

}  // namespace
}  // namespace sinew::choice_test
