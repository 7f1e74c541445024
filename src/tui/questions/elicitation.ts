import { renderValue } from '../../lib/fields/describe-value.ts';
import type { Elicitation, Question } from '../../protocol/index.ts';
import { showControls } from '../text/index.ts';
import { answered, type Field, type FieldAnswer, type Form, type Option } from './field.ts';

interface Property {
  type?: string;
  title?: string;
  description?: string;
  enum?: unknown[];
}

/** A request of an MCP server: a field for each value of its form, or a page to open. */
export function elicitationForm(question: Question, elicitation: Elicitation): Form {
  const properties = elicitation.mode === 'form' ? listProperties(elicitation) : [];
  const needed = listRequired(elicitation);
  return {
    question,
    fields: [
      {
        title:
          elicitation.mode === 'url' ? 'Open this address yourself, then continue' : 'Answer the server?',
        options: [
          { key: 'y', label: elicitation.mode === 'url' ? 'done' : 'yes' },
          { key: 'n', label: 'no' },
          { key: 'c', label: 'cancel the request', short: 'cancel' },
        ],
      },
      ...properties.map(([name, property]) => buildField(name, property, needed.has(name))),
    ],
    settle([first, ...rest]) {
      const [key = 'n'] = first?.keys ?? [];
      if (key !== 'y')
        return answered({
          behaviour: 'deny',
          message: 'The user declined.',
          ...(key === 'c' ? { interrupt: true } : {}),
        });
      const input: Record<string, unknown> = {};
      for (const [index, [name, property]] of properties.entries()) {
        const value = read(rest[index], property);
        if (value !== undefined) Object.defineProperty(input, name, { value, enumerable: true });
      }
      return answered({ behaviour: 'allow', input });
    },
  };
}

/** A first "no" needs no values. */
export function isDeclined([first]: readonly FieldAnswer[]): boolean {
  return first !== undefined && !first.keys.includes('y');
}

function listProperties({ schema }: Elicitation): [string, Property][] {
  const { properties } = (schema ?? {}) as { properties?: Record<string, Property> };
  return Object.entries(properties ?? {}).filter(([, one]) => typeof one === 'object' && one !== null);
}

function listRequired({ schema }: Elicitation): ReadonlySet<string> {
  const { required } = (schema ?? {}) as { required?: unknown };
  return new Set(Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []);
}

function buildField(name: string, property: Property, isNeeded: boolean): Field {
  const words = [property.title ?? name, property.description].filter(Boolean).join(': ');
  const leave: Option[] = isNeeded ? [] : [{ key: 'n', label: 'leave it out' }];
  return { title: showControls(words), options: [...buildOptions(property), ...leave] };
}

function buildOptions(property: Property): Option[] {
  if (Array.isArray(property.enum))
    return property.enum.slice(0, 9).map((value, index) => ({
      key: String(index + 1),
      label: showControls(renderValue(value)),
    }));
  if (property.type === 'boolean')
    return [
      { key: 'y', label: 'yes' },
      { key: 'x', label: 'no' },
    ];
  return [{ key: 't', label: 'type it', asks: property.type ?? 'text' }];
}

function read(given: FieldAnswer | undefined, property: Property): unknown {
  const [key] = given?.keys ?? [];
  if (!given || key === undefined || key === 'n') return undefined;
  if (Array.isArray(property.enum)) return property.enum[Number(key) - 1];
  if (property.type === 'boolean') return key === 'y';
  const text = given.text.trim();
  if (property.type === 'number' || property.type === 'integer') {
    const number = Number(text);
    return text === '' || Number.isNaN(number) ? undefined : number;
  }
  return text;
}
