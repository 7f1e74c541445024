import { dirname, join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../lib/fields/parse-json.ts';
import { manifestFields } from '../configuration.data.ts';
import type { ProjectFiles } from '../project-files.ts';
import type { Finder, FoundCheck, ProjectCheckName, ReportFormat } from '../types.ts';

const manifestSchema = z.looseObject({
  scripts: z.record(z.string(), z.string()).catch({}).default({}),
  packageManager: z.string().optional().catch(undefined),
});

type Scripts = Readonly<Record<string, string>>;

/** The names under which packages have their checks, the most usual first. */
const scriptNames: Record<ProjectCheckName, readonly string[]> = {
  types: ['typecheck', 'type-check', 'check-types', 'check:types', 'types', 'tsc', 'check'],
  lint: ['lint', 'lint:check', 'eslint', 'biome'],
  tests: ['test', 'tests', 'test:unit', 'unit'],
  security: ['audit', 'security', 'security:check'],
};

const managers = ['npm', 'pnpm', 'yarn', 'bun'] as const;
type Manager = (typeof managers)[number];

const lockfiles: readonly (readonly [string, Manager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
];

/** Scripts of package.json, run by the package manager that its lockfile belongs to. */
export const findNode: Finder = (directory, listing, root) => {
  const path = join(directory, 'package.json');
  const manifest = manifestSchema.safeParse(parseJson(listing.read(path) ?? ''));
  if (!manifest.success) return [];
  const { scripts, packageManager } = manifest.data;
  const fields = manifest.data as Readonly<Record<string, unknown>>;
  const manager = findManager(directory, listing, root, packageManager);
  const found = (Object.keys(scriptNames) as ProjectCheckName[]).flatMap((name) =>
    findScript(name, scripts, { directory, path, manager: manager?.name ?? 'npm', fields }),
  );
  return withAudit(found, directory, manager);
};

interface Place {
  directory: string;
  path: string;
  manager: Manager;
  /** The manifest's own. */
  fields: Readonly<Record<string, unknown>>;
}

function findScript(
  name: ProjectCheckName,
  scripts: Scripts,
  { directory, path, manager, fields }: Place,
): FoundCheck[] {
  const script = scriptNames[name].find(
    (one) => scripts[one] !== undefined && isFor(name, one, scripts[one]),
  );
  if (script === undefined) return [];
  const text = scripts[script] ?? '';
  if (/no test specified/.test(text)) return [];
  const command = callScript(manager, script);
  const reporting = findReporting(name, text);
  const glue = manager === 'npm' || manager === 'pnpm' ? ' -- ' : ' ';
  return [
    {
      ...{ name, command, cwd: directory, source: `${path} scripts.${script}` },
      definition: { ...listScripts(script, scripts, path), ...listFields(name, fields, path) },
      ...(reporting
        ? {
            reporting: {
              command: reporting.flags === '' ? command : `${command}${glue}${reporting.flags}`,
              format: reporting.format,
            },
          }
        : {}),
      ...(name === 'tests' ? { reportFiles: ['junit.xml', 'test-results.xml', 'reports/junit.xml'] } : {}),
    },
  ];
}

/** A script with those that run before and after it, and those that any of these names. */
function listScripts(script: string, scripts: Scripts, path: string): Record<string, string> {
  const texts = new Map<string, string>();
  const add = (name: string) => {
    const text = scripts[name];
    if (text === undefined || texts.has(name)) return;
    texts.set(name, text);
    const words = new Set(text.split(/[\s'"&|;]+/));
    for (const other of Object.keys(scripts)) if (words.has(other)) addAround(other);
  };
  const addAround = (name: string) => {
    for (const one of [`pre${name}`, name, `post${name}`]) add(one);
  };
  addAround(script);
  return Object.fromEntries([...texts].map(([name, text]) => [`${path} scripts.${name}`, text]));
}

function listFields(name: ProjectCheckName, fields: Place['fields'], path: string): Record<string, string> {
  return Object.fromEntries(
    manifestFields[name].flatMap((field) =>
      fields[field] === undefined ? [] : [[`${path} ${field}`, JSON.stringify(fields[field])]],
    ),
  );
}

/** `check` is anything; only where it checks types is it taken for that. */
function isFor(name: ProjectCheckName, script: string, text: string): boolean {
  return name !== 'types' || script !== 'check' || /\b(?:tsc|svelte-check|vue-tsc|astro check)\b/.test(text);
}

function callScript(manager: Manager, script: string): string {
  if (script === 'test' && manager !== 'bun') return `${manager} test`;
  // `bun test` is Bun's own runner, not the script.
  return `${manager} run ${script}`;
}

/** Flags for scripts that only call one runner whose flags we know, and do not choose a format themselves. */
function findReporting(
  name: ProjectCheckName,
  script: string,
): { flags: string; format: ReportFormat } | undefined {
  if (/[;&|<>$`(){}]/.test(script) || /--?(?:reporter|format|json|f)\b/.test(script)) return undefined;
  const [runner = '', second = ''] = script
    .trim()
    .replace(/^(?:npx|bunx|pnpm exec|yarn) /, '')
    .split(/\s+/);
  if (name === 'tests') {
    if (runner === 'jest') return { flags: '--json', format: 'jest' };
    if (runner === 'vitest' && second === 'run') return { flags: '--reporter=json', format: 'jest' };
    if (runner === 'mocha') return { flags: '--reporter json', format: 'mocha' };
    if (runner === 'tap' || runner === 'tape') return { flags: '', format: 'tap' };
    if (runner === 'node' && second === '--test') return { flags: '--test-reporter=tap', format: 'tap' };
  }
  if (name === 'lint' && runner === 'eslint') return { flags: '--format json', format: 'eslint' };
  if (name === 'types' && /^(?:tsc|vue-tsc)$/.test(runner)) return { flags: '--pretty false', format: 'tsc' };
  return undefined;
}

/** From the package up to the top: in a workspace the lockfile is there. */
function findManager(
  directory: string,
  listing: ProjectFiles,
  root: string,
  declared: string | undefined,
): { name: Manager; at: string } | undefined {
  const named = managers.find((name) => declared?.startsWith(`${name}@`));
  for (let at = directory; ; at = dirname(at)) {
    const names = listing.names(at);
    const lock = lockfiles.find(([file]) => names.includes(file));
    if (lock) return { name: named ?? lock[1], at };
    if (at === root || at === dirname(at)) return named ? { name: named, at: directory } : undefined;
  }
}

const audits: Partial<Record<Manager, { command: string; reporting?: FoundCheck['reporting'] }>> = {
  npm: { command: 'npm audit', reporting: { command: 'npm audit --json', format: 'npm-audit' } },
  pnpm: { command: 'pnpm audit', reporting: { command: 'pnpm audit --json', format: 'npm-audit' } },
  bun: { command: 'bun audit' },
};

/** A lockfile can be audited by its own package manager. */
function withAudit(
  found: FoundCheck[],
  directory: string,
  manager: { name: Manager; at: string } | undefined,
): FoundCheck[] {
  const audit = manager && manager.at === directory ? audits[manager.name] : undefined;
  if (!audit || found.some(({ name }) => name === 'security')) return found;
  return [...found, { name: 'security', ...audit, cwd: directory, source: `lockfile of ${manager?.name}` }];
}
