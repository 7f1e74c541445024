/** Prints the sizes of the tree: `npm run shape`. It reports; it does not fail. */
import { join } from 'node:path';
import { findKnots, readSource, type SourceFile } from './house.ts';
import { blankSource } from './source.ts';

const repository = join(import.meta.dirname, '..');

for (const folder of ['src', 'test']) {
  const files = readSource(join(repository, folder));
  if (files.length === 0) continue;
  console.log(`${folder}/`);
  describeFiles(files);
  describeFunctions(files);
  if (folder === 'src') describeKnots(files);
  console.log();
}

function describeFiles(files: SourceFile[]): void {
  const sizes = files.map((file) => ({ path: file.path, lines: lineCount(file.text) }));
  const lines = sizes.map((size) => size.lines);
  console.log(`  files                ${files.length}, ${lines.reduce((a, b) => a + b, 0)} lines`);
  console.log(`  lines per file       ${spread(lines)}   (aim: median 60-90, p95 under 300, max 500)`);
  const biggest = sizes.sort((a, b) => b.lines - a.lines).slice(0, 5);
  console.log(`  biggest              ${biggest.map((size) => `${size.path} ${size.lines}`).join(', ')}`);
}

function describeFunctions(files: SourceFile[]): void {
  const functions = files.flatMap((file) =>
    functionLengths(file.text).map(({ line, length }) => ({ where: `${file.path}:${line}`, length })),
  );
  const lengths = functions.map((fn) => fn.length);
  console.log(`  lines per function   ${spread(lengths)}   (estimated from braces; aim: p95 under 35)`);
  const longest = functions.sort((a, b) => b.length - a.length).slice(0, 5);
  console.log(`  longest              ${longest.map((fn) => `${fn.where} ${fn.length}`).join(', ')}`);
}

function describeKnots(files: SourceFile[]): void {
  const knots = findKnots(files);
  console.log(
    `  import knots         ${knots.length}${knots.map((knot) => `\n    ${knot.join(' ')}`).join('')}`,
  );
}

function lineCount(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

function spread(values: number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return `median ${at(0.5)}, p95 ${at(0.95)}, max ${sorted.at(-1) ?? 0}`;
}

/** Functions with a body in braces, as the formatter lays them out: the opening brace ends its line. */
function functionLengths(text: string): { line: number; length: number }[] {
  const code = blankSource(text);
  const functions: { line: number; length: number }[] = [];
  const open: { line: number; isFunction: boolean }[] = [];
  const parentheses: number[] = [];
  let line = 1;
  let lastOpened = 1;
  for (let i = 0; i < code.length; i++) {
    const char = code[i];
    if (char === '\n') line++;
    else if (char === '(') parentheses.push(line);
    else if (char === ')') lastOpened = parentheses.pop() ?? line;
    else if (char === '{') open.push(describeBrace(code, i, line, lastOpened));
    else if (char === '}') {
      const start = open.pop();
      if (start?.isFunction && line > start.line)
        functions.push({ line: start.line, length: line - start.line + 1 });
    }
  }
  return functions;
}

function describeBrace(code: string, at: number, line: number, lastOpened: number) {
  const before = code.slice(code.lastIndexOf('\n', at) + 1, at).trimEnd();
  const isArrow = before.endsWith('=>');
  // A body follows a parameter list: `name(…) {`, `): Type {`. The line that opened the list says whose it is.
  const isBody = isArrow || /\)(?:\s*:[^=]*)?$/.test(before);
  const start = before.includes(')') || isArrow ? Math.min(line, lastOpened) : line;
  const opener = code.split('\n')[start - 1] ?? '';
  const isControl = /^[\s}]*(?:else\s+)?(?:if|for|while|switch|catch|with)\b/.test(opener);
  return { line: start, isFunction: isBody && (isArrow || !isControl) };
}
