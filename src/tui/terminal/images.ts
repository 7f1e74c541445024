import { programPath } from '../../workspace/search-path.ts';
import type { Desk } from '../desk.ts';
import {
  addImage,
  clipboardRunner,
  type Editor,
  findImagePath,
  pasteText,
  readClipboardImage,
  readImage,
} from '../editor/index.ts';

/** Takes the typed text from here on. */
type Write = (editor: Editor) => void;

/** Adds an image from the clipboard to the prompt. */
export async function pasteImage(desk: Desk, write: Write): Promise<void> {
  const { clock } = desk.app;
  const given = definedOnly(desk.world.environment);
  const { cwd } = desk.session.info();
  const env = { ...given, PATH: programPath(given.PATH ?? '', cwd, given.HOME || '/') };
  // Not the repository's directory: a program there must not be taken for the desktop's.
  const run = clipboardRunner({ cwd: '/', env, clock });
  add(desk, await readClipboardImage(run, process.platform, env), write);
}

/** Adds pasted text to the prompt: the image if it is the path of one, otherwise the text as it is. */
export async function paste(desk: Desk, text: string, write: Write): Promise<void> {
  const path = findImagePath(text, desk.app.look.home);
  const image = path === undefined ? undefined : await readImage(path);
  if (!image?.ok) write(pasteText(desk.app.state.editor, text));
  if (image) add(desk, image, write);
}

function add(desk: Desk, image: Awaited<ReturnType<typeof readImage>>, write: Write): void {
  if (image.ok) write(addImage(desk.app.state.editor, image.value));
  else desk.hint([image.problem.message, image.problem.hint].filter(Boolean).join(' '));
}

function definedOnly(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
