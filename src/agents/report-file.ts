import { appendFileSync, closeSync, openSync, truncateSync } from 'node:fs';

export interface ReportFile {
  add(text: string): void;
  close(): void;
}

/** What an agent says in one run, as it says it: for whoever wants to look, and what is left of it after a crash. */
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
        // A full disk costs this copy; the transcript is what counts, and says so itself.
      }
    },
    close() {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

/** What it said before was that run's result: this one must not hand it over again. */
function forgetEarlierRun(path: string): void {
  try {
    truncateSync(path);
  } catch {
    // There was none.
  }
}
