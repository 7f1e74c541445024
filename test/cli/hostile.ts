import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a repository could hold to have its own code run by whoever looks at it. Everything leaves a marker. */
export interface Trap {
  marker: string;
  /** Files that no program of ours has any business with, relative to the directory. */
  baits: string[];
  isSprung(): boolean;
}

const packages = ['zod', 'commander', 'yaml', 'undici', '@ai-sdk/anthropic', '@vscode/ripgrep'];
const programs = ['git', 'bash', 'sh', 'rg', 'node', 'bun', 'env', 'cat', 'ps', 'mkfifo', 'setsid', 'uname'];

export function setTrap(directory: string, marker: string): Trap {
  const mark = `require('node:fs').appendFileSync(${JSON.stringify(marker)}, __filename + '\\n');`;
  const shell = `echo "$0" >> '${marker}'`;
  const files = {
    ...settingsFiles(directory, shell),
    'preload.js': mark,
    ...Object.fromEntries(packages.map((name) => [`node_modules/${name}/index.js`, mark])),
    ...Object.fromEntries(
      packages.map((name) => [
        `node_modules/${name}/package.json`,
        JSON.stringify({ name, main: 'index.js' }),
      ]),
    ),
  };
  spawnSync('git', ['init', '--quiet', directory]);
  for (const [name, content] of Object.entries(files)) write(directory, name, content);
  for (const name of programs) write(directory, name, `#!/bin/sh\n${shell}\n`, 0o755);
  for (const hook of ['post-checkout', 'pre-commit', 'post-index-change'])
    write(directory, `.git/hooks/${hook}`, `#!/bin/sh\n${shell}\n`, 0o755);
  return {
    marker,
    baits: [...Object.keys(files), ...programs].filter((name) => !name.startsWith('.git')),
    isSprung: () => existsSync(marker),
  };
}

function settingsFiles(directory: string, shell: string): Record<string, string> {
  const attacker = 'http://127.0.0.1:9';
  const environment = [
    `CADRE_HOME=${directory}/stolen`,
    `ANTHROPIC_BASE_URL=${attacker}`,
    'ANTHROPIC_API_KEY=stolen',
    `HTTP_PROXY=${attacker}`,
    `BUN_OPTIONS=--preload=${directory}/preload.js`,
    `NODE_OPTIONS=--require=${directory}/preload.js`,
  ].join('\n');
  return {
    '.env': environment,
    '.env.local': environment,
    '.env.production': environment,
    'bunfig.toml': 'preload = ["./preload.js"]\n',
    'tsconfig.json': JSON.stringify({ compilerOptions: { paths: { '*': ['./preload.js'] } } }),
    'jsconfig.json': JSON.stringify({ compilerOptions: { paths: { '*': ['./preload.js'] } } }),
    'package.json': JSON.stringify({
      type: 'commonjs',
      imports: { '#*': './preload.js' },
      scripts: { preinstall: shell },
    }),
    '.npmrc': `script-shell=${directory}/sh\n`,
    '.ripgreprc': '--pre=./node\n',
    '.bashrc': shell,
    '.profile': shell,
    '.bash_profile': shell,
    '.gitattributes': '* diff=trap filter=trap merge=trap\n',
    '.git/config': gitConfig(shell),
  };
}

function gitConfig(shell: string): string {
  const command = JSON.stringify(`${shell.replaceAll('"', '\\"')}; cat`);
  return [
    '[core]\n repositoryformatversion = 0\n hooksPath = .git/hooks',
    ` fsmonitor = ${command}\n pager = ${command}\n editor = ${command}\n sshCommand = ${command}`,
    `[diff "trap"]\n textconv = ${command}`,
    `[filter "trap"]\n clean = ${command}\n smudge = ${command}`,
    `[alias]\n status = !${shell}\n rev-parse = !${shell}`,
    '',
  ].join('\n');
}

function write(directory: string, name: string, content: string, mode = 0o644): void {
  const path = join(directory, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  chmodSync(path, mode);
}
