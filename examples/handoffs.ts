/**
 * Hand-offs: phases in fresh contexts, joined by typed answers. Here the agents are scripted, so that it runs without a key:
 * the run is an object of this program that answers each call. The second attempt of the writer passes the tests.
 */
import {
  type AgentCallEnd,
  type CheckReport,
  chain,
  loadBuiltInLibrary,
  phase,
  type RunPort,
  renderResult,
  runPattern,
} from 'cadre';

const answers: Record<string, object> = {
  researcher: {
    findings: { existing_implementations: [], conflicts: [], patterns_found: [], recommendations: [] },
    context_summary: 'Dates are formatted in src/date.ts; tests are in test/date.test.ts.',
  },
  writer: {
    findings: { files_changed: [{ path: 'src/date.ts', change: 'modified' }], tests_written: [] },
    context_summary: 'formatDate() takes a time zone.',
  },
  validator: {
    findings: { explanations: [] },
    context_summary: 'The change does what was asked.',
  },
};

const run: RunPort = {
  id: 'example',
  signal: new AbortController().signal,
  async agent(_prompt, { label = '', model, tools = [] } = {}): Promise<AgentCallEnd> {
    console.log(`> ${label} (${model}): ${tools.slice(0, 4).join(', ')} …`);
    const value = { status: 'complete', decision: 'PROCEED', ...answers[label] };
    const usage = {
      input_tokens: 900,
      output_tokens: 100,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    };
    return { outcome: 'ok', value, text: '', usage, verdict: 'EXECUTED' };
  },
  step: ({ work }) => work(new AbortController().signal),
  ask: async () => undefined,
  phase: () => {},
  log: () => {},
  spent: () => ({
    input_tokens: 0,
    output_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  }),
};

/** What the project's tests say: they fail once. */
const reports: CheckReport[] = [
  { tests: { passed: false, coverage: null, failures: ['date.test.ts: expected 12:00, got 13:00'] } },
  { tests: { passed: true, coverage: 87, failures: [] } },
];

const pattern = chain(
  phase('researcher'),
  phase('writer', { timeoutMs: 600_000 }),
  phase('validator', { checks: ['tests'] }),
);

const result = await runPattern(run, pattern, {
  task: { feature: 'Let formatDate() take a time zone.', constraints: ['No new dependencies.'] },
  setup: { library: await loadBuiltInLibrary(), checks: { run: async () => reports.shift() ?? {} } },
});

console.log(renderResult(result));
// The type of the findings is that of the last phase.
console.log(`coverage: ${result.findings?.checks.tests.coverage}`);
