import { expect, test } from 'bun:test';
import { type Case, judge, shell } from './cases.ts';

const on = (command: string, more: Partial<Case> = {}) =>
  judge({ accesses: [shell(command)], ...more }).behaviour;

test('a deny rule is met by whatever find or rg really come across', () => {
  const deny = { deny: ['Read(.env)'] };
  const met = [
    'find . ! -exec cat {} \\;',
    'find . ! -name x -exec cat {} \\;',
    'find . ! ! -path -name -o -exec cat {} +',
    "find . -exec cat {} + -name '*.ts'",
    "find . ! -name '*.ts' | xargs cat",
    'rg -ng .env TOKEN',
    'rg -ig .env TOKEN',
  ];
  for (const command of met) expect([command, on(command, deny)]).toEqual([command, 'ask']);
  const fine = [
    "find . -name '*.ts' -exec cat {} +",
    "find . -name node_modules -prune -o -name '*.ts' -print | xargs wc -l",
    "find . -name '*.ts' -not -path './x/*' | xargs cat",
  ];
  for (const command of fine) expect([command, on(command, deny)]).toEqual([command, 'allow']);
});
