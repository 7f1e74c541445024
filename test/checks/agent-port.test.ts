import { expect, test } from 'bun:test';
import { openAgentChecks } from '../../src/checks/agent-port.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { AgentEvent, Answer, Rule, Tool } from '../../src/protocol/index.ts';
import { parseRule } from '../../src/settings/rules.ts';
import { bashTool } from '../../src/tools/bash/bash.ts';
import { stage } from '../loop/support.ts';
import { toolContextForTests } from '../tools/support.ts';

/** An agent in a project whose linter passes and whose tests fail; `answer` is what the user says to each question. */
function openProject(answer: Answer, rules: readonly Rule[] = []) {
  const hands = toolContextForTests();
  hands.write(
    'Makefile',
    'test:\n\t@mkdir coverage; printf "LF:4\\nLH:3\\n" > coverage/lcov.info; exit 1\nlint:\n\t@echo fine\n',
  );
  const asked: string[] = [];
  const { agent } = stage([], {
    tools: [bashTool as Tool],
    cwd: hands.root,
    permissions: { rules },
    hands: { shell: hands.shell, outputs: hands.outputs },
    answer(question) {
      asked.push((question as unknown as { input: { command: string } }).input.command);
      return answer;
    },
  });
  const events: AgentEvent[] = [];
  const checks = openAgentChecks(
    { ...agent, clock: systemClock },
    { root: hands.root, publish: (event) => void events.push(event) },
  );
  return { asked, events, run: () => checks.run(new AbortController().signal, ['lint', 'tests']) };
}

test("HO7: checks run as the agent's own commands do: the user is asked, and their exit codes decide", async () => {
  const { asked, events, run } = openProject({ behaviour: 'allow' });
  const findings = await run();
  expect(findings.lint).toEqual({ passed: true, errors: [] });
  expect(findings.tests).toMatchObject({ passed: false, failures: [expect.stringContaining('exit code 2')] });
  expect(asked.sort()).toEqual(['make lint', 'make test']);
  expect(events.filter(({ type }) => type === 'tool_started')).toHaveLength(2);
});

test('HO7: a check that the user refuses is not run, and not passed', async () => {
  const findings = await openProject({ behaviour: 'deny', message: 'Not now.' }).run();
  expect(findings.tests).toMatchObject({ passed: false, not_run: expect.stringContaining('Not now.') });
});

test('HO7: a report that the agent may not read is not read for it', async () => {
  const rule = parseRule('Read(**/coverage/**)', 'deny', 'user', 'settings.json', '/');
  if (!rule.ok) throw new Error(rule.problem.message);
  const answer: Answer = { behaviour: 'allow' };
  expect((await openProject(answer).run()).tests).toMatchObject({ coverage: 75 });
  expect((await openProject(answer, [rule.value]).run()).tests).toMatchObject({ coverage: null });
});
