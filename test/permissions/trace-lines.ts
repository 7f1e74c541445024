import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A line says what it opened, started and reached. */
export interface Trace {
  line: string;
  calls: string[];
}

/** One traced shell runs all lines; a directory that does not exist marks where each begins. */
export function traceLines(
  lines: readonly string[],
  calls: string,
  { cwd, path, env }: { cwd: string; path: string; env: Record<string, string> },
): Trace[] {
  const script = join(path, 'lines.sh');
  const output = join(path, 'trace');
  const body = lines.map((line, index) => `cd /line/${index}\n( ${line} ) </dev/null >/dev/null\n`);
  writeFileSync(script, `exec 2>/dev/null\n${body.join('')}`);
  const options = [
    '-f',
    '-qq',
    '--seccomp-bpf',
    '-s',
    '200',
    '-e',
    'signal=none',
    '-e',
    `trace=${calls},chdir`,
  ];
  spawnSync('strace', [...options, '-o', output, 'bash', script], { cwd, env, stdio: 'ignore' });
  const traces: Trace[] = [];
  for (const call of readFileSync(output, 'utf8').split('\n')) {
    const mark = /chdir\("\/line\/(\d+)"/.exec(call)?.[1];
    // The shell tries twice.
    if (mark !== undefined && Number(mark) === traces.length - 1) continue;
    if (mark !== undefined) traces.push({ line: lines[Number(mark)] ?? '', calls: [] });
    else traces.at(-1)?.calls.push(call.replace(/^\d+ +/, ''));
  }
  return traces;
}
