// Generates both sides of apps/studio/protocol.json: the codecs apps/studio/messages.h and web/src/protocol/messages.ts,
// and what is sent as JSON (protocol_json.mjs).
// With --check it only reports whether they are up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jsonCode } from './protocol_json.mjs';

const top = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const protocol = JSON.parse(readFileSync(join(top, 'apps/studio/protocol.json'), 'utf8'));
const note = 'Made by web/scripts/make_protocol.mjs from apps/studio/protocol.json; do not edit.';

const cppType = { u8: 'std::uint8_t', u32: 'std::uint32_t', f32: 'float' };
const tsArray = { u8: 'Uint8Array', u32: 'Uint32Array', f32: 'Float32Array' };

function cppField(field) {
  const type = cppType[field.type];
  const about = field.about ? `  ///< ${field.about}` : '';
  if (field.count === undefined) return `  ${type} ${field.name} = 0;${about}`;
  if (field.count === '*') return `  std::vector<${type}> ${field.name}{};${about}`;
  return `  std::array<${type}, ${field.count}> ${field.name}{};${about}`;
}

function cppMessage(message) {
  const visits = message.fields.map((field) => `visit(m.${field.name});`).join(' ');
  const about = message.about ? `/// ${message.about}\n` : '';
  return `${about}struct ${message.name} {
  static constexpr std::uint32_t kCode = ${message.code};
${message.fields.map(cppField).join('\n')}

  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) { ${visits} }
  friend bool operator==(const ${message.name}&, const ${message.name}&) = default;
};
`;
}

const fieldBytes = { u8: 1, u32: 4, f32: 4 };

/** The offset of a field in the body; only fields before the first list have a fixed one. */
function offsetOf(message, name) {
  let at = 0;
  for (const field of message.fields) {
    if (field.name === name) {
      if (field.type !== 'u32' || field.count !== undefined) throw new Error(`${message.name}.${name} is not a u32`);
      return at;
    }
    if (field.count === '*') throw new Error(`${message.name}.${name} comes after a list`);
    at += Math.ceil((fieldBytes[field.type] * (field.count ?? 1)) / 4) * 4;
  }
  throw new Error(`${message.name} has no field ${name}`);
}

function cppNewestRule(message) {
  const place = (name) => (name === undefined ? -1 : offsetOf(message, name));
  return `  {${message.name}::kCode, ${place(message.newest.key)}, ${place(message.newest.while)}},`;
}

/** All messages that one side sends. */
function cppVariant(name, from) {
  const kinds = protocol.messages.filter((message) => message.from === from).map((message) => message.name);
  return `using ${name} = std::variant<${kinds.join(', ')}>;`;
}

function cppEnum({ name, about, values }) {
  const rows = values.map((row) => `  ${row.name} = ${row.code},${row.about ? `  ///< ${row.about}` : ''}`);
  return `/// ${about}\nenum class ${name} : std::uint32_t {\n${rows.join('\n')}\n};\n`;
}

function cppList({ name, about, values }) {
  const constant = `k${name[0].toUpperCase()}${name.slice(1)}`;
  return `/// ${about}\ninline constexpr std::array<std::string_view, ${values.length}> ${constant}{${values.map((value) => `"${value}"`).join(', ')}};\n`;
}

function cpp() {
  return `// ${note}
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

// clang-format off
namespace sinew::studio {

/// An encoded message, or bulk data.
using Bytes = std::vector<std::uint8_t>;

inline constexpr std::uint32_t kProtocolVersion = ${protocol.version};

${protocol.enums.map(cppEnum).join('\n')}
${protocol.lists.map(cppList).join('\n')}
namespace wire {

// visitFields calls for every field in the order of the encoding.

${protocol.messages.map(cppMessage).join('\n')}
${cppVariant('PageMessage', 'page')}
${cppVariant('ServerMessage', 'server')}

/// Of queued messages with the same key only the newest is kept.
struct NewestRule {
  std::uint32_t code;
  int key;      ///< offset in the body of the field with the key; negative: all messages of the kind have the same key
  int whileAt;  ///< offset of a field that is not 0 in messages with a key; negative: all have one
};
inline constexpr NewestRule kNewestRules[] = {
${protocol.messages.filter((message) => message.newest !== undefined).map(cppNewestRule).join('\n')}
};

}  // namespace wire
}  // namespace sinew::studio
// clang-format on
`;
}

function tsField(field) {
  const about = field.about ? `  /** ${field.about} */\n` : '';
  const type = field.count === undefined ? 'number' : tsArray[field.type];
  return `${about}  ${field.name}: ${type};`;
}

function tsMessage(message) {
  const reads = message.fields.map((f) => {
    if (f.count === undefined) return `    ${f.name}: r.${f.type}(),`;
    return `    ${f.name}: r.${f.type}s(${f.count === '*' ? '' : f.count}),`;
  });
  const writes = message.fields.map((f) => {
    if (f.count === undefined) return `  w.${f.type}(m.${f.name});`;
    return `  w.${f.type}s(m.${f.name}${f.count === '*' ? '' : `, ${f.count}`});`;
  });
  const about = message.about ? `/** ${message.about} */\n` : '';
  return `${about}export interface ${message.name} {
${message.fields.map(tsField).join('\n')}
}
export const ${message.name}Code = ${message.code};
export function read${message.name}(r: Reader): ${message.name} {
  return {
${reads.join('\n')}
  };
}
export function write${message.name}(w: Writer, m: ${message.name}): void {
${writes.join('\n')}
}
`;
}

function tsEnum({ name, about, values }) {
  return `/** ${about} */\nexport const ${name} = {\n${values.map((row) => `  ${row.name}: ${row.code},`).join('\n')}\n} as const;\n`;
}

function tsList({ name, about, values }) {
  return `/** ${about} */\nexport const ${name} = [${values.map((value) => `'${value}'`).join(', ')}] as const;\n`;
}

function tsNewestKey(message) {
  const field = (name) => `(body as ${message.name}).${name}`;
  const key = message.newest.key === undefined ? '0' : field(message.newest.key);
  const result = message.newest.while === undefined ? key : `${field(message.newest.while)} === 0 ? undefined : ${key}`;
  return `    case ${message.name}Code:\n      return ${result};`;
}

function ts() {
  const fromServer = protocol.messages.filter((message) => message.from === 'server');
  return `// ${note}
import type { Reader, Writer } from './codec';

export const protocolVersion = ${protocol.version};

${protocol.enums.map(tsEnum).join('\n')}
${protocol.lists.map(tsList).join('\n')}
${protocol.messages.map(tsMessage).join('\n')}
/** Every message of the server, by its code. */
export type ServerMessage =
${fromServer.map((m) => `  | { code: typeof ${m.name}Code; body: ${m.name} }`).join('\n')};

export function readServerMessage(code: number, r: Reader): ServerMessage | undefined {
  switch (code) {
${fromServer.map((m) => `    case ${m.name}Code:\n      return { code, body: read${m.name}(r) };`).join('\n')}
    default:
      return undefined;
  }
}

/** Of queued messages of the page with the same code and key only the newest is kept; those without a key are all kept. */
export function newestKey(code: number, body: unknown): number | undefined {
  switch (code) {
${protocol.messages.filter((m) => m.from === 'page' && m.newest !== undefined).map(tsNewestKey).join('\n')}
    default:
      return undefined;
  }
}
`;
}

let stale = false;
for (const [path, text] of [
  ['apps/studio/messages.h', cpp()],
  ['web/src/protocol/messages.ts', ts()],
  ...jsonCode(protocol, note),
]) {
  const file = join(top, path);
  let old = '';
  try {
    old = readFileSync(file, 'utf8');
  } catch {
    // A file that does not exist yet is stale.
  }
  if (old === text) continue;
  if (process.argv.includes('--check')) {
    console.error(`${path} differs from apps/studio/protocol.json; run node web/scripts/make_protocol.mjs`);
    stale = true;
  } else {
    writeFileSync(file, text);
    console.log(`wrote ${path}`);
  }
}
process.exit(stale ? 1 : 0);
