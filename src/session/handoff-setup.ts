import { resolve } from 'node:path';
import type { ChecksPort, ClaimsPort, HandoffSetup } from '../handoffs/setup.ts';
import { openFileJudge } from './environment.ts';
import type { Kernel } from './kernel.ts';

/** What hand-offs need of a session. Loaded when the first of them begins. */
export async function openHandoffSetup(
  { options, place, settings, trust, identity }: Kernel,
  { checks, claims }: { checks?: ChecksPort | undefined; claims?: ClaimsPort | undefined } = {},
): Promise<HandoffSetup> {
  const [{ loadLibrary }, { readTranscriptRequests }] = await Promise.all([
    import('../handoffs/load-library.ts'),
    import('../handoffs/read-requests.ts'),
  ]);
  const { cwd, root, home, userHome } = place;
  const library = await loadLibrary({
    ...{ cwd, root, home, userHome, trust },
    judge: openFileJudge(place, settings, options),
    sources: options.settingSources,
    additionalDirectories: (options.additionalDirectories ?? []).map((path) => resolve(cwd, path)),
  });
  return {
    ...{ library, checks, claims, secrets: place.secrets },
    readRequests: async (agentId) =>
      options.persist === false ? undefined : readTranscriptRequests(identity.files.agentTranscript(agentId)),
  };
}
