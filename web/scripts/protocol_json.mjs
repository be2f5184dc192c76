// The JSON half of the protocol (make_protocol.mjs): records, commands of the page with their answers, events of the server.
const cppValue = { f64: 'double', i32: 'std::int32_t', u32: 'std::uint32_t', bool: 'bool', text: 'std::string' };
const tsValue = { f64: 'number', i32: 'number', u32: 'number', bool: 'boolean', text: 'string' };

/** The dimensions of a list from the outer to the inner one; '*': any length. */
const dimensions = ({ count }) => (count === undefined ? [] : [count].flat());
const upper = (name) => name[0].toUpperCase() + name.slice(1);
/** pose.reset: PoseReset */
const typeName = (name) => name.split('.').map(upper).join('');
const aboutCpp = (about) => (about ? `/// ${about}\n` : '');
const aboutTs = (about) => (about ? `/** ${about} */\n` : '');

export function jsonCode(protocol, note) {
  const typeOf = (field, known) => {
    if (known[field.type] !== undefined) return known[field.type];
    if (protocol.records.some(({ name }) => name === field.type)) return field.type;
    throw new Error(`${field.name}: there is no type ${field.type}`);
  };

  /** The words that a text may be: a list of the protocol by its name, or listed with the field. */
  const wordsOf = ({ name, values }) => {
    if (typeof values !== 'string') return values;
    const list = protocol.lists.find((one) => one.name === values);
    if (list === undefined) throw new Error(`${name}: there is no list ${values}`);
    return list.values;
  };

  function cppType(field, known = cppValue) {
    let type = typeOf(field, known);
    for (const size of dimensions(field).reverse()) type = size === '*' ? `std::vector<${type}>` : `std::array<${type}, ${size}>`;
    return field.optional ? `std::optional<${type}>` : type;
  }

  function cppField(field, known) {
    const about = field.about ? `  ///< ${field.about}` : '';
    const plain = field.default === undefined || field.default === '' || Array.isArray(field.default);
    return `  ${cppType(field, known)} ${field.name}${plain ? '{}' : ` = ${JSON.stringify(field.default)}`};${about}`;
  }

  const visitor = '  template <class Self, class Visitor>\n  static void visitFields(Self&';
  const plainVisits = (fields) =>
    fields.length === 0
      ? `${visitor} /*m*/, Visitor&& /*visit*/) {}`
      : `${visitor} m, Visitor&& visit) {\n${fields.map(({ name }) => `    visit("${name}", m.${name});\n`).join('')}  }`;

  const cppRecord = ({ name, about, fields }) => `${aboutCpp(about)}struct ${name} {
${fields.map((field) => cppField(field)).join('\n')}

${plainVisits(fields)}
};
`;

  const header = (includes, content) => `// ${note}
#pragma once

${includes.map((one) => (one === '' ? '' : `#include ${one}`)).join('\n')}

// clang-format off
namespace sinew::studio::wire {

${content}
}  // namespace sinew::studio::wire
// clang-format on
`;
  // The description of the document is made as JSON, and sent as it is.
  const made = { ...cppValue, DocumentInfo: 'nlohmann::json' };

  function cppRule(field) {
    const rule = [];
    if (field.optional || field.default !== undefined) rule.push('.required = false');
    if (typeof field.values === 'string') rule.push(`.values = k${upper(field.values)}`);
    else if (field.values !== undefined) rule.push(`.values = k${upper(field.name)}`);
    return `visit("${field.name}", m.${field.name}, FieldRule{${rule.join(', ')}});`;
  }

  function cppCommand(command) {
    const type = typeName(command.name);
    const listed = command.fields.filter((field) => Array.isArray(field.values));
    const answerType = Array.isArray(command.answer) ? `${type}Answer` : command.answer === undefined ? 'void' : 'nlohmann::json';
    const open = command.fields.length === 0 ? `${type}Command : NoFields` : `${type}Command`;
    return `${aboutCpp(command.about)}struct ${open} {
  static constexpr std::string_view kName = "${command.name}", kOwner = "${command.owner}";
  static constexpr CommandKind kKind = CommandKind::${upper(command.kind)};
  using Answer = ${answerType};
${listed.map((field) => `  static constexpr std::array<std::string_view, ${field.values.length}> k${upper(field.name)}{${field.values.map((word) => `"${word}"`).join(', ')}};\n`).join('')}${command.fields.map((field) => `${cppField(field)}\n`).join('')}${command.fields.length === 0 ? '' : `${visitor} m, Visitor&& visit) { ${command.fields.map(cppRule).join(' ')} }\n`}};
`;
  }

  const cppAnswers = () =>
    header(
      ['<cstdint>', '<nlohmann/json.hpp>', '<optional>', '<string>', '<vector>', '', '"studio/document_info.h"'],
      `// What commands answer, as records. record_json.h makes JSON of it.

${protocol.commands
  .filter((command) => Array.isArray(command.answer))
  .map(({ name, answer }) => `struct ${typeName(name)}Answer {\n${answer.map((field) => cppField(field, made)).join('\n')}\n\n${plainVisits(answer)}\n};\n`)
  .join('\n')}`,
    );

  const cppCommands = () =>
    header(
      ['<array>', '<cstdint>', '<nlohmann/json.hpp>', '<optional>', '<span>', '<string>', '<string_view>', '<tuple>', '<vector>', '', '"studio/answers.h"', '"studio/messages.h"'],
      `enum class CommandKind {
  Edit,     ///< cancels a gesture in progress first
  Look,     ///< changes nothing: gestures continue, and pages that were replaced may use it too
  Gesture,  ///< continues a gesture of several commands
};

/// What a command allows for a field.
struct FieldRule {
  bool required = true;
  std::span<const std::string_view> values = {};  ///< the words that it may be; empty: any
};

struct NoFields {
  template <class Self, class Visitor>
  static void visitFields(Self& /*m*/, Visitor&& /*visit*/) {}
};

// visitFields calls with the name of every field, the field and its rule. command_json.h reads and checks them.

${protocol.commands.map(cppCommand).join('\n')}
using Commands = std::tuple<${protocol.commands.map(({ name }) => `${typeName(name)}Command`).join(', ')}>;
`,
    );

  function cppEvent(event) {
    const name = `  static constexpr std::string_view kName = "${event.name}";\n`;
    if (event.record !== undefined) return `${aboutCpp(`${event.about} Its fields are those of ${event.record}.`)}struct ${typeName(event.name)}Event {\n${name}};\n`;
    return `${aboutCpp(event.about)}struct ${typeName(event.name)}Event {
${name}${event.fields.map((field) => `${cppField(field, made)}\n`).join('')}
${plainVisits(event.fields)}
};
`;
  }

  const cppEvents = () =>
    header(
      ['<array>', '<cstdint>', '<optional>', '<string>', '<string_view>', '<vector>', '', '"studio/document_info.h"'],
      `// visitFields calls with the name of every field and the field. record_json.h makes JSON of it.

${protocol.events.map(cppEvent).join('\n')}`,
    );

  const cppRecords = () =>
    header(
      ['<array>', '<cstdint>', '<optional>', '<string>', '<vector>'],
      `// visitFields calls with the name of every field and the field. record_json.h makes JSON of it.

${protocol.records.map(cppRecord).join('\n')}`,
    );

  function tsType(field) {
    const words = wordsOf(field);
    let type = words === undefined ? typeOf(field, tsValue) : words.map((word) => `'${word}'`).join(' | ');
    for (const size of dimensions(field).reverse()) type = size === '*' ? `${type}[]` : `[${Array(size).fill(type).join(', ')}]`;
    return type;
  }

  function tsField(field, indent = '  ') {
    const open = field.optional || field.default !== undefined;
    const fallback = field.default === undefined || Array.isArray(field.default) ? '' : `${JSON.stringify(field.default)} if left out`;
    const about = [field.about, fallback].filter(Boolean).join('; ');
    return `${about ? `${indent}/** ${about} */\n` : ''}${indent}${field.name}${open ? '?' : ''}: ${tsType(field)};`;
  }

  const tsRecord = ({ name, about, fields }) => `${aboutTs(about)}export interface ${name} {\n${fields.map((field) => tsField(field)).join('\n')}\n}\n`;
  const tsObject = (fields) => (fields.length === 0 ? 'Record<string, never>' : `{\n${fields.map((field) => tsField(field, '      ')).join('\n')}\n    }`);

  function tsCommand(command) {
    const answer = typeof command.answer === 'string' ? command.answer : tsObject(command.answer ?? []);
    return `${command.about ? `  /** ${command.about} */\n` : ''}  '${command.name}': {\n    args: ${tsObject(command.fields)};\n    answer: ${answer};\n  };`;
  }

  function tsEvent(event) {
    const own = `{ event: '${event.name}' }`;
    if (event.record !== undefined) return `${aboutTs(event.about)}export type ${typeName(event.name)}Event = ${own} & ${event.record};\n`;
    return `${aboutTs(event.about)}export interface ${typeName(event.name)}Event {\n  event: '${event.name}';\n${event.fields.map((field) => `${tsField(field)}\n`).join('')}}\n`;
  }

  const tsCommands = () => `// ${note}
import type { ${usedRecords(protocol.commands.flatMap((one) => [...one.fields, ...(Array.isArray(one.answer) ? one.answer : [{ type: one.answer }])]))} } from './document';

/** What the page may ask for, and the answers. */
export interface Commands {
${protocol.commands.map(tsCommand).join('\n')}
}

export type CommandName = keyof Commands;
export type Answer<Name extends CommandName> = Commands[Name]['answer'];
/** The arguments of a call: none have to be given if none are required. */
export type Args<Name extends CommandName> = {} extends Commands[Name]['args'] ? [args?: Commands[Name]['args']] : [args: Commands[Name]['args']];
`;

  const tsEvents = () => `// ${note}
import type { ${usedRecords(protocol.events.flatMap((one) => one.fields ?? [{ type: one.record }]))} } from './document';

${protocol.events.map(tsEvent).join('\n')}
/** What the server tells all pages. */
export type ServerEvent = ${protocol.events.map(({ name }) => `${typeName(name)}Event`).join(' | ')};
`;

  function usedRecords(fields) {
    const types = new Set(fields.map(({ type }) => type));
    return protocol.records.map(({ name }) => name).filter((name) => types.has(name)).sort().join(', ');
  }

  return [
    ['apps/studio/document_info.h', cppRecords()],
    ['apps/studio/answers.h', cppAnswers()],
    ['apps/studio/commands.h', cppCommands()],
    ['apps/studio/events.h', cppEvents()],
    ['web/src/protocol/document.ts', `// ${note}\n\n${protocol.records.map(tsRecord).join('\n')}`],
    ['web/src/protocol/commands.ts', tsCommands()],
    ['web/src/protocol/events.ts', tsEvents()],
  ];
}
