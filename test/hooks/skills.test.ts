import { describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeTrust, grantTrust } from '../../src/index.ts';
import { call, say, type Turn } from '../../src/testing/index.ts';
import { openStory } from '../agents/support.ts';
import { type Bench, bench, notices, on, openBench, results } from './support.ts';

/** A skill with hooks of its own, in the repository or the user's. */
function skill(b: Bench, where: 'repository' | 'user', hooks: object, more = ''): void {
  const base = where === 'user' ? b.at.home : join(b.at.cwd, '.claude');
  const file = join(base, 'skills/careful/SKILL.md');
  mkdirSync(dirname(file), { recursive: true });
  const text = `---\ndescription: takes care\nhooks: ${JSON.stringify(hooks)}\n${more}---\nTake care.`;
  writeFileSync(file, text);
}

const block = 'cat > /dev/null; echo "careful" >&2; exit 2';
const guard = { PreToolUse: on(block, {}, 'Bash') };
const use = call('Skill', { skill: 'careful' });
const ls = call('Bash', { command: 'ls' });

async function run(b: Bench, turns: Turn[], prompts = ['Go'], options: object = {}) {
  const opened = await openBench(b, turns, options);
  for (const prompt of prompts) await opened.prompt(prompt);
  await opened.session.close();
  return opened.events;
}

describe('hooks of a skill', () => {
  test('are asked while it runs: not before it is loaded, and not after the run', async () => {
    const b = bench();
    skill(b, 'user', guard);
    const turns = [ls, use, ls, say('A.'), ls, say('B.')];
    const [before, , during, after] = results(await run(b, turns, ['Go', 'Again']));
    expect(before).not.toContain('careful');
    expect(during).toContain('careful');
    expect(after).not.toContain('careful');
  });

  test('of a skill that is typed are asked at once', async () => {
    const b = bench();
    skill(b, 'user', guard);
    expect(results(await run(b, [ls, say('A.')], ['/careful']))[0]).toContain('careful');
  });

  test('stand beside those of settings', async () => {
    const b = bench();
    b.hooks({ PreToolUse: on(`echo one >> ${b.path('log')}`) });
    skill(b, 'user', {
      PreToolUse: on(`echo two >> ${b.path('log')}`),
      Stop: on(`echo end >> ${b.path('log')}`),
    });
    await run(b, [use, ls, say('A.')]);
    expect(b.lines('log').sort()).toEqual(['end', 'one', 'one', 'two']);
  });

  test('of a repository run only once they are trusted', async () => {
    const b = bench();
    skill(b, 'repository', { PreToolUse: on(`touch ${b.path('ran')}`) });
    const events = await run(b, [use, ls, say('A.')]);
    expect(b.lines('ran')).toEqual([]);
    expect(notices(events)).toContain('do not run: it is not trusted');
    skill(b, 'repository', { PreToolUse: on(`echo yes > ${b.path('ran')}`) });
    const described = await describeTrust(b.at);
    if (described.ok) await grantTrust(described.value, b.at);
    await run(b, [use, ls, say('A.')]);
    expect(b.lines('ran')).toEqual(['yes']);
  });

  test('are switched off with all others', async () => {
    const b = bench();
    b.settings({ disableAllHooks: true });
    skill(b, 'user', guard);
    expect(results(await run(b, [use, ls, say('A.')]))[1]).not.toContain('careful');
  });

  test('are asked about the agent that runs it, and about no other', async () => {
    const b = bench();
    skill(b, 'user', guard);
    const job = (prompt: string) => call('Agent', { description: 'Job', prompt });
    const story = await openStory(
      {
        lead: [use, job('Do it.'), job('Careful.'), say('A.')],
        agents: { 'Do it.': [ls, say('B.')], 'Careful.': [use, ls, say('C.')] },
      },
      {},
      b.at,
    );
    await story.prompt('Go');
    expect(JSON.stringify(story.requestsOf('Careful.')[2]?.messages.at(-1))).toContain('careful');
    expect(JSON.stringify(story.requestsOf('Do it.')[1]?.messages.at(-1))).not.toContain('careful');
    await story.session.close();
  });

  test('go along with a skill that runs as an agent of its own', async () => {
    const b = bench();
    skill(b, 'user', guard, 'context: fork\nbackground: false\n');
    const story = await openStory(
      { lead: [use, ls, say('A.')], agents: { 'Take care.': [ls, say('B.')] } },
      {},
      b.at,
    );
    await story.prompt('Go');
    expect(JSON.stringify(story.requestsOf('Take care.')[1]?.messages.at(-1))).toContain('careful');
    expect(story.results()[1]).not.toContain('careful');
    await story.session.close();
  });

  test('that are broken are named, and the skill is used', async () => {
    const b = bench();
    skill(b, 'user', { PreToolUse: on('true', {}, '(a+)+') });
    const events = await run(b, [use, ls, say('A.')]);
    expect(notices(events)).toMatch(/SKILL\.md, hooks\.PreToolUse\[0\]\.matcher: .* This hook does not run/);
  });
});

test('a skill whose hooks are no hooks by event is broken, since they might have held it back', async () => {
  const b = bench();
  const file = join(b.at.home, 'skills/odd/SKILL.md');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '---\ndescription: odd\nhooks: yes please\n---\nText.');
  expect(notices(await run(b, [say('A.')]))).toContain('One skill or command could not be read');
});
