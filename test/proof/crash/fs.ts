// `node:fs` of the test build: the same, with a point before, during and after every call that changes something.

import * as real from 'node:fs';
import { end, type Moment, pass } from './points.ts';

export const { accessSync, constants, createReadStream, existsSync, fchmodSync, fchownSync, fstatSync } =
  real;
export const { fsync, fsyncSync, lstatSync, readdirSync, readFileSync, readlinkSync, readSync } = real;
export const { read, realpathSync, statfsSync, statSync, watch } = real;

type Act<A extends unknown[], R> = (...given: A) => R;

function around<A extends unknown[], R>(action: string, act: Act<A, R>, which = 0): Act<A, R> {
  return (...given) => {
    const path = given[which];
    pass('before', action, path);
    const done = act(...given);
    pass('after', action, path);
    return done;
  };
}

export const renameSync = around('rename', real.renameSync, 1);
export const linkSync = around('link', real.linkSync, 1);
export const symlinkSync = around('symlink', real.symlinkSync, 1);
export const unlinkSync = around('unlink', real.unlinkSync);
export const rmdirSync = around('rmdir', real.rmdirSync as Act<Parameters<typeof real.rmdirSync>, void>);
export const rmSync = around('rm', real.rmSync);
export const chmodSync = around('chmod', real.chmodSync);
export const utimesSync = around('utimes', real.utimesSync);
export const lutimesSync = around('lutimes', real.lutimesSync);
export const copyFileSync = around('copy', real.copyFileSync, 1);
export const mkdirSync = around('mkdir', real.mkdirSync as Act<Parameters<typeof real.mkdirSync>, undefined>);
export const mkdtempSync = around(
  'mkdtemp',
  real.mkdtempSync as Act<Parameters<typeof real.mkdtempSync>, string>,
);

const open = new Map<number, string>();

/** Opening is a point where it makes a file or empties one. */
export const openSync: typeof real.openSync = (path, flags, mode) => {
  const makes =
    typeof flags === 'string' ? /[wa]/.test(flags) : ((flags ?? 0) & real.constants.O_CREAT) !== 0;
  if (makes) pass('before', 'open', path);
  const file = real.openSync(path, flags, mode);
  open.set(file, String(path));
  if (makes) pass('after', 'open', path);
  return file;
};

export const closeSync: typeof real.closeSync = (file) => {
  open.delete(file);
  real.closeSync(file);
};

export const ftruncateSync: typeof real.ftruncateSync = (file, length) => {
  const at = (moment: Moment) => pass(moment, 'truncate', open.get(file));
  at('before');
  real.ftruncateSync(file, length);
  at('after');
};

/** The descriptor may have been opened by another way; its bytes say what it is. */
export const writeSync = ((file: number, bytes: Uint8Array | string, ...more: number[]) => {
  if (file <= 2) return write(file, bytes, ...more);
  const type = /^\n?\{"type":"([a-z-]+)"/.exec(Buffer.from(bytes).subarray(0, 60).toString('latin1'))?.[1];
  const at = (moment: Moment) => pass(moment, 'append', open.get(file) ?? 'file', type);
  at('before');
  if (at('during')) {
    write(file, Buffer.from(bytes).subarray(0, Math.ceil(bytes.length / 2)));
    end();
  }
  const written = write(file, bytes, ...more);
  at('after');
  return written;
}) as typeof real.writeSync;

const write = real.writeSync as (file: number, bytes: Uint8Array | string, ...more: number[]) => number;

export const writeFileSync: typeof real.writeFileSync = (path, data, options) => {
  const at = (moment: Moment) => pass(moment, 'write', path);
  at('before');
  if (at('during')) {
    const bytes = typeof data === 'string' ? Buffer.from(data) : Buffer.from(data.buffer);
    real.writeFileSync(path, bytes.subarray(0, bytes.length / 2), options);
    end();
  }
  real.writeFileSync(path, data, options);
  at('after');
};

export const appendFileSync: typeof real.appendFileSync = (path, data, options) => {
  pass('before', 'append', path);
  real.appendFileSync(path, data, options);
  pass('after', 'append', path);
};
