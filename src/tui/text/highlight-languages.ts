import type { LanguageFn } from 'highlight.js';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import graphql from 'highlight.js/lib/languages/graphql';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import lua from 'highlight.js/lib/languages/lua';
import makefile from 'highlight.js/lib/languages/makefile';
import markdown from 'highlight.js/lib/languages/markdown';
import perl from 'highlight.js/lib/languages/perl';
import php from 'highlight.js/lib/languages/php';
import powershell from 'highlight.js/lib/languages/powershell';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import scss from 'highlight.js/lib/languages/scss';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

export interface Grammar {
  readonly name: string;
  readonly define: LanguageFn;
}

const grammars: readonly (readonly [name: string, define: LanguageFn, ...names: string[]])[] = [
  ['bash', bash, 'bash', 'sh', 'shell', 'zsh', 'console', 'shell-session'],
  ['c', c, 'c', 'h'],
  ['cpp', cpp, 'cpp', 'c++', 'cc', 'hpp', 'cxx'],
  ['csharp', csharp, 'csharp', 'cs', 'c#'],
  ['css', css, 'css'],
  ['diff', diff, 'diff', 'patch'],
  ['dockerfile', dockerfile, 'dockerfile', 'docker'],
  ['go', go, 'go', 'golang'],
  ['graphql', graphql, 'graphql', 'gql'],
  ['ini', ini, 'ini', 'toml'],
  ['java', java, 'java'],
  ['javascript', javascript, 'javascript', 'js', 'jsx', 'mjs', 'cjs'],
  ['json', json, 'json', 'jsonc', 'json5', 'jsonl'],
  ['kotlin', kotlin, 'kotlin', 'kt'],
  ['lua', lua, 'lua'],
  ['makefile', makefile, 'makefile', 'make', 'mk'],
  ['markdown', markdown, 'markdown', 'md'],
  ['perl', perl, 'perl', 'pl'],
  ['php', php, 'php'],
  ['powershell', powershell, 'powershell', 'ps1', 'pwsh'],
  ['python', python, 'python', 'py', 'python3'],
  ['ruby', ruby, 'ruby', 'rb'],
  ['rust', rust, 'rust', 'rs'],
  ['scss', scss, 'scss', 'sass'],
  ['sql', sql, 'sql', 'postgres', 'postgresql', 'mysql', 'sqlite'],
  ['swift', swift, 'swift'],
  ['typescript', typescript, 'typescript', 'ts', 'tsx', 'mts', 'cts'],
  ['xml', xml, 'xml', 'html', 'svg', 'vue', 'xhtml'],
  ['yaml', yaml, 'yaml', 'yml'],
];

/** By every name people write after a fence, and by file extension. */
export const languages: Readonly<Record<string, Grammar>> = Object.assign(
  Object.create(null),
  Object.fromEntries(
    grammars.flatMap(([name, define, ...names]) => names.map((one) => [one, { name, define }])),
  ),
);
