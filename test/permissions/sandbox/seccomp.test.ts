import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { closedCalls, modeCalls } from '../../../src/sandbox/bwrap/calls.data.ts';
import { filterMachines, seccompFilter } from '../../../src/sandbox/bwrap/seccomp.ts';
import { kernelCalls } from './kernel-calls.data.ts';

const allow = 0x7fff0000;
const kill = 0x80000000;
const eperm = 0x50001;
const enosys = 0x50026;

/** The kernel's side of it, as far as the filter uses it. */
function run(program: Uint8Array, call: { arch: number; number: number; args?: number[] }): number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.number, true);
  data.setUint32(4, call.arch, true);
  (call.args ?? []).forEach((value, index) => {
    data.setUint32(16 + index * 8, value, true);
  });
  const code = new DataView(program.buffer);
  let value = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const operation = code.getUint16(at * 8, true);
    const [yes, no] = [code.getUint8(at * 8 + 2), code.getUint8(at * 8 + 3)];
    const operand = code.getUint32(at * 8 + 4, true);
    if (operation === 0x06) return operand;
    if (operation === 0x20) value = data.getUint32(operand, true);
    else if (operation === 0x54) value &= operand;
    else if (operation === 0x15) at += value === operand ? yes : no;
    else if (operation === 0x35) at += value >= operand ? yes : no;
    else if (operation === 0x45) at += (value & operand) !== 0 ? yes : no;
    else throw new Error(`operation ${operation}`);
  }
  throw new Error('ran off the end');
}

const machines = {
  x64: {
    ...{ arch: 0xc000003e, socket: 41, pair: 53, keyctl: 250, read: 0, column: 0, gap: 335 },
    ...{ clone: 56, unshare: 272, ioctl: 16, execve: 59, ptrace: 101 },
  },
  arm64: {
    ...{ arch: 0xc00000b7, socket: 198, pair: 199, keyctl: 219, read: 63, column: 1, gap: 403 },
    ...{ clone: 220, unshare: 97, ioctl: 29, execve: 221, ptrace: 117 },
  },
};

for (const [name, machine] of Object.entries(machines))
  describe(name, () => {
    const { arch } = machine;
    const closed = seccompFilter(name, false) ?? new Uint8Array();
    const open = seccompFilter(name, true) ?? new Uint8Array();
    const socket = (program: Uint8Array, family: number) =>
      run(program, { arch, number: machine.socket, args: [family, 1] });
    const pair = (program: Uint8Array, type: number) =>
      run(program, { arch, number: machine.pair, args: [1, type] });

    test('sockets of the internet and of the kernel are made, no others', () => {
      expect([2, 10, 16].map((family) => socket(closed, family))).toEqual([allow, allow, allow]);
      expect([1, 17, 31, 38, 40, 42].map((family) => socket(closed, family))).toEqual(Array(6).fill(eperm));
    });

    test('a pair that stays connected is made; one that could be connected anew is not', () => {
      expect([1, 5, 1 | 0o2000000 | 0o4000].map((type) => pair(closed, type))).toEqual(Array(3).fill(allow));
      expect([2, 3, 2 | 0o2000000].map((type) => pair(closed, type))).toEqual(Array(3).fill(eperm));
    });

    test('Unix sockets can be allowed, the rest of the closed families not', () => {
      expect([socket(open, 1), socket(open, 40), pair(open, 2)]).toEqual([allow, eperm, allow]);
    });

    test('io_uring is not there, keyrings are refused, everything else runs', () => {
      expect(run(closed, { arch, number: 425 })).toBe(enosys);
      expect(run(closed, { arch, number: machine.keyctl })).toBe(eperm);
      expect(run(closed, { arch, number: machine.read })).toBe(allow);
    });

    test('no file gets the right to run as its owner or group, by any call that sets a mode', () => {
      for (const [call, { numbers, mode, flags }] of Object.entries(modeCalls)) {
        const number = numbers[machine.column];
        if (typeof number !== 'number') continue;
        const answer = (bits: number, making = 0o100) => {
          const args = [0, 0, 0, 0];
          args[mode] = bits;
          if (flags !== undefined) args[flags] = making;
          return run(closed, { arch, number, args });
        };
        const answers = [0o4755, 0o2755, 0o6000, 0o755, 0o1777].map((bits) => answer(bits));
        expect([call, ...answers]).toEqual([call, eperm, eperm, eperm, allow, allow]);
        if (flags === undefined) continue;
        expect([call, answer(0o4755, 0), answer(0o4755, 0o20200000)]).toEqual([call, allow, eperm]);
      }
      expect(run(closed, { arch, number: 437 })).toBe(enosys);
    });

    test('every closed call of the table is answered as the table says', () => {
      for (const { answer, calls } of closedCalls)
        for (const [call, numbers] of Object.entries(calls)) {
          const number = numbers[machine.column];
          if (typeof number !== 'number') continue;
          const expected = answer === 'refuse' ? eperm : enosys;
          expect([call, run(closed, { arch, number })]).toEqual([call, expected]);
        }
    });

    test('calls that nobody has looked at are not there', () => {
      for (const number of [machine.gap, 423, 467, 1000]) expect(run(closed, { arch, number })).toBe(enosys);
      expect(run(closed, { arch, number: machine.execve })).toBe(allow);
      expect(run(closed, { arch, number: 466 })).toBe(allow);
    });

    test('processes and threads start, name spaces do not', () => {
      const clone = (flags: number) => run(closed, { arch, number: machine.clone, args: [flags] });
      const unshare = (flags: number) => run(closed, { arch, number: machine.unshare, args: [flags] });
      expect([clone(17), clone(0x3d0f00), unshare(0x400)]).toEqual([allow, allow, allow]);
      for (const bit of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000])
        expect([clone(bit | 17), unshare(bit)]).toEqual([eperm, eperm]);
      expect(unshare(0x80)).toBe(eperm);
    });

    test('nothing can be typed into a terminal', () => {
      const ioctl = (request: number) => run(closed, { arch, number: machine.ioctl, args: [0, request] });
      expect([ioctl(0x5412), ioctl(0x541c), ioctl(0x5413)]).toEqual([eperm, eperm, allow]);
    });

    test('any process inside may be traced except the first one', () => {
      const trace = (pid: number) => (request: number) =>
        run(closed, { arch, number: machine.ptrace, args: [request, pid] });
      // TRACEME, PEEKDATA, CONT, SETREGS, ATTACH, SETOPTIONS, GETREGSET, SEIZE, INTERRUPT.
      const requests = [0, 2, 7, 13, 16, 0x4200, 0x4204, 0x4206, 0x4207];
      expect(requests.map(trace(7))).toEqual(Array(9).fill(allow));
      expect(requests.map(trace(1))).toEqual(Array(9).fill(eperm));
    });

    test('of netlink only addresses and routes', () => {
      const netlink = (protocol: number) =>
        run(closed, { arch, number: machine.socket, args: [16, 3, protocol] });
      expect([netlink(0), netlink(4), netlink(9), netlink(12), netlink(16)]).toEqual([
        allow,
        ...Array(4).fill(eperm),
      ]);
    });

    test('calls of another architecture end the process', () => {
      expect(run(closed, { arch: 0x40000003, number: 1 })).toBe(kill);
    });
  });

test('x64: the second way to call the kernel is closed', () => {
  const program = seccompFilter('x64', false) ?? new Uint8Array();
  expect(run(program, { arch: 0xc000003e, number: 0x40000000 + 41, args: [1] })).toBe(enosys);
});

test('there is none for other machines', () => {
  expect(seccompFilter('ppc64', false)).toBeUndefined();
});

describe("numbers of calls are the kernel's", () => {
  const ours = {
    ...Object.assign({}, ...closedCalls.map(({ calls }) => calls)),
    ...Object.fromEntries(Object.entries(modeCalls).map(([name, { numbers }]) => [name, numbers])),
    ...Object.fromEntries(
      (['socket', 'socketpair', 'clone', 'unshare', 'ioctl', 'ptrace'] as const).map((name) => [
        name,
        [filterMachines.x64[name], filterMachines.arm64[name]],
      ]),
    ),
  };
  const table = kernelCalls
    .trim()
    .split('\n')
    .map((line) => line.split(' '));

  test('of every call that a filter names', () => {
    const told = table.map(([name, ...numbers]) => [
      name,
      numbers.map((number) => (number === '-' ? null : Number(number))),
    ]);
    expect(ours).toEqual(Object.fromEntries(told));
  });

  const headers = ['/usr/include/x86_64-linux-gnu/asm/unistd_64.h', '/usr/include/asm-generic/unistd.h'];
  test('as its headers on this machine have them, where they are installed', () => {
    for (const [column, header] of headers.entries()) {
      if (!existsSync(header)) continue;
      const text = readFileSync(header, 'utf8');
      const numbers = new Map(
        [...text.matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)/gm)].map(([, name, number]) => [
          name,
          number,
        ]),
      );
      for (const [name, ...told] of table)
        if (numbers.has(name)) expect([name, told[column]]).toEqual([name, numbers.get(name)]);
    }
  });
});
