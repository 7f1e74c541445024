/**
 * Started by `race-ground.ts` as a process of its own, often a confined one: exchanges files and directories of the
 * workspace with links that lead out of it, as fast as it can, until it is ended. Arguments: pairs of paths.
 */
import { dlopen, FFIType } from 'bun:ffi';

const { symbols } = dlopen('libc.so.6', {
  renameat2: {
    args: [FFIType.i32, FFIType.cstring, FFIType.i32, FFIType.cstring, FFIType.u32],
    returns: FFIType.i32,
  },
});
const here = -100;
const exchange = 2;
const names = process.argv.slice(2).map((path) => Buffer.from(`${path}\0`));
const pairs = names.flatMap((one, at) => {
  const other = names[at + 1];
  return at % 2 === 0 && other ? [[one, other] as const] : [];
});

for (;;) {
  for (const [one, other] of pairs) symbols.renameat2(here, one, here, other, exchange);
  // Now and then a rest, this way round or the other, in which a tool can come to its end.
  if (Math.random() < 0.02) await Bun.sleep(Math.random() * 2);
}
