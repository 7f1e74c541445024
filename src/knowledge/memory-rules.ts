import { readListField } from '../lib/fields/field-values.ts';
import type { RealPath } from '../lib/files/real-places.ts';
import { maxTextSize, parseFrontmatter } from '../lib/frontmatter/frontmatter.ts';
import { boundText, visible } from '../lib/text/text.ts';
import type { DefinitionPlace } from '../settings/definition-places.ts';
import { type FindLimits, findMarkdown, readSmallText } from '../workspace/find-markdown.ts';
import { maxMemoryFileSize } from './memory-file.ts';
import type { IsExcluded, MemoryFile, MemoryRules, PathRule } from './memory-kinds.ts';
import { readMemoryText } from './memory-text.ts';

const maxEntries = 2_000;

/** Reads `rules/**.md`. Like all memory it is data: labelled, bounded, and never a reason to stop. */
export async function readMemoryRules(
  places: readonly DefinitionPlace[],
  isExcluded: IsExcluded,
): Promise<MemoryRules> {
  const rules: MemoryRules = { files: [], byPath: [], problems: [] };
  const limits: FindLimits = { entries: maxEntries };
  const report = (path: string, reason: string) =>
    rules.problems.push({ kind: 'failure', message: visible(`${path}: ${reason}; ignored`) });
  for (const { directory, within, source } of places) {
    const { files, problems } = findMarkdown(directory, within, limits);
    for (const { file, reason } of problems) report(file, reason);
    for (const { path, real } of files) {
      if (await isExcluded(path, real, source !== 'project')) continue;
      const read = await readRule(path, real, source === 'project' ? 'project' : 'user');
      if (typeof read === 'string') report(path, read);
      else if (read && 'patterns' in read) rules.byPath.push(read);
      else if (read) rules.files.push(read);
    }
  }
  return rules;
}

/** A string is the reason why there is none; undefined is an empty file. */
async function readRule(
  path: string,
  real: RealPath,
  scope: MemoryFile['scope'],
): Promise<MemoryFile | PathRule | string | undefined> {
  const text = readSmallText(real, maxTextSize);
  if (!text.ok) return text.problem;
  const parsed = await parseFrontmatter(text.value);
  if (!parsed.ok) return `line ${parsed.problem.line}: ${parsed.problem.reason}`;
  const { data, body, lines } = parsed.value;
  const file = { path, scope, text: boundText(readMemoryText(body).text, maxMemoryFileSize) };
  if (file.text === '') return undefined;
  const written = data.paths ?? data.globs;
  if (written === undefined || written === null) return file;
  const patterns = readPatterns(written);
  // Without its paths it would apply everywhere, which its author did not want.
  if (!patterns)
    return `line ${lines.get('paths') ?? lines.get('globs') ?? 1}: paths: expected path patterns`;
  return { ...file, patterns };
}

/** A comma inside braces belongs to the pattern. */
function readPatterns(value: unknown): string[] | undefined {
  if (typeof value !== 'string') return readListField(value);
  return value
    .split(/,(?![^{]*\})/)
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '');
}
