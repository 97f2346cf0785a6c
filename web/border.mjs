// Generates the TypeScript side of the border between C and TypeScript from the C declarations:
//
//   border.mjs OUTPUT DEPFILE CLANG FLAG... FILE.c...
//
// C is the definition. Clang reads the sources of src/app/wasm for wasm32, and the output has, under the names of C:
//   - each enum of ENUMS as an enum. Its members lose their common prefix: VIEW_EVENT_SELECT is ViewEventKind.Select;
//   - each constant of CONSTANTS;
//   - of each struct of STRUCTS its type, the offsets of its members (XLayout; `sizeof` is the size of the struct), and
//     functions that read and write it (readX, writeX). 64-bit integers are bigints, `const char *` are texts, other
//     pointers are addresses;
//   - the functions that each file exports: ViewExports of view_exports.c.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";

const ENUMS = ["CodecKind", "DayFinding", "DrawBatchKind", "DrawShapeKind", "FontFace", "KeyContext", "KeyKind", "MomentsKind", "PaintKind", "PointerKind", "SessionStatus",
  "EngineRanges", "Theme", "ViewAxis", "ViewEventKind", "ViewFilePart", "ViewFileUse", "ViewGrowth", "ViewOption", "ViewRequestKind"];
const CONSTANTS = ["DRAW_FADE_RIGHT", "DRAW_HATCH", "MOD_ALT", "MOD_CTRL", "MOD_META", "MOD_SHIFT", "PAINT_TEXEL_COLUMNS", "SESSION_MAX_BODY"];
const STRUCTS = ["Command", "DrawBatch", "DrawCurve", "DrawList", "DrawShape", "DrawText", "EventPlace", "FoundEvent", "MomentsRequest", "NameColour", "PaintList", "PaintRun", "PaintStrip", "SlicePlace",
  "TileKey", "ViewEvent", "ViewRequest"];

/** The numbers of C on wasm32: the type in TypeScript, and the suffix of the functions of DataView. */
const NUMBERS = {
  float: ["number", "Float32"],
  double: ["number", "Float64"],
  int: ["number", "Int32"],
  int32_t: ["number", "Int32"],
  "unsigned int": ["number", "Uint32"],
  uint16_t: ["number", "Uint16"],
  uint32_t: ["number", "Uint32"],
  size_t: ["number", "Uint32"],
  int64_t: ["bigint", "BigInt64"],
  uint64_t: ["bigint", "BigUint64"],
};

function fail(message) {
  throw new Error(`border.mjs: ${message}`);
}

function camel(text) {
  return text.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase());
}

/** Returns the enums of a syntax tree: name ("" without one) and [name, value] of each member. */
function enumsOf(tree) {
  const names = new Map();
  for (const node of tree.inner)
    if (node.kind === "TypedefDecl") names.set(node.inner?.[0]?.ownedTagDecl?.id ?? node.inner?.[0]?.inner?.[0]?.decl?.id, node.name);
  return tree.inner
    .filter((node) => node.kind === "EnumDecl")
    .map((node) => {
      let next = 0;
      const members = node.inner.filter(({ kind }) => kind === "EnumConstantDecl").map(({ name, inner }) => {
        const value = Number(inner?.find(({ kind }) => kind === "ConstantExpr")?.value ?? next);
        next = value + 1;
        return [name, value];
      });
      return { name: names.get(node.id) ?? node.name ?? "", members };
    });
}

/** Returns the structs of Clang's list of layouts: a map from the name to the size and the members of the struct itself. */
function structsOf(layouts) {
  const structs = new Map();
  for (const block of layouts.split("*** Dumping AST Record Layout").slice(1)) {
    const name = /^\s+0 \| struct (\w+)$/m.exec(block)?.[1];
    if (name === undefined) continue;
    const members = [...block.matchAll(/^ +(\d+) \| {3}(?! )(.+) (\w+)$/gm)];
    structs.set(name, {
      size: Number(/\[sizeof=(\d+)/.exec(block)[1]),
      members: members.map(([, offset, type, member]) => ({ member, type: type.replace(/^struct /, ""), offset: Number(offset) })),
    });
  }
  return structs;
}

/** Returns the exported functions: [name, parameters, result] in TypeScript. */
function exportsOf(source) {
  const typeOf = (type) => {
    if (type === "void") return "void";
    return ENUMS.includes(type) ? type : (NUMBERS[type]?.[0] ?? "number"); // addresses, bool: 0 or 1
  };
  const text = source.replace(/\/\*.*?\*\//gs, "");
  return [...text.matchAll(/WASM_EXPORT\((\w+)\)\s+([\w\s*]*?)(\w+)\(([^)]*)\)\s*\{/g)].map(([, name, result, , parameters]) => {
    const list = parameters.split(",").map((parameter) => /^\s*(.*?)(\w+)\s*$/s.exec(parameter));
    const texts = list.filter(([, type]) => type !== "").map(([, type, parameter]) => `${parameter}: ${typeOf(type.trim())}`);
    return [name, texts.join(", "), typeOf(result.trim())];
  });
}

function enumText({ name, members }) {
  const words = members.map(([member]) => member.split("_"));
  let common = 0;
  while (words.every((parts) => common < parts.length - 1 && parts[common] === words[0][common])) common++;
  const lines = members.map(([, value], i) => `  ${camel(words[i].slice(common).join("_"))} = ${value},\n`);
  return `export enum ${name} {\n${lines.join("")}}\n`;
}

/** Returns the type of a member in TypeScript, and the code that reads and writes it. */
function memberCode(type, at, value) {
  if (type === "const char *") return { type: "string", read: `readText(data, data.getUint32(${at}, true))`, write: null };
  if (type === "_Bool") return { type: "boolean", read: `data.getUint8(${at}) !== 0`, write: `data.setUint8(${at}, ${value} ? 1 : 0)` };
  if (STRUCTS.includes(type)) return { type, read: `read${type}(data, ${at})`, write: `write${type}(data, ${at}, ${value})` };
  const [name, suffix] = type.endsWith("*") || ENUMS.includes(type) ? NUMBERS.uint32_t : (NUMBERS[type] ?? fail(`the type ${type} is not listed`));
  const typeName = ENUMS.includes(type) ? type : name;
  return { type: typeName, read: `data.get${suffix}(${at}, true)`, write: `data.set${suffix}(${at}, ${value}, true)` };
}

function structText(name, { size, members }) {
  const codes = members.map(({ member, type, offset }) => ({ member, offset, ...memberCode(type, `at + ${offset}`, `value.${member}`) }));
  const lines = (line) => codes.map(line).join("\n");
  const text = `export interface ${name} {
${lines(({ member, type }) => `  ${member}: ${type};`)}
}
export enum ${name}Layout {
  sizeof = ${size},
${lines(({ member, offset }) => `  ${member} = ${offset},`)}
}
export function read${name}(data: DataView, at: number): ${name} {
  return {
${lines(({ member, read }) => `    ${member}: ${read},`)}
  };
}
`;
  if (codes.some(({ write }) => write === null)) return text;
  return `${text}export function write${name}(data: DataView, at: number, value: ${name}): void {
${lines(({ write }) => `  ${write};`)}
}
`;
}

const READ_TEXT = `/** Returns a text that ends with a zero byte. */
function readText(data: DataView, at: number): string {
  const bytes = new Uint8Array(data.buffer, at);
  return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
}
`;

const [output, depfile, clang, ...rest] = process.argv.slice(2);
const flags = rest.filter((argument) => !argument.endsWith(".c"));
const files = rest.filter((argument) => argument.endsWith(".c"));
const enums = new Map();
const constants = new Map();
const structs = new Map();
const parts = ["// Generated by web/border.mjs from the C declarations.\n", READ_TEXT];
const dependencies = [];
/** A compiler cache would answer for one file with the syntax tree of another: it does not expect output of this kind. */
const env = { ...process.env, CCACHE_DISABLE: "1" };
const run = (file, ...more) =>
  execFileSync(clang, [...flags, ...more, file], { encoding: "utf8", env, maxBuffer: 2 ** 28, stdio: ["ignore", "pipe", "inherit"] });

for (const file of files) {
  for (const found of enumsOf(JSON.parse(run(file, "-fsyntax-only", "-Xclang", "-ast-dump=json")))) {
    enums.set(found.name, found);
    for (const [member, value] of found.members) constants.set(member, value);
  }
  for (const [name, struct] of structsOf(run(file, "-fsyntax-only", "-Xclang", "-fdump-record-layouts-complete"))) structs.set(name, struct);
  const functions = exportsOf(readFileSync(file, "utf8")).map(([name, parameters, result]) => `  ${name}(${parameters}): ${result};\n`);
  parts.push(`export interface ${camel(basename(file, ".c"))} {\n${functions.join("")}}\n`);
  dependencies.push(run(file, "-M", "-MT", output));
}
for (const name of ENUMS) parts.push(enumText(enums.get(name) ?? fail(`there is no enum ${name}`)));
for (const name of CONSTANTS) parts.push(`export const ${name} = ${constants.get(name) ?? fail(`there is no constant ${name}`)};\n`);
for (const name of STRUCTS) parts.push(structText(name, structs.get(name) ?? fail(`there is no struct ${name}`)));
writeFileSync(output, parts.join("\n"));
writeFileSync(depfile, dependencies.join(""));
