// The C interface of the packed runtime: make a character from arrays once, skin it every frame, free it.
// No call but sinewPlayCreate allocates, none prints, and all may be called from any thread.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// NOLINTBEGIN(modernize-use-using): C has no other way

typedef enum SinewPlayStatus {
  SinewPlayOk = 0,
  SinewPlayBadInput = 1,    ///< an argument breaks a rule; the message names both
  SinewPlayOutOfMemory = 2  ///< while the character was made
} SinewPlayStatus;

/// What was wrong, in one sentence; empty after a call that succeeded. Longer texts are cut off.
typedef struct SinewPlayMessage {
  char text[256];
} SinewPlayMessage;

/// A mesh with its skin, and optionally shapes (glTF: morph targets) that are added before skinning. The arrays are
/// only read by sinewPlayCreate. Set the whole struct to zero first: fields that are not used must be 0.
typedef struct SinewPlayMesh {
  uint32_t vertexCount;
  uint32_t jointCount;
  uint32_t influencesPerVertex;
  const float* positions;      ///< of the rest shape: x y z per vertex
  const float* normals;        ///< x y z per vertex, or null
  const uint32_t* joints;      ///< influencesPerVertex per vertex, below jointCount
  const float* weights;        ///< the same; 0 where unused, the sum of a vertex is 1
  uint32_t shapeCount;         ///< at most 256
  const float* const* shapes;  ///< shapeCount arrays: x y z per vertex, the delta of the shape
} SinewPlayMesh;

/// One frame. Outputs are in the order of the mesh's vertices.
typedef struct SinewPlayFrame {
  const float* matrices;      ///< 16 floats per joint, 4 x 4 by columns, from rest to posed space
  const float* shapeWeights;  ///< one per shape; null where there are none
  float* positions;           ///< out: x y z per vertex
  float* normals;             ///< out: x y z per vertex, of unit length, or null. Shapes do not turn them.
} SinewPlayFrame;

typedef struct SinewPlayCharacter SinewPlayCharacter;

/// `message` may be null, here and below. On failure `*character` is null.
SinewPlayStatus sinewPlayCreate(const SinewPlayMesh* mesh, SinewPlayCharacter** character, SinewPlayMessage* message);

/// Null is allowed.
void sinewPlayDestroy(SinewPlayCharacter* character);

/// Vertices are moved in blocks of 16. A frame is complete when every block in [0, count) was in one call of
/// sinewPlaySkin; ranges that do not overlap may run at the same time on several threads, with the same result.
uint32_t sinewPlayBlockCount(const SinewPlayCharacter* character);

/// Linear blend skinning of blocks [firstBlock, endBlock).
SinewPlayStatus sinewPlaySkin(const SinewPlayCharacter* character, const SinewPlayFrame* frame, uint32_t firstBlock,
                              uint32_t endBlock, SinewPlayMessage* message);

// NOLINTEND(modernize-use-using)

#ifdef __cplusplus
}
#endif
