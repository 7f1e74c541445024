import type { RealPath } from '../../lib/files/real-places.ts';
import type { DecodedText } from './text-file.ts';

/** A file before a change. */
export interface CurrentFile extends DecodedText {
  real: RealPath;
  bytes: Uint8Array;
  mode: number;
  owner: { uid: number; gid: number };
  version: string;
  /** The number of names of the file: with several, all of them must see the change. */
  links: number;
}
