import { expect } from 'bun:test';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { needs } from '../../support/index.ts';
import { put, room, run } from './support.ts';

const test = needs('bwrap');

/** Every way to set a mode that the C library, or the kernel itself, offers. */
const attempts = `
import ctypes, os, struct
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, act):
    try:
        act(name)
    except OSError:
        pass
def made(name):
    open(name, 'w').close()
    return name
for bits in (0o4755, 0o2755, 0o6755):
    tag = oct(bits)[2:]
    attempt('chmod' + tag, lambda name: os.chmod(made(name), bits))
    attempt('fchmod' + tag, lambda name: os.fchmod(os.open(name, os.O_CREAT | os.O_WRONLY), bits))
    attempt('open' + tag, lambda name: os.open(name, os.O_CREAT | os.O_WRONLY, bits))
    attempt('mknod' + tag, lambda name: os.mknod(name, bits | 0o100000))
    attempt('creat' + tag, lambda name: libc.creat(name.encode(), bits))
    attempt('rawopen' + tag, lambda name: libc.syscall(2, name.encode(), 0o101, bits))
    attempt('fchmodat2' + tag, lambda name: libc.syscall(452, -100, made(name).encode(), bits, 0))
    how = struct.pack('QQQ', os.O_CREAT | os.O_WRONLY, bits, 0)
    attempt('openat2' + tag, lambda name: libc.syscall(437, -100, name.encode(), how, len(how)))
    def temporary(name):
        file = os.open('.', os.O_TMPFILE | os.O_RDWR, bits)
        os.link('/proc/self/fd/%d' % file, name, follow_symlinks=True)
    attempt('tmpfile' + tag, temporary)
`;

needs('python3')('a command leaves no file that runs as its owner or group', async () => {
  const at = room();
  put(at, { 'try.py': attempts });
  await run(
    at,
    'umask 0; python3 try.py; cp /bin/sh shell; chmod u+s shell; install -m 2755 shell shell2; cp -p shell shell3',
  );
  const modes = readdirSync(at.cwd).map((name) => [name, statSync(join(at.cwd, name)).mode & 0o6000]);
  expect(modes.filter(([, bits]) => bits !== 0)).toEqual([]);
  expect(modes.length).toBeGreaterThan(10);
});

test('a refusal says so, and other modes are set as ever', async () => {
  const at = room();
  const { text } = await run(at, 'touch a; chmod 4755 a; chmod 1750 a; mkdir -m 1777 d; stat -c %a a d');
  expect(text).toContain('Operation not permitted');
  expect(text).toEndWith('1750\n1777\n');
});
