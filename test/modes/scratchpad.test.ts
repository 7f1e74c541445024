import { expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { ModelRequest, Question } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { createLayout } from '../../src/store/layout.ts';
import { sweepSessions } from '../../src/store/retention.ts';
import { listSessions } from '../../src/store/sessions.ts';
import { call, calls, say, type Turn, toolResultText } from '../../src/testing/index.ts';
import { gate, openStory, quiet, type Story } from '../agents/support.ts';
import { place } from '../session/support.ts';
import { needs } from '../support/index.ts';

/** Workers that do these turns, one after the other; whoever is asked says no, and is remembered. */
async function workers(scripts: ((pad: string) => Turn[])[], options: SessionOptions = {}, at = place()) {
  const asked: Question[] = [];
  let story: Story | undefined;
  const pad = () => story?.session.info().scratchpad ?? '';
  const prompts = scripts.map((_, index) => `Worker ${index}`);
  const waiting = [...prompts];
  const agents = Object.fromEntries(
    prompts.map((prompt, index) => {
      let turns: Turn[] | undefined;
      const next = (request: ModelRequest) => {
        turns ??= scripts[index]?.(pad()) ?? [];
        const turn = turns.shift() ?? say(`Said: ${toolResultText(request)}`);
        return typeof turn === 'function' ? turn(request) : turn;
      };
      return [prompt, Array.from({ length: 10 }, () => next)];
    }),
  );
  story = await openStory(
    {
      lead: () => {
        const prompt = waiting.shift();
        return prompt === undefined ? say('Done.') : call('Agent', { description: prompt, prompt });
      },
      agents,
    },
    {
      coordinator: true,
      onQuestion: async (question) => {
        asked.push(question);
        return { behaviour: 'deny', message: 'No.' };
      },
      ...options,
    },
    at,
  );
  for (const _ of prompts) {
    await story.prompt('Next');
    await quiet(story);
  }
  const texts = prompts.map((prompt) => JSON.stringify(story?.requestsOf(prompt).at(-1)?.messages));
  return { story, asked, texts, pad: pad() };
}

const write = (file_path: string, content = 'x') => call('Write', { file_path, content });
const read = (file_path: string) => call('Read', { file_path });

test('CO5 what one worker writes another reads and edits, and nobody is asked', async () => {
  const { story, asked, texts, pad } = await workers([
    (at) => [write(join(at, 'notes/found.md'), 'line 42')],
    (at) => [
      read(join(at, 'notes/found.md')),
      call('Edit', { file_path: join(at, 'notes/found.md'), old_string: '42', new_string: '43' }),
      call('Glob', { pattern: '**/*', path: at }),
      call('Grep', { pattern: 'line', path: at }),
    ],
  ]);
  expect(asked).toEqual([]);
  expect(texts[1]).toContain('line 42');
  expect(readFileSync(join(pad, 'notes/found.md'), 'utf8')).toBe('line 43');
  expect(statSync(pad).mode & 0o777).toBe(0o700);
  await story.session.close();
});

test('CO5 it is outside the repository, in the directory of the session, and only the session has it', async () => {
  const at = place();
  const { story, pad } = await workers([], {}, at);
  expect(pad).toBe(join(dirname(pad), 'scratchpad'));
  expect(pad.startsWith(at.home)).toBe(true);
  expect(dirname(pad).endsWith(story.session.id)).toBe(true);
  const other = await workers([(mine) => [write(join(mine, 'a')), write(join(pad, 'b'))]], {}, at);
  expect(other.asked.map(({ decision }) => decision.by)).toEqual(['protected-path']);
  expect(existsSync(join(pad, 'b'))).toBe(false);
  await story.session.close();
  await other.story.session.close();
});

test('CO5 the rest of our own state stays protected, also beside it and by way of it', async () => {
  const { story, asked, pad } = await workers([
    (at) => [
      write(join(at, '..', 'planted.jsonl')),
      write(join(at, '.git', 'hooks', 'pre-commit')),
      write(join(at, '.npmrc')),
    ],
  ]);
  expect(asked.map(({ decision }) => decision.by)).toEqual(Array(3).fill('protected-path'));
  expect(existsSync(join(pad, '.npmrc'))).toBe(false);
  await story.session.close();
});

test('CO5 a link in it is judged by where it leads', async () => {
  const at = place();
  const secret = join(at.home, '..', 'outside.txt');
  mkdirSync(at.home, { recursive: true });
  writeFileSync(secret, 'not yours');
  const { story, asked, texts } = await workers(
    [
      (pad) => {
        symlinkSync(secret, join(pad, 'link'));
        symlinkSync(at.home, join(pad, 'home'));
        return [read(join(pad, 'link')), write(join(pad, 'link')), write(join(pad, 'home', 'settings.json'))];
      },
    ],
    {},
    at,
  );
  expect(asked).toHaveLength(3);
  expect(texts[0]).not.toContain('not yours');
  expect(readFileSync(secret, 'utf8')).toBe('not yours');
  expect(existsSync(join(at.home, 'settings.json'))).toBe(false);
  await story.session.close();
});

test('CO5 keys and trust are refused by whatever name', async () => {
  const at = place();
  const { story, texts } = await workers(
    [
      (pad) => {
        writeFileSync(join(at.home, 'keys.json'), '{"anthropic":"hidden"}');
        symlinkSync(join(at.home, 'keys.json'), join(pad, 'notes'));
        return [read(join(pad, 'notes')), read(join(pad, '..', '..', '..', '..', 'keys.json'))];
      },
    ],
    { permissionMode: 'bypassPermissions' },
    at,
  );
  expect(texts[0]).toContain('no tool may read or write');
  expect(texts[0]).not.toContain('hidden');
  await story.session.close();
});

test('CO5 it is closed for writing while the session is in plan mode, and can still be read', async () => {
  const at = place();
  const first = await workers([(pad) => [write(join(pad, 'found'), 'line 42')]], {}, at);
  await first.story.session.close();
  const { story, texts, pad } = await workers(
    [
      (own) => [
        read(join(own, 'found')),
        write(join(own, 'more')),
        call('Bash', { command: `echo x > ${own}/sh` }),
      ],
    ],
    { permissionMode: 'plan', resume: { from: 'id', id: first.story.session.id } },
    at,
  );
  expect(texts[0]).toContain('line 42');
  expect(texts[0]).toContain('is not allowed');
  expect(existsSync(join(pad, 'more'))).toBe(false);
  expect(existsSync(join(pad, 'sh'))).toBe(false);
  await story.session.close();
});

test('CO5 a worker in a worktree of its own hands files on there, too', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const git = (...args: string[]) =>
    Bun.spawnSync(['git', '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: at.cwd });
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  const asked: string[] = [];
  const story = await openStory(
    {
      lead: ({ messages }) =>
        messages.length === 1
          ? call('Agent', { description: 'Apart', prompt: 'Apart', isolation: 'worktree' })
          : say('Done.'),
      agents: {
        Apart: [() => write(join(story.session.info().scratchpad ?? '', 'report')), say('Written.')],
      },
    },
    {
      coordinator: true,
      onQuestion: async ({ toolName }) => {
        asked.push(toolName);
        return { behaviour: 'deny', message: 'No.' };
      },
    },
    at,
  );
  await story.prompt('Go');
  await quiet(story);
  expect(asked).toEqual([]);
  expect(existsSync(join(story.session.info().scratchpad ?? '', 'report'))).toBe(true);
  await story.session.close();
});

test('CO5 a setting or a variable switches it off, and without coordinator mode there is none', async () => {
  const at = place();
  const off = await workers([], { settings: '{"scratchpad":false}' }, at);
  expect(off.story.session.info().scratchpad).toBeNull();
  const environment = { ...at.environment, CADRE_SCRATCHPAD: '0' };
  const byVariable = await workers([], {}, { ...at, environment });
  expect(byVariable.story.session.info().scratchpad).toBeNull();
  const plain = await workers([], { coordinator: false }, at);
  expect(plain.story.session.info().scratchpad).toBeNull();
  for (const { story } of [off, byVariable, plain]) await story.session.close();
});

test('CO5 it is listed with its session and goes with it; one that nobody used is gone at once', async () => {
  const at = place();
  const unused = await workers([], {}, at);
  await unused.story.session.close();
  expect(existsSync(unused.pad)).toBe(false);

  const used = await workers([(pad) => [write(join(pad, 'found'))]], {}, at);
  await used.story.session.close();
  const [listed] = await listSessions(createLayout(at.home), at.cwd);
  expect(listed).toMatchObject({ mode: 'coordinator', scratchpad: used.pad });

  const long = new Date(Date.now() - 60 * 24 * 60 * 60 * 1000);
  for (const path of [dirname(used.pad), `${dirname(used.pad)}.jsonl`]) utimesSync(path, long, long);
  sweepSessions(createLayout(at.home), { olderThanDays: 30, now: Date.now(), isInUse: () => false });
  expect(existsSync(used.pad)).toBe(false);

  const forgotten = await workers([(pad) => [write(join(pad, 'found'))]], { persist: false }, at);
  expect(existsSync(join(forgotten.pad, 'found'))).toBe(true);
  await forgotten.story.session.close();
  expect(existsSync(forgotten.pad)).toBe(false);
});

needs('bwrap')('CO5 in the sandbox commands write there, and nowhere else in our own state', async () => {
  const { story, asked, texts, pad } = await workers(
    [
      (at) => [
        call('Bash', { command: `echo hello > ${at}/said && cat ${at}/said` }),
        call('Bash', { command: `python3 -c "open('${dirname(at)}' + '/pl' + 'anted', 'w')"` }),
        call('Bash', { command: `python3 -c "open('${at}/.np' + 'mrc', 'w')"` }),
      ],
    ],
    { sandbox: true },
  );
  expect(asked).toEqual([]);
  expect(texts[0]).toContain('hello');
  expect(readFileSync(join(pad, 'said'), 'utf8')).toBe('hello\n');
  expect(existsSync(join(dirname(pad), 'planted'))).toBe(false);
  expect(existsSync(join(pad, '.npmrc'))).toBe(false);
  await story.session.close();
});

test('CO7 nothing in it is leased: two live workers write the same file', async () => {
  const held = gate();
  const written = gate();
  const file = () => join(story.session.info().scratchpad ?? '', 'shared');
  const story: Story = await openStory(
    {
      lead: ({ messages }) =>
        messages.length === 1
          ? calls(['First', 'Second'].map((prompt) => call('Agent', { description: prompt, prompt })))
          : say('Noted.'),
      agents: {
        First: [
          () => write(file(), 'first'),
          async () => {
            written.open();
            await held.opened;
            return say('Done.');
          },
        ],
        Second: [
          async () => {
            await written.opened;
            return read(file());
          },
          () => write(file(), 'second'),
          () => {
            held.open();
            return say('Done.');
          },
        ],
      },
    },
    { coordinator: true },
  );
  await story.prompt('Go');
  await quiet(story);
  expect(readFileSync(file(), 'utf8')).toBe('second');
  await story.session.close();
});
