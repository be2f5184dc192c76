#include <cstdint>
#include <cstring>

#include "seeds.h"

namespace sinew::test {
namespace {

template <class T>
void put(std::string& bytes, T value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof value);
}

const char* const kPlyHeader =
    "element vertex 5\nproperty float x\nproperty float y\nproperty float z\nelement face 3\n"
    "property list uchar int vertex_indices\nend_header\n";

std::string plyText() {
  return std::string("ply\nformat ascii 1.0\ncomment small\n") + kPlyHeader +
         "0 0 0\n1 0 0\n1 1 0\n0 1 0\n0.5 0.5 1\n4 0 1 2 3\n3 0 1 4\n3 1 2 4\n";
}

std::string plyBytes() {
  std::string bytes = std::string("ply\nformat binary_little_endian 1.0\n") + kPlyHeader;
  for (const float x : {0.F, 0.F, 0.F, 1.F, 0.F, 0.F, 1.F, 1.F, 0.F, 0.F, 1.F, 0.F, 0.5F, 0.5F, 1.F}) put(bytes, x);
  for (const std::vector<std::int32_t>& face : {std::vector{0, 1, 2, 3}, std::vector{0, 1, 4}, std::vector{1, 2, 4}}) {
    bytes.push_back(static_cast<char>(face.size()));
    for (const std::int32_t vertex : face) put(bytes, vertex);
  }
  return bytes;
}

std::string stlText() {
  const std::string facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex ";
  const std::string end = "\nendloop\nendfacet\n";
  return "solid two\n" + facet + "1 1 0" + end + facet + "0 -1 0" + end + "endsolid two\n";
}

std::string stlBytes() {
  std::string bytes(80, ' ');
  put(bytes, std::uint32_t{2});
  for (int facet = 0; facet < 2; ++facet) {
    for (const float x : {0.F, 0.F, 1.F, 0.F, 0.F, 0.F, 1.F, 0.F, 0.F, 1.F, 1.F, static_cast<float>(facet)})
      put(bytes, x);
    put(bytes, std::uint16_t{0});
  }
  return bytes;
}

std::string bvh() {
  return "HIERARCHY\nROOT hips\n{\n OFFSET 0 1 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
         "Yrotation\n JOINT knee\n {\n  OFFSET 0 -0.5 0\n  CHANNELS 3 Zrotation Xrotation Yrotation\n  End Site\n  {\n"
         "   OFFSET 0 -0.5 0\n  }\n }\n}\nMOTION\nFrames: 2\nFrame Time: 0.5\n0 1 0 0 0 0 0 0 0\n0 1 0 0 0 0 0 45 0\n";
}

std::string collada() {
  return R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="meter" meter="1"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="strip" name="strip"><mesh>
 <source id="p"><float_array id="pa" count="18">0 0 0 1 0 0 0 1 0 1 1 0 0 2 0 1 2 0</float_array>
  <technique_common><accessor source="#pa" count="6" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
 <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
 <polylist count="2"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4 4</vcount><p>0 1 3 2 2 3 5 4</p></polylist>
</mesh></geometry></library_geometries>
<library_controllers><controller id="skin"><skin source="#strip">
 <source id="j"><Name_array id="ja" count="2">lower upper</Name_array><technique_common><accessor source="#ja" count="2" stride="1"><param name="JOINT" type="name"/></accessor></technique_common></source>
 <source id="b"><float_array id="ba" count="32">1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 1 0 0 0 0 1 0 -1 0 0 1 0 0 0 0 1</float_array><technique_common><accessor source="#ba" count="2" stride="16"><param name="TRANSFORM" type="float4x4"/></accessor></technique_common></source>
 <source id="w"><float_array id="wa" count="2">1 0.5</float_array><technique_common><accessor source="#wa" count="2" stride="1"><param name="WEIGHT" type="float"/></accessor></technique_common></source>
 <joints><input semantic="JOINT" source="#j"/><input semantic="INV_BIND_MATRIX" source="#b"/></joints>
 <vertex_weights count="6"><input semantic="JOINT" source="#j" offset="0"/><input semantic="WEIGHT" source="#w" offset="1"/><vcount>1 1 2 2 1 1</vcount><v>0 0 0 0 0 1 1 1 0 1 1 1 1 0 1 0</v></vertex_weights>
</skin></controller></library_controllers>
<library_visual_scenes><visual_scene id="scene">
 <node id="lower" name="lower" sid="lower" type="JOINT"><node id="upper" name="upper" sid="upper" type="JOINT"><translate sid="t">0 1 0</translate></node></node>
 <node id="body" name="body"><instance_controller url="#skin"><skeleton>#lower</skeleton></instance_controller></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#scene"/></scene></COLLADA>
)";
}

std::string fbxText() {
  return R"(; FBX 7.3.0 project file
FBXHeaderExtension:  {
	FBXHeaderVersion: 1003
	FBXVersion: 7300
}
Objects:  {
	Geometry: 100, "Geometry::strip", "Mesh" {
		Vertices: *12 {
			a: 0,0,0,1,0,0,1,1,0,0,1,0
		}
		PolygonVertexIndex: *4 {
			a: 0,1,2,-4
		}
		GeometryVersion: 124
	}
	Model: 200, "Model::strip", "Mesh" {
		Version: 232
		Properties70:  {
			P: "Lcl Translation", "Lcl Translation", "", "A",0,1,0
		}
	}
}
Connections:  {
	C: "OO",200,0
	C: "OO",100,200
}
)";
}

/// A node of a binary FBX: properties as bytes, and nodes below it. Ends are places in the file, so `at` is where it
/// begins.
struct FbxNode {
  std::string name;
  std::vector<std::string> properties;
  std::vector<FbxNode> children;

  [[nodiscard]] std::string bytesAt(std::size_t at) const {
    std::string values;
    for (const std::string& property : properties) values += property;
    std::string below;
    const std::size_t head = 13 + name.size() + values.size();
    for (const FbxNode& child : children) below += child.bytesAt(at + head + below.size());
    if (!children.empty()) below += std::string(13, '\0');
    std::string bytes;
    put(bytes, static_cast<std::uint32_t>(at + head + below.size()));
    put(bytes, static_cast<std::uint32_t>(properties.size()));
    put(bytes, static_cast<std::uint32_t>(values.size()));
    bytes.push_back(static_cast<char>(name.size()));
    return bytes + name + values + below;
  }
};

std::string fbxWhole(std::int64_t value) {
  std::string bytes = "L";
  put(bytes, value);
  return bytes;
}

std::string fbxWord(const std::string& text) {
  std::string bytes = "S";
  put(bytes, static_cast<std::uint32_t>(text.size()));
  return bytes + text;
}

template <class T>
std::string fbxList(char kind, const std::vector<T>& values) {
  std::string bytes(1, kind);
  put(bytes, static_cast<std::uint32_t>(values.size()));
  put(bytes, std::uint32_t{0});
  put(bytes, static_cast<std::uint32_t>(values.size() * sizeof(T)));
  for (const T value : values) put(bytes, value);
  return bytes;
}

std::string fbxBytes() {
  std::string bytes("Kaydara FBX Binary  \0\x1a\0", 23);
  put(bytes, std::uint32_t{7300});
  const std::string zero("\0\1", 2);
  std::string version = "I";
  put(version, std::int32_t{124});
  const std::vector<double> points = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  const std::vector<std::int32_t> corners = {0, 1, 2, -4};
  const FbxNode geometry{"Geometry",
                         {fbxWhole(100), fbxWord("strip" + zero + "Geometry"), fbxWord("Mesh")},
                         {{"Vertices", {fbxList('d', points)}, {}},
                          {"PolygonVertexIndex", {fbxList('i', corners)}, {}},
                          {"GeometryVersion", {version}, {}}}};
  const FbxNode model{
      "Model", {fbxWhole(200), fbxWord("strip" + zero + "Model"), fbxWord("Mesh")}, {{"Version", {version}, {}}}};
  const FbxNode joined{"Connections",
                       {},
                       {{"C", {fbxWord("OO"), fbxWhole(200), fbxWhole(0)}, {}},
                        {"C", {fbxWord("OO"), fbxWhole(100), fbxWhole(200)}, {}}}};
  std::string fbxVersion = "I";
  put(fbxVersion, std::int32_t{7300});
  const FbxNode header{"FBXHeaderExtension", {}, {{"FBXVersion", {fbxVersion}, {}}}};
  for (const FbxNode& node : {header, FbxNode{"Objects", {}, {geometry, model}}, joined})
    bytes += node.bytesAt(bytes.size());
  return bytes + std::string(13, '\0');
}

std::string directX() {
  return "xof 0303txt 0032\nFrame root {\n FrameTransformMatrix { 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, "
         "1.0, "
         "0.0, 0.0, 0.0, 0.0, 1.0;; }\n Mesh strip {\n  4;\n  0.0;0.0;0.0;,\n  1.0;0.0;0.0;,\n  1.0;1.0;0.0;,\n  "
         "0.0;1.0;0.0;;\n  1;\n  4;0;1;2;3;;\n }\n}\n";
}

std::string valve() {
  return "version 1\nnodes\n0 \"root\" -1\n1 \"tip\" 0\nend\nskeleton\ntime 0\n0 0 0 0 0 0 0\n1 0 1 0 0 0 0\nend\n"
         "triangles\nskin\n0 0 0 0 0 0 1 0 0 1 0 1\n0 1 0 0 0 0 1 1 0 1 0 1\n0 0 1 0 0 0 1 0 1 1 0 1\nend\n";
}

std::string doom() {
  return "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\njoints {\n\t\"root\"\t-1 ( 0 0 0 ) ( 0 0 0 )\n}\n"
         "mesh {\n\tshader \"a\"\n\tnumverts 3\n\tvert 0 ( 0 0 ) 0 1\n\tvert 1 ( 1 0 ) 1 1\n\tvert 2 ( 0 1 ) 2 1\n"
         "\tnumtris 1\n\ttri 0 0 1 2\n\tnumweights 3\n\tweight 0 0 1 ( 0 0 0 )\n\tweight 1 0 1 ( 1 0 0 )\n"
         "\tweight 2 0 1 ( 0 1 0 )\n}\n";
}

/// A chunk of a .3ds, .b3d or .lwo: a name, a length, what is in it.
std::string studio3d() {
  const auto chunk = [](std::uint16_t kind, const std::string& content) {
    std::string bytes;
    put(bytes, kind);
    put(bytes, static_cast<std::uint32_t>(content.size() + 6));
    return bytes + content;
  };
  std::string points;
  put(points, std::uint16_t{3});
  for (const float x : {0.F, 0.F, 0.F, 1.F, 0.F, 0.F, 0.F, 1.F, 0.F}) put(points, x);
  std::string faces;
  put(faces, std::uint16_t{1});
  for (const int x : {0, 1, 2, 0}) put(faces, static_cast<std::uint16_t>(x));
  const std::string object = std::string("strip\0", 6) + chunk(0x4100, chunk(0x4110, points) + chunk(0x4120, faces));
  return chunk(0x4D4D, chunk(0x3D3D, chunk(0x4000, object)));
}

}  // namespace

std::vector<Seed> foreignSeeds() {
  const std::vector<std::vector<std::string>> commands = {
      {"info", "@"}, {"convert", "@", "-o", "%.glb"}, {"info", "@", "--json"}};
  const std::vector<std::vector<std::string>> rare = {{"info", "@", "--rare-formats"},
                                                      {"convert", "@", "--rare-formats", "-o", "%.obj"}};
  std::string blitz = "BB3D";
  put(blitz, std::uint32_t{28});
  put(blitz, std::uint32_t{1});
  blitz += "NODE";
  put(blitz, std::uint32_t{16});
  blitz += std::string(16, '\0');
  return {{"text.ply", plyText(), commands},   {"bytes.ply", plyBytes(), commands}, {"text.stl", stlText(), commands},
          {"bytes.stl", stlBytes(), commands}, {"walk.bvh", bvh(), commands},       {"strip.dae", collada(), commands},
          {"text.fbx", fbxText(), commands},   {"bytes.fbx", fbxBytes(), commands}, {"strip.x", directX(), rare},
          {"strip.smd", valve(), rare},        {"strip.md5mesh", doom(), rare},     {"strip.3ds", studio3d(), rare},
          {"strip.b3d", blitz, rare}};
}

}  // namespace sinew::test
