import { afterEach, expect } from 'bun:test';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { ModelRequest } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, say, toolResultText } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { git, repository } from './repository.ts';
import { open, type Place } from './support.ts';

const confinedTest = needs('bwrap');
const lfsTest = needs('git-lfs');
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

function write(directory: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
}

/** A user with Git LFS, as `git lfs install` sets it up, and a repository with one large file of which git has a pointer. */
function large({ oid, size }: { oid: string; size: number }, files: Record<string, string> = {}): Place {
  const at = repository();
  appendFileSync(
    join(at.environment.HOME ?? '', '.gitconfig'),
    '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\tprocess = git-lfs filter-process\n\trequired = true\n',
  );
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`;
  write(at.cwd, {
    ...files,
    '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
    'x.bin': pointer,
  });
  git(at.cwd, 'add', '--all');
  git(at.cwd, 'commit', '--quiet', '--message=Large');
  return at;
}

function locateObject(at: Place, oid: string): string {
  return join(at.cwd, '.git/lfs/objects', oid.slice(0, 2), oid.slice(2, 4), oid);
}

/** Enters a worktree, looks around in it before it is removed, and says what the tool answered. */
async function enter(at: Place, options: SessionOptions = {}, look = () => {}): Promise<string> {
  const opened = await open(at, [call('EnterWorktree', { name: 'w' }), say('Done.')], {
    sandbox: true,
    onQuestion: async () => ({ behaviour: 'allow' }),
    ...options,
  });
  await opened.prompt('Go');
  try {
    look();
  } finally {
    await opened.session.close();
  }
  return toolResultText(opened.model.requests.at(1) as ModelRequest);
}

const inWorktree = (at: Place, path: string) => join(at.cwd, '.cadre/worktrees/w', path);
const content = 'large\n'.repeat(300);
const present = { oid: createHash('sha256').update(content).digest('hex'), size: content.length };
const missing = { oid: '7'.padStart(64, '0'), size: 12345 };

for (const sandbox of [true, false])
  lfsTest(`Git LFS asks no server that a commit names, sandbox ${sandbox ? 'on' : 'off'}`, async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(404).end();
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/stolen`;
    const at = large(missing, {
      '.lfsconfig': `[lfs]\n\turl = ${url}\n[remote "origin"]\n\tlfsurl = ${url}\n`,
    });
    await enter(at, { sandbox }, () =>
      expect(readFileSync(inWorktree(at, 'x.bin'), 'utf8')).toStartWith('version https://git-lfs'),
    );
    expect(asked).toEqual([]);
  });

lfsTest('a link among the objects of Git LFS does not bring a file of the home into a worktree', async () => {
  const secret = 'PRIVATE KEY 0123456789\n';
  const object = { oid: '25'.padStart(64, '0'), size: secret.length };
  const at = large(object);
  const key = join(at.environment.HOME ?? '', '.ssh/id_rsa');
  write('/', { [key]: secret });
  mkdirSync(dirname(locateObject(at, object.oid)), { recursive: true });
  symlinkSync(key, locateObject(at, object.oid));
  await enter(at, {}, () =>
    expect(readFileSync(inWorktree(at, 'x.bin'), 'utf8')).toStartWith('version https://git-lfs'),
  );
});

lfsTest(
  'the configuration of the repository stays the same file: what protects it is mounted on it',
  async () => {
    const at = large(present);
    write('/', { [locateObject(at, present.oid)]: content });
    const file = join(at.cwd, '.git/config');
    const before = statSync(file).ino;
    await enter(at, {}, () => expect(readFileSync(inWorktree(at, 'x.bin'), 'utf8')).toBe(content));
    expect(statSync(file).ino).toBe(before);
  },
);

lfsTest(
  'content that Git LFS has here is in the worktree, beside files that commands may not write',
  async () => {
    const at = large(present, { '.github/workflows/ci.yml': 'on: push\n' });
    write('/', { [locateObject(at, present.oid)]: content });
    await enter(at, {}, () => {
      expect(readFileSync(inWorktree(at, 'x.bin'), 'utf8')).toBe(content);
      expect(readFileSync(inWorktree(at, '.github/workflows/ci.yml'), 'utf8')).toBe('on: push\n');
    });
  },
);

/** A repository with a trusted filter that is a script of its own. */
function scripted(script: string): Place {
  const at = repository();
  write(at.cwd, {
    'tools/smudge.sh': script,
    '.gitattributes': '*.txt2 filter=own\n',
    "z's %f.txt2": 'plain\n',
  });
  chmodSync(join(at.cwd, 'tools/smudge.sh'), 0o755);
  git(at.cwd, 'add', '--all');
  git(at.cwd, 'commit', '--quiet', '--message=Filter');
  for (const key of ['smudge', 'clean']) git(at.cwd, 'config', `filter.own.${key}`, './tools/smudge.sh %f');
  git(at.cwd, 'config', 'filter.own.required', 'true');
  return at;
}

confinedTest('a trusted filter that is a script of the repository has the reach of a command', async () => {
  const outside = join(dirname(repository().cwd), 'outside');
  const at = scripted(
    `#!/bin/sh\ntouch ${outside} .git/config.x ../x 2>/dev/null\necho "$HIDDEN_TOKEN" "$1"\ncat\n`,
  );
  const environment = { ...at.environment, HIDDEN_TOKEN: 'token-1' };
  await enter({ ...at, environment }, { trust: true }, () =>
    expect(readFileSync(inWorktree(at, "z's %f.txt2"), 'utf8')).toBe(" z's %f.txt2\nplain\n"),
  );
  expect(existsSync(outside)).toBe(false);
  expect(existsSync(join(at.cwd, '.cadre/worktrees/x'))).toBe(false);
});

confinedTest('a filter that fails in the sandbox is told with its own command', async () => {
  const at = scripted('#!/bin/sh\nexit 3\n');
  const said = await enter(at, { trust: true });
  expect(said).toContain('./tools/smudge.sh');
  expect(said).toContain('sandbox');
  expect(said).not.toContain('cadre_filter');
});
