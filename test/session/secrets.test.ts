import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, say } from '../../src/testing/index.ts';
import { open, type Place, place } from './support.ts';

const token = 'ghp_a8Xk29sLmQ0tZ71bVn4R';

function work(files: Record<string, string>, environment: Record<string, string> = {}): Place {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at.cwd, name), text);
  return { ...at, environment: { ...at.environment, ...environment } };
}

/** Everything that a session left on disk below its home, but copies of the user's own files, which are for undo. */
function kept(at: Place): string {
  const files = readdirSync(at.home, { recursive: true, withFileTypes: true }).filter(
    (one) => one.isFile() && !one.parentPath.includes('/file-history'),
  );
  return files.map((file) => readFileSync(join(file.parentPath, file.name), 'utf8')).join('\n');
}

test('a variable that is held back reaches neither commands nor, by any tool, the model', async () => {
  const at = work({ 'notes.txt': `the token is ${token}\n` }, { MY_TOKEN: token, PORT: '3000' });
  const { session, model, prompt } = await open(
    at,
    [
      call('Bash', { command: 'echo "[$MY_TOKEN] $PORT"; cat notes.txt; base64 notes.txt' }),
      call('Read', { file_path: 'notes.txt' }),
      call('Grep', { pattern: 'token', output_mode: 'content' }),
      say('ok'),
    ],
    { allowedTools: ['Bash'] },
  );
  await prompt('Go');
  const sent = JSON.stringify(model.requests);
  expect(sent).toContain('[] 3000');
  expect(sent).toContain('the token is [masked: MY_TOKEN]');
  expect(sent).not.toContain(token);
  expect(sent).not.toContain(Buffer.from(token).toString('base64').slice(4, 24));
  await session.close();
  expect(kept(at)).not.toContain(token);
});

test('what the user typed is not masked', async () => {
  const { session, model, prompt } = await open(work({}, { MY_TOKEN: token }), [say('ok')]);
  await prompt(`My token is ${token}`);
  expect(JSON.stringify(model.requests)).toContain(token);
  await session.close();
});

test('memory files are masked before they enter the prompt', async () => {
  const at = work({ 'AGENTS.md': `Use ${token} for tests.` }, { MY_TOKEN: token });
  const { session, model, prompt } = await open(at, [say('ok')]);
  await prompt('Hi');
  expect(JSON.stringify(model.requests)).toContain('Use [masked: MY_TOKEN] for tests.');
  await session.close();
});

test('stored keys of providers are masked', async () => {
  const at = work({ a: 'key: stored-Key-12345' });
  mkdirSync(at.home, { recursive: true });
  writeFileSync(join(at.home, 'keys.json'), '{"openai":"stored-Key-12345"}', { mode: 0o600 });
  const { session, model, prompt } = await open(at, [call('Read', { file_path: 'a' }), say('ok')]);
  await prompt('Go');
  expect(JSON.stringify(model.requests)).toContain('key: [masked: openai key]');
  await session.close();
});

test('the notification of a background command, its file and a large output are masked', async () => {
  const at = work({ secret: token }, { MY_TOKEN: token });
  const { session, model, runs, prompt } = await open(
    at,
    [
      call('Bash', { command: 'cat secret; printf "%80000s" x; cat secret' }),
      call('Bash', { command: 'cat secret', run_in_background: true }),
      say('waiting'),
      say('done'),
    ],
    { allowedTools: ['Bash'] },
  );
  await prompt('Go');
  await runs(2);
  const sent = JSON.stringify(model.requests);
  expect(sent).toContain('task-notification');
  expect(sent).toContain('<result>[masked: MY_TOKEN]');
  expect(sent).not.toContain(token);
  await session.close();
  expect(kept(at)).not.toContain(token);
});

test('environment.allow lets a variable through to commands; the model still does not read it', async () => {
  const at = work({}, { MY_TOKEN: token, OTHER: 'x' });
  const { session, model, prompt } = await open(
    at,
    [
      call('Bash', { command: 'printenv MY_TOKEN | tr -d "\\n" | wc -c; echo "$MY_TOKEN [$OTHER]"' }),
      say('ok'),
    ],
    { allowedTools: ['Bash'], settings: '{"environment":{"allow":["MY_*"]}}' },
  );
  await prompt('Go');
  expect(JSON.stringify(model.requests)).toContain(`${token.length}\\n[masked: MY_TOKEN] []`);
  await session.close();
});

test('a repository lets no variable through before it is trusted', async () => {
  const at = work({}, { MY_TOKEN: token });
  mkdirSync(join(at.cwd, '.cadre'));
  writeFileSync(join(at.cwd, '.cadre/settings.json'), '{"environment":{"allow":["MY_TOKEN"]}}');
  for (const trust of [false, true]) {
    const { session, model, prompt } = await open(
      at,
      [call('Bash', { command: 'printf "length "; printenv MY_TOKEN | tr -d "\\n" | wc -c' }), say('ok')],
      { allowedTools: ['Bash'], trust },
    );
    await prompt('Go');
    expect(JSON.stringify(model.requests)).toContain(`length ${trust ? token.length : 0}`);
    await session.close();
  }
});

test('a mark is not written over the secret that it stands for', async () => {
  const at = work({ config: `token=${token}\nport=1\n` }, { MY_TOKEN: token });
  const { session, model, prompt } = await open(
    at,
    [
      call('Read', { file_path: 'config' }),
      call('Write', { file_path: 'config', content: 'token=[masked: MY_TOKEN]\nport=2\n' }),
      call('Edit', { file_path: 'config', old_string: 'port=1', new_string: 'port=2' }),
      say('ok'),
    ],
    { allowedTools: ['Edit', 'Write'] },
  );
  await prompt('Go');
  expect(JSON.stringify(model.requests)).toContain('replaces a value that is hidden from you');
  expect(readFileSync(join(at.cwd, 'config'), 'utf8')).toBe(`token=${token}\nport=2\n`);
  await session.close();
});
