import { expect, test } from 'bun:test';
import { judge, shell } from './cases.ts';

function behaviour(command: string, deny: string): string {
  const [program = ''] = command.split(' ');
  return judge({ accesses: [shell(command)], allow: [`Bash(${program}:*)`], deny: [deny] }).behaviour;
}

test('a deny rule for a subcommand holds for the other names that the program has for it', () => {
  const denied: readonly (readonly [string, readonly string[]])[] = [
    [
      'Bash(npm install:*)',
      ['npm i x', 'npm add x', 'npm isntall', 'npm in', 'npm --silent i x', 'npm install x'],
    ],
    ['Bash(npm i:*)', ['npm install x', 'npm add x']],
    ['Bash(npm uninstall:*)', ['npm rm x', 'npm r x', 'npm unlink x']],
    ['Bash(npm ci)', ['npm clean-install', 'npm ic']],
    ['Bash(npm run deploy:*)', ['npm run-script deploy', 'npm rum deploy --x']],
    ['Bash(pnpm install:*)', ['pnpm i', 'pnpm -r i']],
    ['Bash(pnpm remove:*)', ['pnpm rm x', 'pnpm un x']],
    ['Bash(yarn remove:*)', ['yarn rm x']],
    ['Bash(bun add:*)', ['bun a x']],
    ['Bash(cargo run:*)', ['cargo r --release', 'cargo -q r']],
  ];
  for (const [rule, commands] of denied)
    for (const command of commands)
      expect([rule, command, behaviour(command, rule)]).toEqual([rule, command, 'deny']);
});

test('other subcommands are not refused for the names of one', () => {
  const free: readonly (readonly [string, string])[] = [
    ['Bash(npm install:*)', 'npm ci'],
    ['Bash(npm install:*)', 'npm test'],
    ['Bash(npm run deploy:*)', 'npm run build'],
    ['Bash(pnpm install:*)', 'pnpm add x'],
    ['Bash(yarn add:*)', 'yarn install'],
    ['Bash(npm publish:*)', 'npm pack'],
  ];
  for (const [rule, command] of free)
    expect([rule, command, behaviour(command, rule)]).toEqual([rule, command, 'allow']);
});
