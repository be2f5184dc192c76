// Limits that the studio enforces for every page. docs/limits.md describes what happens beyond each.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sinew::studio {

/// Bytes of one message of a page: room for a selection of all vertices.
inline constexpr std::size_t kMostMessage = std::size_t{16} << 20;
/// Messages of pages that wait for the worker, and their bytes; pages are not read until it has caught up.
inline constexpr std::size_t kMostTasks = 1024;
inline constexpr std::size_t kMostTaskBytes = std::size_t{32} << 20;
/// Bytes that wait to be sent to one page, before the newest message.
inline constexpr std::size_t kMostQueue = std::size_t{64} << 20;
/// Pages at once, and sockets that have not sent the token yet.
inline constexpr std::size_t kMostPages = 16;
inline constexpr std::size_t kMostStrangers = 64;
/// Jobs that run at once: opening, learning, writing. Each may have a copy of the character.
inline constexpr std::size_t kMostJobs = 8;
/// Samples of one stretch of a brush stroke. A stroke keeps each point that it touched once.
inline constexpr std::size_t kMostSamples = 1024;
/// Bytes of all steps of undo that are kept in memory; the newest is always kept.
inline constexpr std::size_t kMostHistory = std::size_t{256} << 20;
/// Bytes of one step in the journal: one of a million vertices has a tenth of it.
inline constexpr std::size_t kMostRecord = std::size_t{1} << 30;
/// Bytes reserved for handling a failed allocation.
inline constexpr std::size_t kReserve = std::size_t{32} << 20;
/// Vertices of all instances of meshes together, and matrices of a view; instances beyond are not drawn.
inline constexpr std::size_t kMostPlaced = std::size_t{4} << 20;
inline constexpr std::size_t kMostMatrices = std::size_t{64} << 10;
/// Bytes of the displacements of morph targets in the page; targets beyond are not drawn.
inline constexpr std::size_t kMostMorphBytes = std::size_t{128} << 20;
/// Bytes of the materials of a file, with its images; larger ones are not shown.
inline constexpr std::size_t kMostMaterials = std::size_t{256} << 20;
/// Bytes of one file that a page sends.
inline constexpr std::uint64_t kMostUpload = std::uint64_t{2} << 30;

}  // namespace sinew::studio
