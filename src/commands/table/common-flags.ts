import { repeated, text, toggle } from './flag.ts';

/** Flags that several commands have. Those that `cadre` itself has too are passed on to commands that it runs. */
export const json = toggle('print JSON');
export const yes = toggle('do not ask');
export const addDir = (about: string) => repeated('directory', about);
export const pluginDir = (about: string) => repeated('directory', about);
export const agents = (about: string) => text('json-or-file', about);
export const settings = (about: string) => text('file-or-json', about);
export const trust = (about: string) => toggle(about);
