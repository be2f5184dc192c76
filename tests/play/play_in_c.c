/* The C interface from a program in C: a bar on two joints, a shape, ranges of blocks, and each refusal. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sinew/play/play.h"

enum { VertexCount = 40 };

static int failures = 0;

static void expect(int holds, const char* what) {
  if (holds) return;
  ++failures;
  printf("does not hold: %s\n", what);
}

/* 40 vertices along x, from joint 0 to joint 1; the shape lifts the second half. */
typedef struct Bar {
  float positions[3 * VertexCount];
  float normals[3 * VertexCount];
  uint32_t joints[2 * VertexCount];
  float weights[2 * VertexCount];
  float lift[3 * VertexCount];
  const float* shapes[1];
  SinewPlayMesh mesh;
} Bar;

static void makeBar(Bar* bar) {
  memset(bar, 0, sizeof(*bar));
  for (int v = 0; v < VertexCount; ++v) {
    const float along = (float)v / (VertexCount - 1);
    bar->positions[3 * v] = along;
    bar->normals[3 * v + 1] = 1;
    bar->joints[2 * v + 1] = 1;
    bar->weights[2 * v] = 1 - along;
    bar->weights[2 * v + 1] = along;
    if (v >= VertexCount / 2) bar->lift[3 * v + 1] = 0.5f;
  }
  bar->shapes[0] = bar->lift;
  bar->mesh.vertexCount = VertexCount;
  bar->mesh.jointCount = 2;
  bar->mesh.influencesPerVertex = 2;
  bar->mesh.positions = bar->positions;
  bar->mesh.normals = bar->normals;
  bar->mesh.joints = bar->joints;
  bar->mesh.weights = bar->weights;
  bar->mesh.shapeCount = 1;
  bar->mesh.shapes = bar->shapes;
}

static void testFrame(const SinewPlayCharacter* character) {
  /* Joint 0 stays, joint 1 moves by 2 along z. */
  const float matrices[32] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1,
                              1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 2, 1};
  const float half = 0.5f;
  float positions[3 * VertexCount];
  float normals[3 * VertexCount];
  float again[3 * VertexCount];
  SinewPlayFrame frame = {matrices, &half, positions, normals};
  SinewPlayMessage message;
  const uint32_t blocks = sinewPlayBlockCount(character);
  expect(blocks >= 3, "40 vertices need 3 blocks or more");
  expect(sinewPlaySkin(character, &frame, 0, blocks, &message) == SinewPlayOk, message.text);
  for (int v = 0; v < VertexCount; ++v) {
    const float along = (float)v / (VertexCount - 1);
    expect(fabsf(positions[3 * v] - along) < 1e-5f, "x stays");
    expect(fabsf(positions[3 * v + 1] - (v >= VertexCount / 2 ? 0.25f : 0)) < 1e-4f, "the shape lifts by half");
    expect(fabsf(positions[3 * v + 2] - 2 * along) < 1e-5f, "z follows the weights");
    expect(fabsf(normals[3 * v + 1] - 1) < 1e-3f, "normals stay");
  }
  frame.positions = again;
  for (uint32_t b = blocks; b-- > 0;) {
    expect(sinewPlaySkin(character, &frame, b, b + 1, NULL) == SinewPlayOk, "one block");
  }
  for (int i = 0; i < 3 * VertexCount; ++i) expect(positions[i] == again[i], "ranges give the same numbers");
  expect(sinewPlaySkin(character, &frame, 0, blocks + 1, &message) == SinewPlayBadInput, "too many blocks");
  expect(strstr(message.text, "blocks") != NULL, message.text);
  frame.shapeWeights = NULL;
  expect(sinewPlaySkin(character, &frame, 0, blocks, &message) == SinewPlayBadInput, "no weights");
  expect(strstr(message.text, "shapeWeights is null") != NULL, message.text);
}

static void testRefusals(void) {
  Bar bar;
  SinewPlayCharacter* character = NULL;
  SinewPlayMessage message;
  makeBar(&bar);
  bar.joints[7] = 9;
  expect(sinewPlayCreate(&bar.mesh, &character, &message) == SinewPlayBadInput, "joint 9 of 2");
  expect(strstr(message.text, "vertex 3 follows joint 9") != NULL, message.text);
  expect(character == NULL, "no character after a refusal");
  makeBar(&bar);
  bar.mesh.positions = NULL;
  expect(sinewPlayCreate(&bar.mesh, &character, NULL) == SinewPlayBadInput, "no positions");
  expect(sinewPlayCreate(NULL, &character, &message) == SinewPlayBadInput, "no mesh");
  expect(sinewPlayBlockCount(NULL) == 0, "no blocks of nothing");
  sinewPlayDestroy(NULL);
}

int main(void) {
  Bar bar;
  SinewPlayCharacter* character = NULL;
  SinewPlayMessage message;
  makeBar(&bar);
  expect(sinewPlayCreate(&bar.mesh, &character, &message) == SinewPlayOk, message.text);
  expect(message.text[0] == '\0', "no message after success");
  if (character != NULL) testFrame(character);
  sinewPlayDestroy(character);
  testRefusals();
  return failures == 0 ? 0 : 1;
}
