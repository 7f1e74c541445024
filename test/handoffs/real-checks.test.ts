import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtInPatterns } from '../../src/handoffs/programs.ts';
import { runPattern } from '../../src/handoffs/run-pattern.ts';
import type { ChecksPort } from '../../src/handoffs/setup.ts';
import { temporaryDirectory } from '../support/index.ts';
import { builtInSetup, fakeRun, research, validated, written } from './support.ts';

/** Each: a test, a wrong program and a right one, and how the test is run. */
const samples = {
  JavaScript: {
    files: { 'sum.test.js': "if (require('./sum.js')(2, 3) !== 5) throw new Error('2 + 3 is not 5');\n" },
    program: 'sum.js',
    wrong: 'module.exports = (a, b) => a - b;\n',
    right: 'module.exports = (a, b) => a + b;\n',
    command: [process.execPath, 'sum.test.js'],
  },
  TypeScript: {
    files: {
      'sum.test.ts':
        "import { sum } from './sum.ts';\nif (sum(2, 3) !== 5) throw new Error('2 + 3 is not 5');\n",
    },
    program: 'sum.ts',
    wrong: 'export const sum = (a: number, b: number) => a - b;\n',
    right: 'export const sum = (a: number, b: number) => a + b;\n',
    command: [process.execPath, 'sum.test.ts'],
  },
  shell: {
    files: { 'test.sh': '[ "$(sh sum.sh 2 3)" = 5 ] || { echo "2 + 3 is not 5"; exit 1; }\n' },
    program: 'sum.sh',
    wrong: 'echo $(($1 - $2))\n',
    right: 'echo $(($1 + $2))\n',
    command: ['/bin/sh', 'test.sh'],
  },
};

test.each(Object.entries(samples))(
  'HO4 HO7 a test that really fails (%s) brings the writer back, and its second try passes',
  async (_, { files, program, wrong, right, command }) => {
    using directory = temporaryDirectory();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory.path, name), text);
    const prompts: string[] = [];
    const run = fakeRun(({ label, prompt }) => {
      if (label === 'researcher') return { answer: research };
      if (label === 'validator') return { answer: { ...validated, findings: {} } };
      prompts.push(prompt);
      writeFileSync(join(directory.path, program), prompt.includes('2 + 3 is not 5') ? right : wrong);
      return {
        answer: {
          ...written,
          findings: { files_changed: [{ path: program, change: 'created' }], tests_written: [] },
        },
      };
    });
    const setup = await builtInSetup({ checks: runTests(directory.path, command) });
    const end = await runPattern(run, builtInPatterns.chain.build(), { task: { feature: 'Add up.' }, setup });
    expect(end).toMatchObject({
      outcome: 'complete',
      checked: true,
      findings: { checks: { tests: { passed: true } } },
    });
    expect(prompts).toHaveLength(2);
  },
);

function runTests(cwd: string, [file = '', ...args]: readonly string[]): ChecksPort {
  return {
    async run() {
      const { status, stdout, stderr } = spawnSync(file, args, { cwd, encoding: 'utf8' });
      const failures = status === 0 ? [] : [`${stdout}${stderr}`];
      return { tests: { passed: status === 0, coverage: null, failures } };
    },
  };
}
