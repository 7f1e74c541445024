import { appendFileSync, closeSync, openSync, truncateSync } from 'node:fs';

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
        file ??= openSync(path, 'a', 0o600);
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
    truncateSync(path);
  } catch {
    // The file did not exist.
  }
}
