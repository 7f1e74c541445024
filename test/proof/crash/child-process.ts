// `node:child_process` of the test build, with a point before and after a process is started.

import * as real from 'node:child_process';
import { basename } from 'node:path';
import { pass } from './points.ts';

export const { execFile } = real;

export const spawn = ((file: string, ...more: [readonly string[], real.SpawnOptions]) => {
  pass('before', 'start', basename(file));
  const child = real.spawn(file, ...more);
  pass('after', 'start', basename(file));
  return child;
}) as typeof real.spawn;

export const spawnSync = ((file: string, ...more: [readonly string[], real.SpawnSyncOptions]) => {
  pass('before', 'run', basename(file));
  const ended = real.spawnSync(file, ...more);
  pass('after', 'run', basename(file));
  return ended;
}) as typeof real.spawnSync;
