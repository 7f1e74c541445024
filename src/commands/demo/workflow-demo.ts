import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { complain } from '../../headless/complain.ts';
import { processIo } from '../../headless/process-io.ts';
import type { Result } from '../../lib/result.ts';
import { openSession } from '../../session/open.ts';
import type { SessionOptions } from '../../session/options.ts';
import { renderEnd } from '../../session/workflows/render-run.ts';
import { call, lastUserText, say, scriptedModel, toolResultText } from '../../testing/index.ts';
import type { RipgrepSource } from '../../tools/search/ripgrep.ts';
import type { RunEnd } from '../../workflows/run-types.ts';
import { RunProgress } from '../workflow/run-progress.ts';
import { keepDirectory, makeDirectory, removeDirectory } from './directory.ts';
import { sampleFiles } from './sample.ts';
import { ownEnvironment } from './stage.ts';

/** A workflow as users write them. */
const script = `export const meta = {
  name: 'review',
  description: 'Reviews files and says what is worth fixing.',
  phases: ['review', 'judge'],
  args: { type: 'array', items: { type: 'string' } },
};

phase('review');
const schema = { type: 'object', properties: { problems: { type: 'array', items: { type: 'string' } } }, required: ['problems'] };
const found = await parallel(args.map((file) => () => agent('Review ' + file, { label: file, schema, tools: ['Read'] })));

phase('judge');
const problems = found.filter(Boolean).flatMap((one) => one.problems);
return await agent('Which is worth fixing? ' + problems.join('; '), { label: 'judge' });
`;

const files = ['lib/convert.sh', 'degrees.sh', 'test.sh'];

/** `cadre demo workflow`: agents, tools, journal and script host are real; only the model's words are scripted. */
export async function runWorkflowDemo({
  keep,
  ripgrep,
}: {
  keep: boolean;
  ripgrep: RipgrepSource;
}): Promise<number> {
  const io = processIo();
  const made = makeDirectory();
  if (!made.ok) return complain(io, made.problem);
  const directory = made.value;
  const options = setStage(directory, ripgrep);
  try {
    await io.writeOut(
      `$ cat .cadre/workflows/review.js\n${script}\n$ cadre run review --args '${JSON.stringify(files)}'\n`,
    );
    const first = await play({ ...options, model: makeModel(false) }, { name: 'review', args: files });
    if (!first.ok) return complain(io, first.problem);
    await io.writeOut(`${renderEnd(first.value)}\n\n`);
    await io.writeOut(
      `The provider refused the key before the last phase. With a good key:\n\n$ cadre run --resume ${first.value.runId}\n`,
    );
    const second = await play({ ...options, model: makeModel(true) }, { resume: first.value.runId });
    if (!second.ok) return complain(io, second.problem);
    await io.writeOut(`${renderEnd(second.value)}\n`);
    return second.value.status === 'completed' ? 0 : 1;
  } finally {
    if (keep) {
      keepDirectory(directory);
      await io.writeOut(`\nKept: ${directory}\n`);
    } else removeDirectory(directory);
  }
}

function setStage(directory: string, ripgrep: RipgrepSource): SessionOptions {
  const cwd = join(directory, 'degrees');
  const home = join(directory, 'home');
  const all = { ...sampleFiles, '.cadre/workflows/review.js': script };
  for (const [name, content] of Object.entries(all)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), content);
  }
  return {
    ...{ cwd, ripgrep, sandbox: false, trust: true, oneShot: true },
    environment: { ...ownEnvironment(process.env), CADRE_HOME: home },
  };
}

async function play(
  options: SessionOptions,
  wish: { name?: string; args?: unknown; resume?: string },
): Promise<Result<RunEnd>> {
  const opened = await openSession(options);
  if (!opened.ok) return opened;
  const session = opened.value;
  session.beginNothing();
  const { terminal: _, ...io } = processIo();
  const progress = new RunProgress(io, session);
  try {
    const task = await session.spawn({ kind: 'local_workflow', ...wish });
    if (!task.ok) return task;
    const end = await session.workflows().ended(task.value.id);
    await task.value.result();
    await progress.close();
    return end
      ? { ok: true, value: end }
      : { ok: false, problem: { kind: 'failure', message: 'The run has no end.' } };
  } finally {
    await session.close();
  }
}

/** Each agent really reads its file; what it says about it is scripted. */
function makeModel(isGoodKey: boolean) {
  return scriptedModel((request) => {
    const asked = JSON.stringify(request.messages);
    const file = /Review ([\w./]+)/.exec(asked)?.[1];
    if (file === undefined) {
      if (isGoodKey) return say('Worth fixing: to_celsius subtracts 32 after the division.');
      return { failure: { kind: 'authentication', status: 401, message: 'The provider refused the key.' } };
    }
    if (lastUserText(request).includes('Review')) return call('Read', { file_path: file });
    const isWrong = toolResultText(request).includes('f - 32 * 5 / 9');
    return call('SyntheticOutput', {
      problems: isWrong ? [`${file}: to_celsius lacks parentheses`] : [],
    });
  });
}
