import { readFileSync } from 'node:fs';
import type { Desk } from './desk.ts';
import { sign, styled } from './screen/layout.ts';
import { renderOutput, showLine } from './text/index.ts';

/**
 * `!command`: run as the session runs commands in the background, with its environment and in its sandbox, by the
 * person's own wish. The agent is told of its end like of any other.
 */
export async function runShell(desk: Desk, command: string): Promise<void> {
  if (command === '') return;
  const started = await desk.session.spawn({ kind: 'local_bash', command, description: command });
  if (!started.ok) return desk.warn(started.problem.message);
  const task = started.value;
  desk.app.say((drawing) => [
    '',
    styled(drawing, 'warning', `${sign(drawing, '!', 'Shell:')}${showLine(command, 500)}`),
  ]);
  const { status } = await task.result();
  const output = readOutput(task.outputFile);
  desk.app.say((drawing) => {
    const { width, theme } = drawing;
    const lines = renderOutput(output, {
      width: Math.max(10, width - 4),
      theme,
      mostLines: 40,
      keep: 'both',
    });
    const end = status === 'completed' ? [] : [styled(drawing, 'error', status)];
    return [...lines, ...end].map(
      (line) => `  ${drawing.plain ? '' : styled(drawing, 'border', '│ ')}${line}`,
    );
  });
}

function readOutput(path: string): string {
  try {
    return readFileSync(path, 'utf8').trimEnd();
  } catch {
    return '';
  }
}
