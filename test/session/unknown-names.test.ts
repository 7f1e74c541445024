import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { call, say, type Turn } from '../../src/testing/index.ts';
import { open, type Place, place } from './support.ts';

const skill = (front = '') => `---\ndescription: commits\n${front}---\nCommit with care.`;

function repository(deny: string[], files: Record<string, string> = {}, settings = 'cwd'): Place {
  const at = place();
  const base = settings === 'home' ? at.home : join(at.cwd, '.cadre');
  mkdirSync(base, { recursive: true, mode: 0o700 });
  writeFileSync(join(base, 'settings.json'), JSON.stringify({ permissions: { deny } }));
  for (const [path, text] of Object.entries({ '.claude/skills/commit/SKILL.md': skill(), ...files })) {
    mkdirSync(dirname(join(at.cwd, path)), { recursive: true });
    writeFileSync(join(at.cwd, path), text);
  }
  return at;
}

async function notices(at: Place, turns: Turn[] = [], options = {}): Promise<string[]> {
  const opened = await open(at, [...turns, say('Done.')], options);
  await opened.prompt('Go on');
  await opened.session.close();
  return opened.events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : []));
}

test('a restriction of an agent or a skill that nothing here is named is told, with what may be meant', async () => {
  const said = (
    await notices(repository(['Agent(Explre)', 'Agent(Plan, nobody)', 'Skill(comit:*)', 'Skill(nosuch)']))
  ).join('\n');
  expect(said).toMatch(/deny rule Agent\(Explre\) .*: no agent is named Explre\. Did you mean Explore\?/);
  expect(said).toMatch(/no agent is named nobody\. It restricts nothing until there is one\./);
  expect(said).not.toContain('is named Plan');
  expect(said).toMatch(/no skill is named comit\. Did you mean commit\?/);
  expect(said).toMatch(/no skill is named nosuch\. It restricts nothing/);
});

test('the same for the command line', async () => {
  const said = (await notices(repository([]), [], { disallowedTools: ['Agent(Explre)'] })).join('\n');
  expect(said).toContain('no agent is named Explre. Did you mean Explore?');
});

test('names, patterns and parameters that fit what there is are not told', async () => {
  const fitting = [
    'Agent(explore)',
    'Agent(general)',
    'Agent(Expl*)',
    'Agent(model:opus)',
    'Agent',
    'Skill(*)',
  ];
  const skills = ['Skill(commit)', 'Skill(/commit)', 'Skill(commit:*)', 'Skill(commit -m *)', 'Skill(com*)'];
  expect(
    (await notices(repository([...fitting, ...skills]))).filter((text) => text.includes('is named')),
  ).toEqual([]);
});

test("the user's own rules are about all projects: only a name near a known one is told", async () => {
  const said = (
    await notices(repository(['Agent(Explre)', 'Agent(elsewhere)', 'Skill(nosuch)'], {}, 'home'))
  ).join('\n');
  expect(said).toContain('Did you mean Explore?');
  expect(said).not.toContain('elsewhere');
  expect(said).not.toContain('nosuch');
});

test('a misspelt tool in allowed-tools is told when the skill is used', async () => {
  const at = repository([], { '.claude/skills/commit/SKILL.md': skill('allowed-tools: Bsah(git add:*)\n') });
  const said = await notices(at, [call('Skill', { skill: 'commit' })], { trust: true });
  expect(said.join('\n')).toMatch(
    /grants nothing by "Bsah\(git add:\*\)", which is not a tool: did you mean Bash\?/,
  );
});
