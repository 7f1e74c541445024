import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ok, type Result, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { Answer, Question } from '../../protocol/index.ts';
import type { SessionOptions } from '../../session/options.ts';
import { git } from '../../workspace/git/git.ts';
import { findProgram } from '../../workspace/search-path.ts';
import type { CastModel } from './cast.ts';
import { sampleFiles } from './sample.ts';
import { demoModel, demoPrompt } from './script.ts';
import { teamModel, teamPrompt } from './team-script.ts';

export const stories = ['coordinator', 'teams'] as const;

export type StoryName = (typeof stories)[number];

/** A session ready to be opened by any surface, and its first prompt. */
export interface Stage {
  repository: string;
  prompt: string;
  options: SessionOptions;
  model: CastModel;
  /** The scripted user. */
  answer(question: Question): Promise<Answer>;
}

/** The programs its workers run. */
const needed = ['git', 'sh', 'awk'];

function listed(names: readonly string[]): string {
  return names.join(' and ').replace(/ and (?=.* and )/g, ', ');
}

/** Creates the sample repository and the session in it: everything is real but the model. */
export async function setStage(
  directory: string,
  environment: Readonly<Record<string, string | undefined>>,
  story: StoryName = 'coordinator',
): Promise<Result<Stage>> {
  const repository = join(directory, 'degrees');
  const own = ownEnvironment(environment);
  const missing = needed.filter((name) => findProgram(name, own.PATH ?? '') === undefined);
  if (missing.length > 0)
    return usage(
      `The demo needs ${listed(needed)}; ${listed(missing)} not found on PATH, which is "${visibleLine(own.PATH ?? '', 200)}".`,
      'Install it with your package manager (apt install git, brew install git), or add its directory to PATH.',
    );
  const made = await makeRepository(repository, own);
  if (!made.ok) return made;
  const common: SessionOptions = {
    cwd: repository,
    environment: { ...own, CADRE_HOME: join(directory, 'home') },
    settingSources: [],
    // The same on every machine.
    sandbox: false,
  };
  return ok({
    repository,
    ...(story === 'teams' ? setTeam(repository, common) : setWorkers(repository, common)),
  });
}

type Played = Omit<Stage, 'repository'>;

function setWorkers(repository: string, common: SessionOptions): Played {
  const model = demoModel(repository);
  return {
    model,
    prompt: demoPrompt,
    answer: (question) => answerAbout('Land', question),
    options: {
      ...common,
      model,
      coordinator: true,
      // Landing is asked about; the other commands of workers are listed here.
      allowedTools: ['Bash(sh test.sh:*)', 'Bash(git add:*)', 'Bash(git commit:*)', 'Bash(git merge:*)'],
    },
  };
}

function setTeam(repository: string, common: SessionOptions): Played {
  const model = teamModel(repository);
  return {
    model,
    prompt: teamPrompt,
    answer: (question) => answerAbout('Bash', question),
    options: {
      ...common,
      model,
      // The commit is asked about.
      allowedTools: ['Bash(sh test.sh:*)'],
      agentLimits: { permissionMode: 'acceptEdits' },
      agents: {
        planner: { description: 'Plans before it writes', prompt: 'Plan first.', permissionMode: 'plan' },
      },
      teammateMode: 'in-process',
    },
  };
}

/** The scripted user says yes to this, and no to anything else. */
async function answerAbout(expected: string, { toolName }: Question): Promise<Answer> {
  return toolName === expected
    ? { behaviour: 'allow' }
    : { behaviour: 'deny', message: `The demo answers only questions about ${expected}.` };
}

/** The user's own settings for sessions would change the story. */
export function ownEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !/^(CADRE|CLAUDE_CODE)_/.test(entry[0]),
    ),
  );
}

async function makeRepository(path: string, env: Record<string, string>): Promise<Result<void>> {
  for (const [name, content] of Object.entries(sampleFiles)) {
    const file = join(path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  const steps = [
    ['init', '-q'],
    ['symbolic-ref', 'HEAD', 'refs/heads/main'],
    // The user's name and signature do not belong in a demo.
    ['config', 'user.name', 'Cadre demo'],
    ['config', 'user.email', 'demo@localhost'],
    ['config', 'commit.gpgsign', 'false'],
    ['config', 'core.hooksPath', join(path, '.git', 'hooks')],
    ['add', '-A'],
    ['commit', '-q', '-m', 'A small program with a bug'],
  ];
  for (const args of steps) {
    const done = await git(args, { cwd: path, env });
    if (!done.ok) return done;
  }
  return ok(undefined);
}
