/** Answers the questions that an agent asks before it acts. The model is scripted, so that it runs without a key. */
import type { Answer, Question } from 'cadre';
import { openSession } from 'cadre';
import { call, say, scriptedModel } from 'cadre/testing';

const model = scriptedModel([
  call('Bash', { command: 'touch -c notes.txt' }),
  call('Bash', { command: 'touch -c notes.txt' }),
  call('Bash', { command: 'git push --force' }),
  say('Touched twice, pushed nothing.'),
]);

/** A user would see the question; here a simple rule answers it. */
async function decide(question: Question): Promise<Answer> {
  console.log(`asked: ${question.toolName} ${question.summary} (${question.decision.reason})`);
  if (question.summary.includes('push')) return { behaviour: 'deny', message: 'Pushing is for people.' };
  // The suggested rules cover exactly this command, and hold until the session is closed.
  return { behaviour: 'allow', rules: question.suggestions };
}

// Confined commands would not be asked about.
const opened = await openSession({ model, onQuestion: decide, persist: false, sandbox: false });
if (!opened.ok) throw new Error(`${opened.problem.message} ${opened.problem.hint ?? ''}`);

const outcome = await opened.value.run('Touch the notes, twice, then push.');
console.log(`${outcome.kind}: ${outcome.text}`);
await opened.value.close();
model.assertConsumed();
