import type { Desk } from './desk.ts';
import { addImage, clipboardRunner, imagePathIn, readClipboardImage, readImage } from './editor/index.ts';

/** An image from the clipboard joins what is typed. */
export async function pasteImage(desk: Desk): Promise<void> {
  const { clock } = desk.app;
  const env = definedOnly(desk.world.environment);
  // Not the repository's directory: a program there must not be taken for the desktop's.
  const run = clipboardRunner({ cwd: '/', env, clock });
  add(desk, await readClipboardImage(run, process.platform, env));
}

/** True when what was pasted is the path of an image, which is then read. */
export function pastedImage(desk: Desk, text: string): boolean {
  const path = imagePathIn(text, desk.app.look.home);
  if (path === undefined) return false;
  void readImage(path).then((image) => add(desk, image));
  return true;
}

function add(desk: Desk, image: Awaited<ReturnType<typeof readImage>>): void {
  if (image.ok) desk.app.change({ editor: addImage(desk.app.state.editor, image.value) });
  else desk.hint([image.problem.message, image.problem.hint].filter(Boolean).join(' '));
}

function definedOnly(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
