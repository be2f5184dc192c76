// sinew render: pictures and contact sheets without a GPU.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "arguments.h"
#include "command.h"
#include "console.h"
#include "operators.h"
#include "shapes.h"
#include "sinew/base/error.h"
#include "sinew/deform/placed_mesh.h"
#include "sinew/io/files.h"
#include "sinew/io/formats.h"
#include "sinew/io/gltf.h"
#include "sinew/io/poses.h"
#include "sinew/io/sculpts.h"
#include "sinew/picture/contact_sheet.h"
#include "sinew/picture/png.h"
#include "sinew/picture/render.h"
#include "sinew/picture/skeleton.h"
#include "views.h"

namespace sinew::cli {
namespace {

namespace fs = std::filesystem;

/// Two numbers with a mark between them, as in 800x600 or 30,10; none if the text is something else.
template <class Number>
std::optional<std::pair<Number, Number>> numberPair(const std::string& text, char mark) {
  Number first = 0;
  Number second = 0;
  const char* const end = text.data() + text.size();
  const auto [middle, fault] = std::from_chars(text.data(), end, first);
  if (fault == std::errc() && middle != end && *middle == mark) {
    const auto [last, fault2] = std::from_chars(middle + 1, end, second);
    if (fault2 == std::errc() && last == end) return std::pair{first, second};
  }
  return std::nullopt;
}

std::pair<int, int> pictureSize(const std::string& text) {
  const auto inRange = [](int pixels) { return pixels >= 1 && pixels <= picture::kMaxImageSize; };
  const auto size = numberPair<int>(text, 'x');
  if (size && inRange(size->first) && inRange(size->second)) return *size;
  throw Error(ErrorCode::BadInput,
              fmt::format("is not a size in pixels; write WIDTHxHEIGHT, each from 1 to {}, as in 800x600",
                          picture::kMaxImageSize),
              "--size " + text);
}

std::pair<double, double> viewDirection(const std::string& text) {
  const auto view = numberPair<double>(text, ',');
  if (view && std::isfinite(view->first) && std::isfinite(view->second)) return *view;
  throw Error(ErrorCode::BadInput, "is not a direction; write AZIMUTH,ELEVATION in degrees, as in 30,12",
              "--view " + text);
}

enum class UpAxis { X, Y, Z };
constexpr auto choiceRows(UpAxis) {
  return choiceTable<UpAxis>({{UpAxis::X, "x"}, {UpAxis::Y, "y"}, {UpAxis::Z, "z"}});
}

class RenderCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.input("CHARACTER", character_, "the character's file");
    arguments.output(output_, "the picture, a .png");
    arguments.option("--pose", "POSE", poses_, "a pose file, CLIP@SECONDS, or rest; several make a contact sheet");
    arguments.option("--examples", "FILE.json", examples_,
                     "render the poses of an examples file; their sculpts are the ground truth");
    arguments.option("--against", "MESH", against_, "ground truth for --color error, a mesh per pose");
    arguments.option("--color", "error|weight:JOINT|control", color_, "colour the skin by a value");
    arguments.option("--range", "R|P%", range_,
                     "top of the error scale in scene units, or in percent of the diagonal; default: the largest "
                     "error, at least 0.1 %");
    arguments.option("--deformer", "NAME", deformers_, "operators in order, as in `sinew deform`");
    arguments.option("--size", "WxH", size_, "pixels of one picture");
    arguments.option("--view", "AZIMUTH,ELEVATION", view_, "degrees; 0,0 is the front");
    arguments.choice("--up", up_, "the axis that points up");
    arguments.option("--columns", "N", columns_, "pictures per row; 0: automatic", 0, 10000);
    arguments.option("--title", "TEXT", title_, "written above");
    arguments.flag("--skeleton", skeleton_, "draw the bones through the skin");
    arguments.flag("--wireframe", wireframe_, "draw the faces' edges");
    arguments.flag("--plain", plain_, "plain skinning: turn off learned corrections (pose space)");
    arguments.flag("--all", all_, "also draw meshes without a skin");
  }

  int run(Console& console) override {
    readWords();
    if (fs::path(output_).extension() != ".png") throw Error(ErrorCode::BadInput, "must end in .png", output_);
    checkFolderWritable(output_);
    file_ = readCharacter(character_, console.reading());
    if (plain_) notePlain(file_, character_, console);
    std::vector<Frame> frames = makeFrames(console);
    const double range = errorRange(range_, boundingBox(file_.character.mesh.points).diagonal());
    const Colouring colouring = colourFrames(color_, file_.character, frames, range);
    const picture::Image image = draw(frames, colouring, console);
    console.outputs().add(output_, picture::encodePng(image));
    console.result(fmt::format("{}: {} x {}\n", output_, image.width, image.height),
                   {{"width", image.width}, {"height", image.height}, {"frames", frames.size()}, {"output", output_}});
    return Done;
  }

 private:
  void refuseWithoutErrors(const char* flag, bool given) const {
    if (given && color_ != "error")
      throw Error(ErrorCode::BadInput, "is for the colours of errors; add --color error, or leave it out", flag);
  }

  /// All that can be wrong with the command line alone is found before a file is read.
  void readWords() {
    std::tie(width_, height_) = pictureSize(size_);
    const auto [azimuth, elevation] = viewDirection(view_);
    angles_.azimuth = azimuth;
    angles_.elevation = elevation;
    angles_.up = Vec3::Unit(static_cast<Index>(up_));
    checkColor(color_);
    static_cast<void>(errorRange(range_, 1));
    checkOperators(deformers_);
    if (!against_.empty() && against_.size() != std::max<std::size_t>(1, poses_.size())) {
      throw Error(ErrorCode::BadInput,
                  fmt::format("{} for {}; give one mesh per pose", counted(against_.size(), "mesh", "meshes"),
                              counted(poses_.size(), "pose", "poses")),
                  "--against");
    }
    refuseWithoutErrors("--range", !range_.empty());
    refuseWithoutErrors("--against", !against_.empty());
  }

  /// Frames of the examples, then of the poses; the rest pose if neither is given.
  std::vector<Frame> makeFrames(const Console& console) {
    const Character& character = file_.character;
    std::vector<Frame> frames;
    if (!examples_.empty()) {
      ExamplesFile read = readExamples(
          examples_, file_,
          {.force = true, .progress = console.fileProgress(Console::kRead, kShaped), .rules = console.rules()});
      console.warn(read.warnings);
      for (Example& example : read.set.examples) {
        frames.push_back({example.name, "", std::move(example.pose), {}, std::move(example.points)});
      }
    }
    std::vector<std::string> poses = poses_;
    if (poses.empty() && examples_.empty()) poses.emplace_back("rest");
    for (const std::string& pose : poses) {
      Frame frame{
          fs::path(pose).filename().string(), "", poseOf(pose, character, character_, console), {}, std::nullopt};
      if (frame.label.ends_with(".json")) frame.label.resize(frame.label.size() - 5);
      frames.push_back(std::move(frame));
    }
    playing_ = playingOf(file_, deformers_, plain_);
    std::vector<Pose> shown;
    for (const Frame& frame : frames) shown.push_back(frame.pose);
    console.warn(operatorWarnings(playing_, character, shown));
    CharacterPoser poser(character, playing_.playback);
    for (Frame& frame : frames) frame.points = poser.pose(frame.pose);
    for (std::size_t i = 0; i < against_.size(); ++i) {
      Frame& frame = frames[frames.size() - against_.size() + i];
      frame.truth = readTruth(against_[i], frame.points, console);
    }
    return frames;
  }

  /// A mesh in the character's vertex order; it may have its seams closed.
  [[nodiscard]] Points readTruth(const std::string& path, const Points& posed, const Console& console) const {
    return readSculpt(path, file_.character, posed, {.force = true, .inPose = false, .rules = console.rules()}).points;
  }

  /// The mesh to draw with all instances: its skinned parts, or all if none is skinned.
  [[nodiscard]] Mesh visibleMesh(Mesh mesh) const {
    const bool anySkinned =
        std::any_of(mesh.parts.begin(), mesh.parts.end(), [](const MeshPart& part) { return part.skinned; });
    if (all_ || !anySkinned) return mesh;
    Mesh visible;
    visible.points = std::move(mesh.points);
    for (const MeshPart& part : mesh.parts) {
      if (!part.skinned) continue;
      for (std::size_t f = part.firstFace; f < part.firstFace + part.faceCount; ++f) visible.faces.add(mesh.faces[f]);
    }
    return visible;
  }

  /// Values of the character's vertices for each instance.
  template <class T>
  static std::vector<T> placed(const std::vector<T>& values, std::span<const std::uint32_t> vertex) {
    std::vector<T> all;
    if (values.empty()) return all;
    all.reserve(vertex.size());
    for (const std::uint32_t v : vertex) all.push_back(values[v]);
    return all;
  }

  picture::Image draw(const std::vector<Frame>& frames, const Colouring& colouring, const Console& console) const {
    const Character& character = file_.character;
    PlacedPoser poser(character, instancesOf(file_), playing_.playback);
    std::vector<Points> points;
    for (const Frame& frame : frames) points.push_back(poser.pose(frame.pose));
    const std::vector<picture::Rgba> vertexColours = placed(colouring.vertexColours, poser.vertex());
    picture::RenderOptions options;
    options.width = width_;
    options.height = height_;
    options.wireframe = wireframe_;
    // A contact sheet has space for the legend beside its cells; a single picture reserves it.
    const bool single = frames.size() == 1 && title_.empty();
    if (single && colouring.legend) {
      const picture::LegendLayout layout = picture::layOutLegend(*colouring.legend, options.width, options.height);
      options.width = layout.pictureWidth;
      options.height = layout.pictureHeight;
    }

    std::vector<const Points*> shapes;
    for (const Points& placed : points) shapes.push_back(&placed);
    const picture::Camera camera =
        picture::fitCamera(shapes, static_cast<double>(options.width) / options.height, angles_);
    std::vector<picture::Cell> cells;
    const Progress progress = console.progress(kShaped, 1);
    for (std::size_t f = 0; f < frames.size(); ++f) {
      report(progress, {static_cast<double>(f) / static_cast<double>(frames.size()), "drawing"});
      const Mesh mesh = visibleMesh(poser.mesh(frames[f].pose));
      const std::vector<Triangle> triangles = triangulate(mesh);
      const std::vector<std::uint8_t> edges = picture::visibleEdges(mesh);
      std::vector<double> scalars;
      if (!colouring.scalars.empty()) scalars = placed(colouring.scalars[f], poser.vertex());
      picture::Shape shape;
      shape.points = &mesh.points;
      shape.triangles = triangles;
      shape.visibleEdges = edges;
      shape.scalars = scalars;
      shape.scale = colouring.scale;
      shape.vertexColours = vertexColours;
      picture::Scene scene{{shape}, std::nullopt};
      const picture::Geometry bones = boneShapes(character, frames[f].pose);
      if (!bones.triangles.empty()) scene.shapes.push_back(bones.shape());
      cells.push_back({picture::renderScene(scene, camera, options), frames[f].label, frames[f].note});
    }
    if (single) {
      return colouring.legend ? picture::withLegend(cells[0].image, *colouring.legend, width_, height_)
                              : std::move(cells[0].image);
    }
    return picture::contactSheet(cells,
                                 {.columns = static_cast<int>(columns_), .title = title_, .legend = colouring.legend});
  }

  [[nodiscard]] picture::Geometry boneShapes(const Character& character, const Pose& pose) const {
    std::vector<int> joints = skinJoints(character);
    std::erase_if(joints, [&](int joint) { return isHelper(character.helpers, joint); });  // they have no bones
    if (!skeleton_ || joints.empty()) return {};
    PosedJoints posed;
    poseJoints(character, pose, posed);
    return picture::boneGeometry(character.skeleton, posed.worldFromJoint, joints);
  }

  std::string character_;
  std::string output_;
  std::vector<std::string> poses_;
  std::string examples_;
  std::vector<std::string> against_;
  std::string color_;
  std::string range_;
  std::vector<std::string> deformers_;
  std::string size_ = "800x800";
  std::string view_ = "30,12";
  UpAxis up_ = UpAxis::Y;
  std::int64_t columns_ = 0;
  std::string title_;
  bool skeleton_ = false;
  bool wireframe_ = false;
  bool plain_ = false;
  bool all_ = false;
  static constexpr double kShaped = 0.3;  ///< of the work, when all is read
  int width_ = 0;
  int height_ = 0;
  picture::ViewAngles angles_;
  CharacterFile file_;
  Playing playing_;
};

}  // namespace

std::unique_ptr<Command> makeRenderCommand() {
  return std::make_unique<RenderCommand>();
}

}  // namespace sinew::cli
