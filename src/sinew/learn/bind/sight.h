// Which bones a point of the skin sees through the inside of the body.
#pragma once

#include <span>
#include <vector>

#include "sinew/learn/bind/bones.h"
#include "sinew/learn/bind/surface.h"

namespace sinew::bind {

struct Seen {
  int bone = -1;           ///< the nearest bone in sight, or -1
  Vec3 at = Vec3::Zero();  ///< its nearest position
  double distance = 0;     ///< to it; if none is in sight, to the nearest bone of all
};

/// Whether the straight line from a point to a position stays inside its own piece: it leaves on the inner side and
/// crosses no other triangle of the piece. Other pieces (clothes over a body) do not hide bones.
bool sees(const Surface& surface, std::uint32_t point, const Vec3& place);

/// Per point: the nearest bone in sight, unless a hidden one is much nearer.
std::vector<Seen> nearestInSight(const Surface& surface, std::span<const Bone> bones);

/// A piece that sees no bone, and the bone that it follows.
struct Follower {
  std::uint32_t piece = 0;
  int bone = 0;  ///< the nearest to its points on average
};
std::vector<Follower> followers(const Surface& surface, std::span<const Bone> bones, std::span<const Seen> seen);

}  // namespace sinew::bind
