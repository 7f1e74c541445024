import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onReaderGone, processIo } from '../../headless/process-io.ts';
import { complain } from '../../headless/run-prompt.ts';
import { describeFileError } from '../../lib/files.ts';
import { fail, ok, type Result } from '../../lib/result.ts';
import type { Outcome } from '../../protocol/index.ts';
import { openSession } from '../../session/open.ts';
import type { Session } from '../../session/session.ts';
import type { RipgrepSource } from '../../tools/ripgrep.ts';
import { Narrator, type Style, styleFor } from './narrate.ts';
import { sampleFiles } from './sample.ts';
import { demoModel, demoPrompt } from './script.ts';

export interface DemoOptions {
  keep: boolean;
  ripgrep?: RipgrepSource;
}

/** `cadre demo`: real loop, tools, permissions and store; only the model's words are scripted. */
export async function runDemo(options: DemoOptions): Promise<number> {
  const style = styleFor(process.stdout.isTTY === true && !process.env.NO_COLOR);
  // Nobody may watch to the end; what was begun is still finished and cleared away.
  onReaderGone(() => {});
  const made = makeDirectory();
  if (!made.ok) return complain(processIo(), made.problem);
  const directory = made.value;
  const repository = join(directory, 'celsius');
  try {
    writeSample(repository);
    return await play(repository, directory, options, style);
  } finally {
    if (options.keep) write(`\nKept: ${directory}\n`);
    else rmSync(directory, { recursive: true, force: true });
  }
}

function makeDirectory(): Result<string> {
  try {
    return ok(realpathSync(mkdtempSync(join(tmpdir(), 'cadre-demo-'))));
  } catch (error) {
    return fail(describeFileError(error, tmpdir(), 'make a directory in'));
  }
}

async function play(
  repository: string,
  directory: string,
  options: DemoOptions,
  style: Style,
): Promise<number> {
  write(`${style.strong('Cadre demo')}: a small repository with a failing test, in ${repository}\n`);
  write(
    style.dim(
      'Only the model is scripted. The loop, the agents, tools, permissions and transcripts are the real ones.\n',
    ),
  );
  write(`\n${style.strong('> ')}${demoPrompt}\n`);
  const model = demoModel(repository);
  const opened = await openSession({
    cwd: repository,
    environment: { ...process.env, CADRE_HOME: join(directory, 'home') },
    model,
    allowedTools: ['Bash(sh test.sh)', 'Edit(lib/**)'],
    settingSources: [],
    // The same on every machine: what it shows of permissions is a refusal.
    sandbox: false,
    ...(options.ripgrep ? { ripgrep: options.ripgrep } : {}),
  });
  if (!opened.ok) {
    process.stderr.write(`cadre: ${opened.problem.message}\n`);
    return 1;
  }
  const outcome = await tell(opened.value, style);
  await opened.value.close();
  model.assertConsumed();
  summarise(opened.value, repository, outcome, style, options.keep);
  return outcome?.kind === 'completed' ? 0 : 1;
}

async function tell(session: Session, style: Style): Promise<Outcome | undefined> {
  const narrator = new Narrator(style);
  const events = session.events();
  session.send({ type: 'prompt', content: demoPrompt });
  for await (const event of events) {
    const text = narrator.tell(event);
    if (text !== undefined) write(text);
    if (event.type === 'run_ended' && event.agentId === null) return event.outcome;
  }
  return undefined;
}

function summarise(
  session: Session,
  repository: string,
  outcome: Outcome | undefined,
  style: Style,
  keep: boolean,
): void {
  const mended = readFileSync(join(repository, 'lib/convert.sh'), 'utf8').split('\n')[2]?.trim();
  const transcript = session.info().transcriptPath;
  const records = transcript ? readFileSync(transcript, 'utf8').trimEnd().split('\n').length : 0;
  write(`\n${style.strong(outcome?.kind ?? 'no outcome')} in ${outcome?.turns ?? 0} turns\n`);
  write(
    style.dim(
      `  file on disk now:  ${mended}\n  transcript:        ${records} records${keep ? ` in ${transcript}` : ' (--keep leaves them for a look)'}\n`,
    ),
  );
  write('\nWith a model of your own:  export ANTHROPIC_API_KEY=…  &&  cadre -p "explain this repository"\n');
}

function writeSample(repository: string): void {
  for (const [name, content] of Object.entries(sampleFiles)) {
    const path = join(repository, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

function write(text: string): void {
  process.stdout.write(text);
}
