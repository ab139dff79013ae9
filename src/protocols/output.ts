/** Typed answers: how a protocol asks for JSON that fits `output_schema`. What the model then wrote is read by typed.ts. */

import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { JsonObject, State } from '../kernel/types.ts';
import { strictSchema } from './strict.ts';
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
const formats = new WeakMap<JsonObject, Format>();

/** The same object for the same schema. Any object at all, or a root that is none, is more than a strict schema can say. */
export function answerFormat(schema: JsonObject): Format {
  const known = formats.get(schema);
  if (known) return known;
  const strict = strictSchema(schema);
  const isSaid = strict.type === 'object' && Object.keys(strict.properties ?? {}).length > 0;
  const format: Format = isSaid ? { type: 'json', schema: strict } : { type: 'json' };
  formats.set(schema, format);
  return format;
}
