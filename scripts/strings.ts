/**
 * Prints every string of the product that a person or a model may read, so that they can be read as a list:
 * `bun scripts/strings.ts [ROOM…]`. With `--sample N --seed S` it draws some at random. The texts come from the syntax tree; a
 * string counts as prose when it holds at least two words with a blank between them.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Node, SyntaxKind } from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/async';

const repository = join(import.meta.dirname, '..');
const options = readOptions(process.argv.slice(2));
const all = await collectStrings(options.rooms);
for (const { place, text } of options.sample === undefined ? all : draw(all, options.sample, options.seed))
  console.log(`${place}\t${text.replaceAll('\n', '\\n')}`);

interface Found {
  place: string;
  text: string;
}

async function collectStrings(rooms: readonly string[]): Promise<Found[]> {
  const api = new API({ cwd: repository });
  const config = join(repository, 'tsconfig.json');
  const snapshot = await api.updateSnapshot({ openProjects: [config] });
  const program = snapshot.getProject(config)?.program;
  const found: Found[] = [];
  for (const name of (await program?.getSourceFileNames()) ?? []) {
    const path = relative(repository, name);
    if (!rooms.some((room) => path.startsWith(`${room}/`))) continue;
    const source = await program?.getSourceFile(name);
    if (source) collect(source, path, readFileSync(name, 'utf8'), found);
  }
  await api.close();
  return found;
}

function collect(node: Node, path: string, source: string, found: Found[]): void {
  node.forEachChild((child) => {
    const text = proseIn(child, source);
    if (text !== undefined && isProse(text))
      found.push({ place: `${path}:${lineAt(source, child.pos)}`, text: text.trim() });
    if (child.kind !== SyntaxKind.ImportDeclaration) collect(child, path, source, found);
  });
}

/** The text of a string, a template with its expressions as they are written, or the text between two JSX tags. */
function proseIn(node: Node, source: string): string | undefined {
  const written = source.slice(node.pos, node.end).trim();
  switch (node.kind) {
    case SyntaxKind.StringLiteral:
    case SyntaxKind.NoSubstitutionTemplateLiteral:
    case SyntaxKind.TemplateExpression:
      return written.replace(/^\/\*.*?\*\/|^\/\/.*\n\s*/gs, '').slice(1, -1);
    case SyntaxKind.JsxText:
      return written;
    default:
      return undefined;
  }
}

function isProse(text: string): boolean {
  const plain = text.replace(/\$\{[^}]*\}/g, 'X');
  return /[A-Za-z]{2,}[,;:.]? [a-zA-Z]{1,}/.test(plain) && /[a-z]{2}/.test(plain);
}

function lineAt(source: string, position: number): number {
  const start = position + (/^\s*/.exec(source.slice(position))?.[0].length ?? 0);
  return source.slice(0, start).split('\n').length;
}

function draw(all: readonly Found[], count: number, seed: number): Found[] {
  const left = [...all];
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: Math.min(count, all.length) }, () =>
    left.splice(Math.floor(next() * left.length), 1),
  ).flat();
}

function readOptions(given: readonly string[]): {
  rooms: string[];
  sample: number | undefined;
  seed: number;
} {
  const rooms: string[] = [];
  let sample: number | undefined;
  let seed = 1;
  for (let i = 0; i < given.length; i++)
    if (given[i] === '--sample') sample = Number(given[++i]);
    else if (given[i] === '--seed') seed = Number(given[++i]);
    else rooms.push(given[i] ?? '');
  return { rooms: rooms.length > 0 ? rooms : ['src'], sample, seed };
}
