import type { Prompt } from '@modelcontextprotocol/client';
import { isRecord } from '../lib/fields/field-values.ts';

/** A command that a server offers. */
export type PromptDefinition = Pick<Prompt, 'name' | 'title' | 'description' | 'arguments'>;

const maxArguments = 50;
const maxText = 1_000;

/** One, or nothing if it cannot be used. */
export function readPrompt(value: unknown): PromptDefinition[] {
  if (!isRecord(value) || typeof value.name !== 'string' || value.name === '') return [];
  const { name, title, description, arguments: given } = value;
  if (name.length > maxText) return [];
  const args = (Array.isArray(given) ? given : [])
    .slice(0, maxArguments)
    .flatMap((one) =>
      isRecord(one) && typeof one.name === 'string'
        ? [{ name: one.name.slice(0, maxText), required: one.required === true || undefined }]
        : [],
    );
  return [
    {
      name,
      title: typeof title === 'string' ? title.slice(0, maxText) : undefined,
      description: typeof description === 'string' ? description.slice(0, maxText) : undefined,
      arguments: args.length > 0 ? args : undefined,
    },
  ];
}
