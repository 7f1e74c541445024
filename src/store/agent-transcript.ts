import { existsSync } from 'node:fs';
import { ok, type Result } from '../lib/result.ts';
import type { HeaderRecord, TranscriptRecord } from '../protocol/record.ts';
import type { RecordChain } from './anchors/record-chain.ts';
import { fenceTranscript, stampEpoch, type WriteFence } from './fence.ts';
import { createTranscript, reopenTranscript, type Transcript } from './transcript.ts';

/** The transcript of one agent other than the lead, created at its first record and continued in later runs. */
export interface AgentTranscript {
  append(record: TranscriptRecord): Result<void>;
  /** Fails once another process has the session: nothing more may be begun. */
  check(): Result<void>;
  /** As of any transcript. */
  synced(): Promise<void> | undefined;
  close(): void;
}

export function openAgentTranscript(
  path: string,
  header: () => HeaderRecord,
  fence?: WriteFence,
  chain?: RecordChain,
): AgentTranscript {
  let transcript: Transcript | undefined;
  const open = (): Result<Transcript> => {
    if (transcript) return ok(transcript);
    const held = fence?.check() ?? ok(undefined);
    if (!held.ok) return held;
    const first = () => (fence ? stampEpoch(header(), fence) : header());
    const opened = existsSync(path)
      ? reopenTranscript(path, undefined, chain)
      : createTranscript(path, first(), undefined, chain);
    if (!opened.ok) return opened;
    transcript = fenceTranscript(opened.value, fence);
    return ok(transcript);
  };
  return {
    append(record) {
      const opened = open();
      return opened.ok ? opened.value.append(record) : opened;
    },
    check: () => fence?.check() ?? ok(undefined),
    synced: () => transcript?.synced(),
    close() {
      transcript?.close();
      transcript = undefined;
    },
  };
}

/** Where nothing is kept on disk: keeps what resuming an agent needs while the session lives. */
export function memoryTranscript(kept: Exclude<TranscriptRecord, HeaderRecord>[]): AgentTranscript {
  return {
    append(record) {
      if (record.type !== 'cadre-transcript') kept.push(record);
      return ok(undefined);
    },
    check: () => ok(undefined),
    synced: () => undefined,
    close() {},
  };
}
