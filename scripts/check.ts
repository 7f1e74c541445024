/**
 * The first step of `npm test`: what `npm run lint` and `npm run build` do, side by side. The output of each comes in one
 * piece when it ends.
 */
import { join } from 'node:path';
import { tryRun } from './run.ts';

const repository = join(import.meta.dirname, '..');
const bin = (name: string) => join(repository, 'node_modules', '.bin', name);

const steps = [
  [bin('biome'), 'check', '--error-on-warnings', '.'],
  [bin('tsc'), '-p', '.'],
  [process.execPath, join(repository, 'scripts', 'build.ts')],
];

const ended = await Promise.all(
  steps.map(async (command) => {
    const { code, output } = await tryRun(command, repository);
    process.stdout.write(output);
    if (code !== 0) console.error(`${command.join(' ')}\nended with code ${code}`);
    return code;
  }),
);
process.exitCode = ended.every((code) => code === 0) ? 0 : 1;
