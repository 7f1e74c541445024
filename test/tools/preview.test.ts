import { expect, test } from 'bun:test';
import { buildPreview } from '../../src/tools/files/preview.ts';

const command = (input: Record<string, unknown>) =>
  buildPreview({ toolName: 'Bash', input, cwd: '/repo' }).text;

test('a character that cannot be seen does not look like an escape that is written in the command', () => {
  const real = command({ command: 'echo \u202e \u001b' });
  const literal = command({ command: 'echo \\u202e \\x1b' });
  expect(real).toContain('echo ⟨U+202E⟩ ␛');
  expect(literal).toContain('echo \\u202e \\x1b');
});

test('what else counts for a command is said in words; that it leaves the sandbox is its risk', () => {
  expect(command({ command: 'make', description: 'Build', dangerouslyDisableSandbox: true })).toBe(
    'make\n(in /repo)',
  );
  expect(command({ command: 'make', run_in_background: true, timeout: 2000, other: [1] })).toBe(
    'make\n(in the background, for at most 2 s, other: [1])\n(in /repo)',
  );
});
