import { expect, test } from 'bun:test';
import { parseRule } from '../../src/settings/rules.ts';

const parse = (text: string, behaviour: 'allow' | 'deny' | 'ask' = 'deny') =>
  parseRule(text, behaviour, 'project', 'settings.json', '/work/project');

test.each<[string, string]>([
  ['Read({secrets,x}/**)', 'Read(secrets/**)'],
  ['Read(src/{a,b}.ts)', 'Read(src/a.ts)'],
  ['Read("secrets/**")', 'Read(secrets/**)'],
  ["Edit('secrets/**')", 'Edit(secrets/**)'],
  ['Read(`.env`)', 'Read(.env)'],
  ['Read(secrets/**, .env)', 'Read(secrets/**)'],
  ['Read(secrets/**,.env)', 'Read(secrets/**)'],
  ['Read(/work/project/secrets/**)', 'Read(//work/project/secrets/**)'],
  ['Read(/work/project)', 'Read(//work/project)'],
  ['Read(sec\u200brets/**)', 'U+200B'],
  ['Read(\ufeffsecrets/**)', 'U+FEFF'],
  ['Bash(rm\u200b *)', 'U+200B'],
  ['Read(secrets\\**)', 'Read(secrets/**)'],
  ['Read(secrets\\deep\\**)', 'Read(secrets/deep/**)'],
  ['Write(secrets\\x)', 'Write(secrets/x)'],
  ['Read(secrets|.env)', 'Read(secrets) and Read(.env)'],
  ['Read($HOME/secrets)', 'Read(~/secrets)'],
  ['Read($\u007bHOME}/secrets)', 'Read(~/secrets)'],
  ['Edit($PWD/src/**)', 'variables'],
  ['Read(file:///etc/shadow)', 'Read(//etc/shadow)'],
  ['Read(~root/notes)', '~/'],
  ['Bash("rm -rf")', 'Bash(rm -rf)'],
  ["Bash('rm:*')", 'Bash(rm:*)'],
  ['Bash(`rm`)', 'Bash(rm)'],
  ['Bash(rm:)', 'Bash(rm:*)'],
  ['Bash(git push:)', 'Bash(git push:*)'],
  ['Bash(rm:**)', 'Bash(rm:*)'],
  ['Bash(git:* push)', 'Bash(git * push)'],
  ['Bash(^rm.*$)', 'Bash(rm*)'],
  ['Bash(rm.*)', 'Bash(rm*)'],
  ['Bash(curl|wget)', 'Bash(curl:*) and Bash(wget:*)'],
  ['Bash(curl:*|wget:*)', 'Bash(curl:*) and Bash(wget:*)'],
  ['Bash(curl:*, wget:*)', 'Bash(curl:*) and Bash(wget:*)'],
  ['mcp__', 'mcp__github'],
  ['mcp__files__', 'mcp__files or mcp__files__*'],
])('a rule that restricts nothing is an error that names the right spelling: %s', (text, right) => {
  for (const behaviour of ['deny', 'ask'] as const) {
    const rule = parse(text, behaviour);
    expect(rule.ok).toBe(false);
    if (!rule.ok) expect(rule.problem.message).toContain(right);
  }
});

test.each([
  'Read(secrets/**)',
  'Read(/secrets/**)',
  'Read(//work/project/secrets/**)',
  'Read(/work/projects/**)',
  'Read(report, final.txt)'.replace(', ', ','),
  'Read(a\\, b.txt)',
  'Read(\\{a,b\\}.txt)',
  'Read(app/[id\\]/x)',
  'Read(\\*.txt)',
  'Read({id}/x)',
  'Read("quoted".txt)',
  'Read(\u0646\u0627\u0645\u0647\u200c\u0647\u0627/**)',
  'Bash(echo "{a,b}")',
  'Bash(printf \\n)',
  'Read(a\\|b)',
  'Read(~$draft.docx)',
  'Read($draft)',
  'Bash("my program" "a")',
  'Bash(curl * | sh)',
  'Bash(cat a|sort -u)',
  'Bash(scp a b host:)',
  'Bash(docker run -p 80:* nginx)',
  'Bash(rm .*)',
  'Bash(:)',
  'Bash(kubectl get pods:*)',
])('a rule with such signs in a meaning of their own is accepted: %s', (text) => {
  expect(parse(text)).toMatchObject({ ok: true });
});

test('a grant that grants nothing is accepted', () => {
  expect(parse('Read({a,b}/**)', 'allow')).toMatchObject({ ok: true });
});
