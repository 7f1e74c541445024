/** A team: two teammates that work side by side, write to each other and report by mail. The model is scripted, so that it runs without a key. */
import { openSession, textOf } from 'cadre';
import type { ModelRequest } from 'cadre/protocol';
import { call, calls, say, scriptedModel } from 'cadre/testing';

/** Creates the team, starts both, and ends the team when both have reported. */
const steps = [
  call('TeamCreate', { team_name: 'readers' }),
  calls([
    call('Agent', { name: 'ada', description: 'Ask bo', prompt: 'You are ada: ask bo.' }),
    call('Agent', { name: 'bo', description: 'Answer ada', prompt: 'You are bo: wait for ada.' }),
  ]),
];
let hasEnded = false;
const lead = scriptedModel((request) => {
  const step = steps.shift();
  if (step) return step;
  const said = readText(request);
  if (hasEnded || !said.includes('ada has its answer') || !said.includes('bo has answered'))
    return say(hasEnded ? 'The team has ended.' : 'I wait for their reports.');
  hasEnded = true;
  return call('TeamDelete', {});
});

/** Mail arrives as a message that names its sender. */
const teammate = scriptedModel((request) => {
  const said = readText(request);
  const isAda = said.includes('You are ada');
  const isWritten = request.messages.some(({ role }) => role === 'assistant');
  if (isAda && !isWritten) return call('SendMessage', { to: 'bo', message: 'Which file is first?' });
  if (isAda) return say(said.includes('package.json is') ? 'ada has its answer' : 'ada waits');
  if (!said.includes('Which file is first?')) return say('bo waits');
  const last = request.messages.at(-1);
  if (last && textOf(last.content).includes('Which file is first?'))
    return call('SendMessage', { to: 'ada', message: 'package.json is.' });
  return say('bo has answered');
});

const opened = await openSession({
  model: {
    ...lead,
    stream: (request, signal) => (request.asker?.agentId == null ? lead : teammate).stream(request, signal),
  },
});
if (!opened.ok) throw new Error(`${opened.problem.message} ${opened.problem.hint ?? ''}`);

const session = opened.value;
const watching = watch();
await session.run('Let ada and bo talk.');
await session.finished(AbortSignal.timeout(60_000));
await session.close();
console.log(await watching);

/** Prints what teammates write to each other. Returns the leader's last words. */
async function watch(): Promise<string> {
  let last = '';
  for await (const event of session.events()) {
    if (event.type === 'mail_moved' && event.state === 'written' && event.mail.kind === 'text')
      console.log(`${event.mail.from} to ${event.mail.to}: ${event.mail.text}`);
    if (event.type === 'run_ended' && event.agentId === null) last = event.outcome.text;
  }
  return last;
}

function readText({ messages }: ModelRequest): string {
  return messages.map(({ content }) => textOf(content)).join('\n');
}
