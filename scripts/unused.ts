/** Exports of `src/` that nothing but tests uses. */
import type { SourceFile } from './house.ts';
import { blankSource } from './source.ts';

/** Each as `path: name`. Rooms and files that programs import from are used by whoever installs the library. */
export function findTestedOnly(files: readonly SourceFile[], isPublic: (path: string) => boolean): string[] {
  const words = new Map(files.map(({ path, text }) => [path, countWords(blankSource(text))]));
  const importers = mapImporters(files);
  return files
    .filter(({ path }) => !isPublic(path))
    .flatMap(({ path, text }) =>
      listExports(text)
        .filter((name) => (words.get(path)?.get(name) ?? 0) < 2)
        .filter((name) => !importers.get(path)?.some((importer) => words.get(importer)?.has(name)))
        .map((name) => `${path}: ${name}`),
    );
}

function countWords(code: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of code.matchAll(/[\w$]+/g)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function listExports(text: string): string[] {
  const declared = blankSource(text).matchAll(
    /^export (?:declare )?(?:abstract )?(?:async )?(?:interface|type|class|enum|function\*?|const|let) (\w+)/gm,
  );
  return [...declared].map(([, name = '']) => name);
}

/** Who imports a file, also by way of one that passes all of its exports on. */
function mapImporters(files: readonly SourceFile[]): Map<string, string[]> {
  const importers = new Map<string, string[]>();
  for (const { path, imports } of files)
    for (const { target } of imports)
      if (target !== undefined) importers.set(target, [...(importers.get(target) ?? []), path]);
  for (const { path, text, imports } of files)
    for (const { specifier, target } of imports)
      if (target !== undefined && passesAllOn(text, specifier))
        importers.get(target)?.push(...(importers.get(path) ?? []));
  return importers;
}

function passesAllOn(text: string, specifier: string): boolean {
  return text.includes(`export * from '${specifier}'`) || text.includes(`export type * from '${specifier}'`);
}
