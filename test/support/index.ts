export { aTick } from './a-tick.ts';
export { type TemporaryDirectory, temporaryDirectory } from './directory.ts';
export { type SmallDisk, smallDisk } from './disk.ts';
export { needs, needsThat } from './needs.ts';
export { passTime } from './pass-time.ts';
export { betweenLooksMs, openPane, type Pane } from './tmux.ts';
export { describeTree, writeTree } from './tree.ts';
export { nobody, runUnprivileged } from './unprivileged.ts';
export { until } from './until.ts';
