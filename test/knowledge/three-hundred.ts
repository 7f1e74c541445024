import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** 300 agent, skill and command files in the shapes that people write them in, every fifth of them broken. */
export function writeThreeHundred(root: string): { files: string[]; broken: string[] } {
  const files: string[] = [];
  const broken: string[] = [];
  for (let index = 0; index < 100; index++)
    for (const kind of ['agent', 'skill', 'command'] as const) {
      const path = join(root, pathOf(kind, index));
      mkdirSync(dirname(path), { recursive: true });
      files.push(path);
      const isBroken = index % 5 === 4;
      if (isBroken) broken.push(path);
      writeFileSync(path, isBroken ? brokenText(index) : goodText(kind, index));
    }
  return { files, broken };
}

function pathOf(kind: 'agent' | 'skill' | 'command', index: number): string {
  if (kind === 'agent') return `.claude/agents/a${index}.md`;
  if (kind === 'skill') return `.claude/skills/s${index}/SKILL.md`;
  return `.claude/commands/${index % 2 ? `group${index % 7}/` : ''}c${index}.md`;
}

const body = `\n# Steps\n\n${'1. Look at the code, then do what is asked, and check it.\n'.repeat(40)}`;

function goodText(kind: string, index: number): string {
  const name = kind === 'command' ? '' : `name: ${kind[0]}${index}\n`;
  const more = [
    'allowed-tools: Read, Grep',
    'argument-hint: [file] [line]',
    'model: haiku',
    `description2: what: and why`,
    'tools: Read, Grep, Glob',
    'paths: "src/**"',
  ][index % 6];
  const isOdd = kind === 'agent' && /^(?:paths|allowed|description2|argument)/.test(more ?? '');
  return `---\n${name}description: Does number ${index}. Use it when asked.\n${isOdd ? '' : `${more}\n`}---${body}`;
}

function brokenText(index: number): string {
  return (
    [
      '---\nname: a\ndescription: never closed\n',
      '---\ndescription: [a, b\n---\nText.',
      'binary \0 data',
      '---\nname: "-x y z"\ndescription: |\n  a\nmodel: [1]\n---\nText.',
    ][Math.floor(index / 5) % 4] ?? ''
  );
}
