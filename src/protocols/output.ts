/** Typed answers: how a protocol asks for JSON that fits `output_schema`. What the model then wrote is read by typed.ts. */

import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { JsonObject, State } from '../kernel/types.ts';
import { strictObject, strictSchema } from './strict.ts';
import type { Templates } from './templates.ts';

/** What the system message says of it, with an empty line before; nothing without a schema. `field`: where the answer stands in a reply. */
export function outputLine(state: State, templates: Templates, field?: string): string {
  if (state.output_schema === undefined) return '';
  const schema = JSON.stringify(state.output_schema);
  const line =
    field === undefined
      ? templates.fill('output', state.language, { schema })
      : templates.fill('output-field', state.language, { schema, field });
  return `\n\n${line}`;
}

type Format = NonNullable<LanguageModelV4CallOptions['responseFormat']>;
const formats = new WeakMap<JsonObject, { format: Format; wrapped: boolean }>();

/** The same object for the same schema. Providers want an object at the root: any other answer stands in its field `answer`. */
export function answerFormat(schema: JsonObject): Format {
  return formatOf(schema).format;
}

/** `wrapped`: the answer stands in the field `answer`. */
export function formatOf(schema: JsonObject): { format: Format; wrapped: boolean } {
  const known = formats.get(schema);
  if (known) return known;
  const strict = strictSchema(schema);
  const wrapped = strict.type !== 'object';
  const isOpen = !wrapped && Object.keys(strict.properties ?? {}).length === 0; // any object at all: no strict schema says that
  const format: Format = isOpen ? { type: 'json' } : { type: 'json', schema: wrapped ? strictObject({ answer: strict }) : strict };
  const made = { format, wrapped };
  formats.set(schema, made);
  return made;
}
