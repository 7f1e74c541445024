/** Adds a feature to a session: a tool, a part of the prompt, a notice. The model is scripted, so that it runs without a key. */
import { defineTool, type Feature, openSession, textResult } from 'cadre';
import { call, say, scriptedModel } from 'cadre/testing';
import { z } from 'zod';

/** Lets the agent keep notes for as long as the session lives. What it keeps is inside it. */
function notebook(): Feature {
  const notes: string[] = [];
  const note = defineTool({
    name: 'Note',
    description: 'Keeps a line for later, and lists all lines so far.',
    schema: z.object({ line: z.string() }),
    access: () => [{ kind: 'none' }],
    concurrent: () => false,
    summary: ({ line }) => line,
    // biome-ignore lint/correctness/useYield: it is over at once
    async *run({ line }) {
      notes.push(line);
      return textResult(notes.join('\n'));
    },
  });
  return {
    name: 'notebook',
    open: ({ place }) => ({
      tools: [note],
      promptParts: ['# Notebook\n\nKeep what you find with Note, one line each.'],
      notices: [`Notes about ${place.root} are lost when the session ends.`],
      // Features close in the reverse order of opening.
      close: () => console.log(`closed with ${notes.length} note`),
    }),
  };
}

const model = scriptedModel([call('Note', { line: 'The tests are slow.' }), say('Noted.')]);
const opened = await openSession({ model, features: [notebook()], persist: false });
if (!opened.ok) throw new Error(`${opened.problem.message} ${opened.problem.hint ?? ''}`);

const session = opened.value;
void showNotices();
const outcome = await session.run('Look at the tests.');
console.log(`${outcome.kind}: ${outcome.text}`);
await session.close();
model.assertConsumed();

async function showNotices() {
  for await (const event of session.events())
    if (event.type === 'notice_given' && event.text.startsWith('Notes')) console.log('told: notes are lost');
}
