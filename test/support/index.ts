export { type TemporaryDirectory, temporaryDirectory } from './directory.ts';
export { type SmallDisk, smallDisk } from './disk.ts';
export { needs, needsThat } from './needs.ts';
export { nobody, runUnprivileged } from './unprivileged.ts';
