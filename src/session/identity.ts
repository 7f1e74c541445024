import type { SessionLayout } from '../store/layout.ts';

/** Which session this is and where its files are. */
export interface Identity {
  id: string;
  files: SessionLayout;
  /** True when the transcript exists and is appended to. */
  goesOn: boolean;
}
