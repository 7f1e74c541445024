import { appendFileSync, closeSync, constants, ftruncateSync } from 'node:fs';
import { openRegular } from '../lib/files/open-regular.ts';

export interface ReportFile {
  add(text: string): void;
  close(): void;
}

/** An agent's output in one run, as it comes: for users who want to look, and as what remains after a crash. */
export function openReport(path: string): ReportFile {
  let file: number | undefined;
  forgetEarlierRun(path);
  return {
    add(text) {
      if (text.trim() === '') return;
      try {
        file ??= openRegular(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT);
        appendFileSync(file, `${text}\n`);
      } catch {
        // A full disk costs only this copy; the transcript reports its own failures.
      }
    },
    close() {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

/** Its earlier output was the earlier run's result: this run must not deliver it again. */
function forgetEarlierRun(path: string): void {
  try {
    const file = openRegular(path, constants.O_WRONLY);
    ftruncateSync(file);
    closeSync(file);
  } catch {
    // The file did not exist.
  }
}
