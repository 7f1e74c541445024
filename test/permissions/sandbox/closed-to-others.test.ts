import { describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileSync as writeExact } from '../../../src/lib/files/exact-files.ts';
import { findClosedToOthers } from '../../../src/sandbox/closed-to-others.ts';
import { openLooks } from '../../../src/sandbox/guard/look.ts';
import { ToolChainSecrets } from '../../../src/sandbox/tool-chain-secrets.ts';
import { buildSandboxView } from '../../../src/sandbox/view.ts';
import { temporaryDirectory } from '../../support/index.ts';

/** Files with their modes; a name that ends in a slash is a directory. */
function tree(entries: Record<string, number>): string {
  const { path: top } = temporaryDirectory();
  for (const [name, mode] of Object.entries(entries)) {
    const path = join(top, name);
    mkdirSync(name.endsWith('/') ? path : dirname(path), { recursive: true });
    if (!name.endsWith('/')) writeFileSync(path, 'text');
    chmodSync(path, mode);
  }
  return top;
}

const found = (top: string, depth?: number) =>
  findClosedToOthers([{ top, ...(depth === undefined ? {} : { depth }) }])
    .map((path) => path.slice(top.length + 1))
    .sort();

describe('what others cannot read of the machine', () => {
  test('is found wherever it is: files, and directories as a whole', () => {
    const top = tree({
      ...{ 'app/tls.key': 0o600, 'app/a': 0o644, 'app/b': 0o644, 'wpa.conf': 0o640, hosts: 0o644 },
      ...{ 'closed/x': 0o644, 'closed/': 0o700, 'a/b/c/d/token': 0o600, 'a/b/c/d/open': 0o644 },
    });
    expect(found(top)).toEqual(['a/b/c/d/token', 'app/tls.key', 'closed', 'wpa.conf']);
  });

  test('a directory that can be passed through is looked into', () => {
    expect(found(tree({ 'pass/open': 0o644, 'pass/shut': 0o600, 'pass/': 0o711 }))).toEqual(['pass/shut']);
  });

  test('a directory that holds little else is hidden as a whole', () => {
    expect(found(tree({ 'app/tls.key': 0o600, 'app/api_token': 0o600, 'app/readme': 0o644 }))).toEqual([
      'app',
    ]);
  });

  test('many are hidden by their directories', () => {
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        [`service-${index % 6}/key-${index}`, 0o600],
        ...Array.from({ length: 2 }, (_, more) => [`service-${index % 6}/open-${index}-${more}`, 0o644]),
      ]).flat() as [string, number][],
    );
    expect(found(tree(many))).toEqual([0, 1, 2, 3, 4, 5].map((index) => `service-${index}`));
  });

  test('of trees that are no settings only what is near the top', () => {
    const top = tree({ 'a/secret': 0o600, 'a/1': 0o644, 'a/2': 0o644, 'a/b/c/secret': 0o600 });
    expect(found(top, 3)).toEqual(['a/secret']);
  });

  test('is hidden, but not in the workspace, nor around a program', () => {
    const top = tree({ 'etc/key': 0o600, 'work/.env.key': 0o600, 'tools/bin/x': 0o755, 'tools/': 0o700 });
    const closed = ['etc/key', 'work/.env.key', 'tools'].map((name) => join(top, name));
    expect(hiddenIn(top, places(closed), join(top, 'tools/bin'))).toEqual(['etc/key']);
  });

  test('with its directory, where it was replaced or is gone: nothing can be mounted on what comes and goes', () => {
    const top = tree({ 'app/one': 0o600, 'app/two': 0o600, 'tools/bin/x': 0o755, 'tools/key': 0o600 });
    const closed = places(['app/one', 'app/two', 'tools/key'].map((name) => join(top, name)));
    rmSync(join(top, 'app/one'));
    expect(hiddenIn(top, closed)).toEqual(['app', 'app/two', 'tools/key']);
    // Not around a program: there the new file itself is hidden.
    writeFileSync(join(top, 'aside'), 'text');
    renameSync(join(top, 'aside'), join(top, 'tools/key'));
    expect(hiddenIn(top, closed, join(top, 'tools/bin'))).toEqual(['app', 'app/two', 'tools/key']);
    expect(hiddenIn(top, closed)).toEqual(['app', 'app/two', 'tools']);
  });

  test('is found by the bytes of its name', () => {
    const top = tree({ 'app/a': 0o644 });
    writeExact(`${top}/app/f\udce9`, 'text', { mode: 0o600 });
    expect(found(top)).toEqual(['app/f\udce9']);
  });
});

const places = (paths: readonly string[]) => paths.map((path) => ({ path, node: statSync(path).ino }));

/** What a command finds hidden below a directory in which it works. */
function hiddenIn(top: string, closed: ReturnType<typeof places>, programs = ''): string[] {
  const work = join(top, 'work');
  const view = buildSandboxView(
    {
      ...{ userHome: join(top, 'user'), home: join(top, 'user/.cadre'), environment: {} },
      ...{ workspace: [work], roots: [work], programs },
      system: { hidden: [], shown: [], links: [], closed },
      secrets: new ToolChainSecrets(),
    },
    openLooks(),
  );
  const names = view.hidden.map((path) => path.slice(top.length + 1));
  return names.filter((name) => name !== 'user').sort();
}
