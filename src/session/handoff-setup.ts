import { resolve } from 'node:path';
import { CheckQueue } from '../checks/check-queue.ts';
import type { ChecksPort, ClaimsPort, HandoffSetup } from '../handoffs/setup.ts';
import { timestamp } from '../lib/clock.ts';
import { openFileJudge } from './environment.ts';
import type { Kernel } from './kernel.ts';
import { judgeHandoff } from './receipts.ts';

/** What hand-offs need of a session. Loaded when the first of them begins. */
export async function openHandoffSetup(kernel: Kernel): Promise<HandoffSetup> {
  const { options, place, settings, trust, identity } = kernel;
  const [{ loadLibrary }, { readTranscriptRequests }] = await Promise.all([
    import('../handoffs/load-library.ts'),
    import('../handoffs/read-requests.ts'),
  ]);
  const { cwd, root, home, userHome } = place;
  const ended: ChecksEnded = {};
  const library = await loadLibrary({
    ...{ cwd, root, home, userHome, trust },
    judge: openFileJudge(place, settings, options),
    sources: options.settingSources,
    additionalDirectories: (options.additionalDirectories ?? []).map((path) => resolve(cwd, path)),
  });
  return {
    library,
    secrets: place.secrets,
    checks: openChecks(kernel, ended),
    claims: openClaims(kernel, ended),
    readRequests: async (agentId) =>
      options.persist === false ? undefined : readTranscriptRequests(identity.files.agentTranscript(agentId)),
  };
}

/** When checks last ended here. */
interface ChecksEnded {
  at?: string;
}

/** The project's checks, run as commands of the lead: by its permissions, in its sandbox. */
function openChecks({ roster, place, settings, events }: Kernel, ended: ChecksEnded): ChecksPort {
  const queue = new CheckQueue();
  const open = async () => {
    const lead = roster.find(null);
    if (!lead) throw new Error('the session is closed');
    const { openAgentChecks } = await import('../checks/agent-port.ts');
    const publish = events.publish.bind(events);
    const options = { root: place.root, settings: settings.checks, queue, publish };
    return openAgentChecks(lead.context, options);
  };
  return {
    define: async () => (await open()).define(),
    async run(signal, only) {
      const found = await (await open()).run(signal, only);
      ended.at = timestamp(place.clock);
      return found;
    },
  };
}

/** An agent that never started has recorded nothing. */
function openClaims(kernel: Kernel, ended: ChecksEnded): ClaimsPort {
  return {
    judge: (claims, { agentId = '', summary, ran }) =>
      judgeHandoff(kernel, claims, { agentId, summary, ran, ranAt: ended.at }),
  };
}
