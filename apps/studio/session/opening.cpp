#include "studio/session/opening.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

#include "sinew/base/error.h"
#include "sinew/io/files.h"
#include "sinew/io/gltf.h"
#include "sinew/samples/samples.h"
#include "studio/document/file_state.h"
#include "studio/document/state_folder.h"

namespace sinew::studio {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Source {
  Json about;
  CharacterFile file;
  std::string glb;  ///< the bytes of a .glb, which the journal stores unchanged
};

std::string lowerExtension(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

/// Reads the bytes first, so that both stages are shown and the journal can copy them.
void readOne(const OpenRequest& request, Stages& stages, Source& source) {
  const fs::path& path = request.path;
  std::error_code fault;
  const std::uintmax_t bytes = fs::file_size(path, fault);
  if (lowerExtension(path) != ".glb") {
    source.about["content"] = contentOf(path);
    stages.begin("read and parse", 0, fault ? 0 : bytes);
    source.file = readCharacter(path, {.progress = stages.asking(0), .rules = request.rules});
    return;
  }
  stages.begin("read", 0, fault ? 0 : bytes);
  source.glb = readFile(path);
  source.about["content"] = contentName({reinterpret_cast<const std::uint8_t*>(source.glb.data()), source.glb.size()});
  stages.begin("parse", 0.1);
  try {
    source.file = readGltfFromMemory(source.glb, path.parent_path(), path.stem().string(), {.rules = request.rules});
  } catch (const Error& error) {
    throw Error(error.code(), error.what(), path.string());
  }
}

/// Meshes of one signature can be examples of each other.
using Signature = std::tuple<Index, std::size_t, std::string>;

Signature signatureOf(const Mesh& mesh) {
  const auto nameOf = [](const auto& list) {
    return contentName({reinterpret_cast<const std::uint8_t*>(list.data()), list.size() * sizeof(list[0])});
  };
  return {mesh.vertexCount(), mesh.faces.size(), nameOf(mesh.faces.start) + nameOf(mesh.faces.corner)};
}

std::string differenceOf(const Signature& mesh, const Signature& wanted, const std::string& name) {
  if (mesh == wanted) return {};
  if (std::get<0>(mesh) != std::get<0>(wanted))
    return fmt::format("has {} vertices, {} has {}", std::get<0>(mesh), name, std::get<0>(wanted));
  if (std::get<1>(mesh) != std::get<1>(wanted))
    return fmt::format("has {} faces, {} has {}", std::get<1>(mesh), name, std::get<1>(wanted));
  return fmt::format("has a different vertex order than {}", name);
}

/// Reads every mesh of a folder once, so that one that does not fit is reported now and not during learning. The most
/// frequent signature is the reference, because the first mesh may be the wrong one.
class FolderReader {
 public:
  FolderReader(const OpenRequest& request, Stages& stages) : request_(request), stages_(stages) {}

  void read(Opened& opened, Source& source) {
    meshes_ = meshSequence(request_.path, request_.rules);
    std::erase_if(meshes_, [&](const fs::path& mesh) { return skipped(mesh); });
    if (meshes_.empty())
      throw Error(ErrorCode::BadInput, "has no meshes left once those are skipped", request_.path.string());
    auto rest = restOfSequence(request_.path, request_.rules);
    if (rest && skipped(*rest)) rest.reset();
    readSignatures();
    const fs::path first = rest ? *rest : commonest();
    source.file = readCharacter(first, {.rules = request_.rules});
    const Signature wanted = signatureOf(source.file.character.mesh);
    Json list = Json::array();
    for (std::size_t i = 0; i < meshes_.size(); ++i) {
      opened.verdictNames.push_back(meshes_[i].filename().string());
      const std::string& fault = faults_[i];
      opened.verdicts.push_back(fault.empty() ? differenceOf(signatures_[i], wanted, first.filename().string())
                                              : fault);
      list.push_back(meshes_[i].string());
    }
    source.about["meshes"] = std::move(list);
    if (rest) source.about["rest"] = rest->string();
  }

 private:
  [[nodiscard]] bool skipped(const fs::path& mesh) const {
    return std::find(request_.skip.begin(), request_.skip.end(), mesh.filename().string()) != request_.skip.end();
  }

  void readSignatures() {
    std::uintmax_t bytes = 0;
    std::error_code fault;
    for (const fs::path& mesh : meshes_) bytes += fs::file_size(mesh, fault);
    stages_.begin(fmt::format("read {} meshes", meshes_.size()), 0, bytes);
    for (std::size_t i = 0; i < meshes_.size(); ++i) {
      const double fraction = 0.7 * static_cast<double>(i) / static_cast<double>(meshes_.size());
      stages_.at(fraction);
      signatures_.emplace_back();
      faults_.emplace_back();
      try {
        const ReadOptions options{.progress = stages_.asking(fraction), .rules = request_.rules};
        signatures_.back() = signatureOf(readCharacter(meshes_[i], options).character.mesh);
      } catch (const Error& error) {
        if (error.code() == ErrorCode::Cancelled) throw;
        faults_.back() = error.message();
      }
    }
  }

  /// The first mesh with the most frequent signature.
  [[nodiscard]] const fs::path& commonest() const {
    std::map<Signature, std::size_t> counts;
    std::size_t best = 0;
    for (std::size_t i = 0; i < meshes_.size(); ++i) {
      if (faults_[i].empty()) ++counts[signatures_[i]];
    }
    for (std::size_t i = meshes_.size(); i-- > 0;) {
      if (!faults_[i].empty()) continue;
      if (!faults_[best].empty() || counts[signatures_[i]] >= counts[signatures_[best]]) best = i;
    }
    if (!faults_[best].empty()) throw Error(ErrorCode::Unreadable, faults_[best], meshes_[best].string());
    return meshes_[best];
  }

  const OpenRequest& request_;
  Stages& stages_;
  std::vector<fs::path> meshes_;
  std::vector<Signature> signatures_;
  std::vector<std::string> faults_;
};

void keep(const Source& source, Opened& opened) {
  if (source.glb.empty()) {
    opened.journal->begin(source.about, source.file);
  } else {
    opened.journal->begin(source.about, source.glb);
  }
}

/// A file of another format is a different character once the journal has stored it as glTF (its mesh gets a node), and
/// the steps refer to that one.
void begin(Source&& source, Opened& opened) {
  Restored& restored = opened.restored;
  if (source.glb.empty()) {
    restored = restore(*opened.journal);
    restored.document.file.problems = std::move(source.file.problems);
    return;
  }
  restored.document.title = source.about.value("title", "");
  restored.document.path = source.about.value("path", "");
  restored.document.file = std::move(source.file);
  restored.document.views.assign(1, restPose(restored.document.file.character));
}

void prepare(Opened& opened, BlobStore& blobs, std::span<const ModeRow> modes, Stages& stages) {
  const Document& document = opened.restored.document;
  stages.begin("neighbours", 0.75);
  opened.drawn = drawnCharacter(document);
  for (const ModeRow& row : modes) opened.prepared.push_back(row.prepare ? row.prepare(document) : nullptr);
  stages.begin("upload", 0.9);
  describeMesh(document, opened.drawn, blobs, opened.described);
}

Opened resumed(const OpenRequest& request, BlobStore& blobs, Stages& stages) {
  Opened opened;
  stages.begin("read", 0);
  opened.journal = std::make_unique<Journal>(request.resume, request.about);
  opened.restored.document.title = opened.journal->about().value("title", "");
  opened.restored.document.path = opened.journal->about().value("path", "");
  opened.restored.document.file = opened.journal->base();
  stages.begin("check", 0.4);
  checkCharacter(opened.restored.document.file.character, "");
  opened.restored.document.views.assign(1, restPose(opened.restored.document.file.character));
  stages.begin(fmt::format("{} steps", opened.journal->size()), 0.5);
  replay(*opened.journal, opened.restored);
  try {
    opened.journal->mend();
  } catch (const Error&) {
    // If the disk is full, it is done before the next step is stored.
  }
  opened.warning = opened.journal->damage();
  prepare(opened, blobs, request.modes, stages);
  return opened;
}

Source sampleSource(const OpenRequest& request, const Progress& progress) {
  Source source;
  const std::string name = request.what.substr(kSamplePrefix.size());
  Sample sample = makeSample(name, {.vertices = static_cast<Index>(request.sampleVertices)}, progress);
  source.file.character = std::move(sample.character);
  source.about = {{"title", name}, {"path", ""}, {"kind", "sample"}, {"sample", name}};
  return source;
}

}  // namespace

void Stages::begin(const std::string& name, double fraction, std::uintmax_t bytes) {
  const auto now = Clock::now();
  if (!words_.empty()) words_ += fmt::format(" {:.1f} s · ", std::chrono::duration<double>(now - since_).count());
  words_ += name;
  if (bytes > 0) words_ += fmt::format(" {:.1f} MB", static_cast<double>(bytes) / 1e6);
  since_ = now;
  at(fraction);
}

Progress Stages::asking(double fraction) const {
  return [this, fraction](const ProgressState& /*state*/) {
    at(fraction);
    return true;
  };
}

void Stages::at(double fraction) const {
  report(progress_, {fraction, words_});
}

void clearTemporary(const fs::path& path) {
  constexpr auto kOld = std::chrono::minutes(1);
  const std::string begins = "." + path.filename().string() + ".";
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(path.parent_path(), fault)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(begins) || !name.ends_with(".tmp") || name.size() != begins.size() + 12) continue;
    if (fs::file_time_type::clock::now() - entry.last_write_time(fault) > kOld && !fault)
      fs::remove(entry.path(), fault);
  }
}

Opened openDocument(const OpenRequest& request, BlobStore& blobs, const Progress& progress) {
  Stages stages(progress);
  Opened opened;
  if (!request.resume.empty()) {
    try {
      return resumed(request, blobs, stages);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::Cancelled || request.folder.empty()) throw;
      opened.keepReplaced = true;
      opened.warning = fmt::format("The unsaved work of this document cannot be read ({}). It is kept as {}.",
                                   error.what(), damagedName(request.resume).string());
    }
  }
  Source source;
  if (request.what.starts_with(kSamplePrefix)) {
    stages.begin("make", 0);
    source = sampleSource(request, progress);
  } else {
    source.about = {{"title", request.path.filename().string()}, {"path", request.path.string()}};
    if (request.what.starts_with(kUploadPrefix)) source.about["from"] = request.what;
    if (fs::is_directory(request.path)) {
      source.about["kind"] = "meshes";
      source.about["content"] = contentOf(request.path);
      FolderReader(request, stages).read(opened, source);
      const auto fits = [](const std::string& fault) { return fault.empty(); };
      if (!std::all_of(opened.verdicts.begin(), opened.verdicts.end(), fits)) return opened;
    } else {
      source.about["kind"] = "file";
      readOne(request, stages, source);
    }
  }
  if (request.slot > 0) source.about["slot"] = request.slot;
  stages.begin("check", 0.5);
  checkCharacter(source.file.character, "");
  if (source.file.character.mesh.vertexCount() == 0)
    throw Error(ErrorCode::BadInput, "has no mesh; open a file with one", request.path.filename().string());
  stages.begin("journal", 0.6);
  opened.journal = std::make_unique<Journal>(request.folder);
  opened.journal->makePassing();
  keep(source, opened);
  begin(std::move(source), opened);
  prepare(opened, blobs, request.modes, stages);
  return opened;
}

Opened openCharacter(const Json& about, const CharacterFile& file, const fs::path& folder, BlobStore& blobs,
                     std::span<const ModeRow> modes) {
  const Progress silent;
  Stages stages(silent);
  Opened opened;
  opened.journal = std::make_unique<Journal>(folder);
  opened.journal->makePassing();
  opened.journal->begin(about, file);
  opened.restored = restore(*opened.journal);
  prepare(opened, blobs, modes, stages);
  return opened;
}

}  // namespace sinew::studio
