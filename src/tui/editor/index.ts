export { applyKey, type KeyEffect, type KeyResult } from './apply-key.ts';
export type { Attachment } from './attachments.ts';
export { clipboardPrograms, clipboardRunner, type RunProgram, readClipboardImage } from './clipboard.ts';
export { type Completion, complete, findCompletion } from './completion.ts';
export {
  createEditor,
  displayText,
  type Editor,
  emptyEditor,
  inputMode,
  isEmpty,
  reopenPrompt,
} from './editor.ts';
export { type Expanded, expandEditor, expandText, hasImage } from './expand.ts';
export { type FileLister, type FileListOptions, listFiles } from './files.ts';
export type { EditorContext } from './history.ts';
export { decodeImage, findImagePath, readImage } from './images.ts';

export { type EditorLayout, layoutEditor, type Row } from './layout.ts';
export { addImage, type Image, pasteText, withEdited } from './paste.ts';
export { type CandidateIndex, indexCandidates, type Ranked, rank } from './rank.ts';
export { type PastPrompt, recordPrompt, restorePrompt } from './recall.ts';
