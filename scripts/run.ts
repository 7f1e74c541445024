import { spawn } from 'node:child_process';

export interface Ended {
  code: number | null;
  /** Both streams, as they came. */
  output: string;
}

export async function tryRun([program = '', ...args]: string[], cwd: string): Promise<Ended> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, output };
}

/** Runs a command that must succeed. Its output is shown only when it does not; then this script ends too. */
export async function run(command: string[], cwd: string): Promise<string> {
  const { code, output } = await tryRun(command, cwd);
  if (code === 0) return output;
  console.error(`${output}\n${command.join(' ')}\nended with code ${code}`);
  process.exit(1);
}
