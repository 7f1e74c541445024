/**
 * Started by `race-ground.ts` as a process of its own, often a confined one: exchanges files and directories of the
 * workspace with links that lead out of it, as fast as it can, until it is ended. Arguments: pairs of paths. With
 * `--mount FILE` it mounts the second of each pair over the first instead, in a name space of its own, and makes the file
 * once that has worked.
 */
import { dlopen, FFIType } from 'bun:ffi';
import { writeFileSync } from 'node:fs';

const { symbols } = dlopen('libc.so.6', {
  renameat2: {
    args: [FFIType.i32, FFIType.cstring, FFIType.i32, FFIType.cstring, FFIType.u32],
    returns: FFIType.i32,
  },
  mount: {
    args: [FFIType.cstring, FFIType.cstring, FFIType.ptr, FFIType.u64, FFIType.ptr],
    returns: FFIType.i32,
  },
  umount2: { args: [FFIType.cstring, FFIType.i32], returns: FFIType.i32 },
});
const here = -100;
const exchange = 2;
const bind = 4096n;
const detach = 2;
const given = process.argv.slice(2);
const mark = given[0] === '--mount' ? given.splice(0, 2)[1] : undefined;
const names = given.map((path) => Buffer.from(`${path}\0`));
const pairs = names.flatMap((one, at) => {
  const other = names[at + 1];
  return at % 2 === 0 && other ? [[one, other] as const] : [];
});

const parent = process.ppid;

// Nobody is left behind by a test that was killed.
while (process.ppid === parent) {
  for (const [one, other] of pairs) {
    if (mark === undefined) symbols.renameat2(here, one, here, other, exchange);
    else if (symbols.mount(other, one, null, bind, null) === 0) {
      writeFileSync(mark, '');
      symbols.umount2(one, detach);
    }
  }
  // Now and then a rest, this way round or the other, in which a tool can come to its end.
  if (Math.random() < 0.02) await Bun.sleep(Math.random() * 2);
}
