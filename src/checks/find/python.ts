import { join } from 'node:path';
import type { Finder, FoundCheck, ProjectCheckName, ReportFormat } from '../types.ts';

interface Runner {
  name: ProjectCheckName;
  /** Its table in pyproject.toml, or its section in setup.cfg. */
  table: RegExp;
  /** Its own files. */
  files: readonly string[];
  command: string;
  reporting?: { flags: string; format: ReportFormat };
}

const runners: readonly Runner[] = [
  {
    ...{ name: 'types', table: /^\[(?:tool\.)?mypy\]/m, files: ['mypy.ini', '.mypy.ini'], command: 'mypy .' },
    reporting: { flags: '--no-error-summary', format: 'mypy' },
  },
  { name: 'types', table: /^\[tool\.pyright\]/m, files: ['pyrightconfig.json'], command: 'pyright' },
  {
    ...{
      name: 'lint',
      table: /^\[tool\.ruff(?:\.|\])/m,
      files: ['ruff.toml', '.ruff.toml'],
      command: 'ruff check',
    },
    reporting: { flags: '--output-format json', format: 'ruff' },
  },
  { name: 'lint', table: /^\[flake8\]/m, files: ['.flake8'], command: 'flake8' },
  {
    ...{
      name: 'tests',
      table: /^\[tool(?:\.|:)pytest/m,
      files: ['pytest.ini', 'conftest.py'],
      command: 'pytest',
    },
    // To the output, not to a file: the sandbox's temporary directory is not ours.
    reporting: { flags: '-q --junitxml=/dev/stdout', format: 'junit' },
  },
  { name: 'tests', table: /^\[tox\]/m, files: ['tox.ini'], command: 'tox' },
];

/** What pyproject.toml, setup.cfg or a tool's own file configures, run by the project's own manager. */
export const findPython: Finder = (directory, listing) => {
  const names = listing.names(directory);
  const manifests = ['pyproject.toml', 'setup.cfg'].filter((name) => names.includes(name));
  const texts = manifests.map((name) => ({ name, text: listing.read(join(directory, name)) ?? '' }));
  const prefix = names.includes('uv.lock')
    ? 'uv run '
    : names.includes('poetry.lock')
      ? 'poetry run '
      : names.includes('pdm.lock')
        ? 'pdm run '
        : '';
  const found: FoundCheck[] = [];
  for (const { name, table, files, command, reporting } of runners) {
    const file = files.find((one) => names.includes(one)) ?? texts.find(({ text }) => table.test(text))?.name;
    if (file === undefined || found.some((one) => one.name === name)) continue;
    const whole = `${prefix}${command}`;
    found.push({
      ...{ name, command: whole, cwd: directory, source: join(directory, file) },
      definition: define(table, directory, texts),
      ...(reporting
        ? { reporting: { command: `${whole} ${reporting.flags}`, format: reporting.format } }
        : {}),
      ...(name === 'tests' ? { reportFiles: ['junit.xml', 'report.xml'] } : {}),
    });
  }
  return found;
};

/** Its tables in the manifests: the rest of these, such as the dependencies, says nothing about a check. */
function define(
  table: RegExp,
  directory: string,
  texts: readonly { name: string; text: string }[],
): Record<string, string> {
  const own = texts.map(({ name, text }) => [join(directory, name), readTables(text, table)] as const);
  return Object.fromEntries(own.filter(([, text]) => text !== ''));
}

function readTables(text: string, table: RegExp): string {
  let isInside = false;
  const lines = text.split('\n').filter((line) => {
    if (line.startsWith('[')) isInside = line.search(table) === 0;
    return isInside;
  });
  return lines.join('\n').trimEnd();
}
