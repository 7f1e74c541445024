import { spawn } from 'node:child_process';
import type { Io } from '../../headless/io.ts';
import { visible } from '../../lib/text/text.ts';
import { git } from '../../workspace/git/git.ts';
import { programPath } from '../../workspace/search-path.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A patch, whole: at a terminal in colour and through the user's pager, elsewhere as it is. */
export async function showDiff(io: Io, text: string, environment: Environment): Promise<boolean> {
  if (!io.outputIsTerminal) return io.writeOut(text);
  // Content comes from agents: only our own colours reach the terminal.
  const plain = visible(text);
  const pager = await choosePager(environment);
  const shown = environment.NO_COLOR ? plain : colourDiff(plain);
  return (await page(shown, pager, environment)) || io.writeOut(plain);
}

/** As git does, but not the pager that a repository's own configuration names. */
async function choosePager(environment: Environment): Promise<string> {
  const { GIT_PAGER, PAGER } = environment;
  if (GIT_PAGER !== undefined) return GIT_PAGER.trim() || 'cat';
  const env = pickStrings(environment);
  const args = ['config', '--global', '--get', 'core.pager'];
  const configured = await git(args, { cwd: '/', env, alsoGood: [1] });
  const own = configured.ok ? configured.value.trim() : '';
  return own || PAGER?.trim() || 'less';
}

/** False if the pager could not be started. */
function page(text: string, pager: string, environment: Environment): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', pager], {
      stdio: ['pipe', 'inherit', 'inherit'],
      env: {
        ...{ LESS: 'FRX', LV: '-c' },
        ...environment,
        PATH: programPath(environment.PATH ?? '', process.cwd(), environment.HOME || '/'),
      },
    });
    // Ctrl-C is the pager's while it runs; one that is left early reads no more.
    const stay = () => {};
    process.on('SIGINT', stay);
    child.stdin.on('error', () => {});
    child.stdin.end(text);
    child.once('error', () => resolve(false));
    child.once('close', (code) => {
      process.off('SIGINT', stay);
      resolve(code !== 126 && code !== 127);
    });
  });
}

function pickStrings(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

const colours = { head: '1', place: '36', added: '32', removed: '31' } as const;

/** With the colours that git uses unless it is told otherwise. */
function colourDiff(text: string): string {
  let isHead = true;
  return text
    .split('\n')
    .map((line) => {
      if (line.startsWith('diff --git ')) isHead = true;
      else if (line.startsWith('@@ ')) isHead = false;
      const style = findStyle(line, isHead);
      return style === undefined || line === '' ? line : `\x1b[${colours[style]}m${line}\x1b[m`;
    })
    .join('\n');
}

function findStyle(line: string, isHead: boolean): keyof typeof colours | undefined {
  if (line.startsWith('@@ ')) return 'place';
  if (isHead) return 'head';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : undefined;
}
