/** Answers of a local model that fit a JSON Schema to the letter: the schema becomes a grammar that the sampler keeps to. */

import type { Llama, LlamaGrammarEvaluationState, LlamaModel } from 'node-llama-cpp';
import { HermesError } from '../kernel/errors.ts';
import type { Json, JsonObject } from '../kernel/types.ts';
import type { AskOptions } from './types.ts';

export interface Grammars {
  /** A fresh evaluation of the grammar for this answer; undefined when any text will do. */
  for(format: AskOptions['responseFormat']): Promise<LlamaGrammarEvaluationState | undefined>;
}

export function createGrammars(runtime: typeof import('node-llama-cpp'), llama: Llama, model: LlamaModel): Grammars {
  const known = new WeakMap<object, ReturnType<Llama['createGrammar']>>();
  return {
    async for(format) {
      if (format?.type !== 'json') return undefined;
      const schema = (format.schema ?? ANY_OBJECT) as JsonObject;
      let making = known.get(schema);
      if (!making) {
        making = llama.createGrammarForJsonSchema(grammarSchema(schema) as never);
        known.set(schema, making);
      }
      const grammar = await making.catch((error: Error) => {
        throw new HermesError('schema_not_supported', `the answer's schema cannot be made a grammar: ${error.message}`, {
          kind: 'model',
          next: 'use a simpler schema: objects, arrays, scalars, enums and anyOf',
        });
      });
      return new runtime.LlamaGrammarEvaluationState({ model, grammar });
    },
  };
}

const ANY_OBJECT: JsonObject = { type: 'object' };

/** The runtime knows `oneOf` for "any of these", and takes every declared property for required. */
function grammarSchema(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(grammarSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { anyOf, properties, items, ...rest } = schema;
  return {
    ...rest,
    ...(anyOf === undefined ? {} : { oneOf: grammarSchema(anyOf) }),
    ...(items === undefined ? {} : { items: grammarSchema(items) }),
    ...(typeof properties === 'object' && properties !== null
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, grammarSchema(property)])) }
      : {}),
  };
}

/** A grammar ends in as many line feeds as the model likes: the value itself says where it ends. */
export function isWhole(text: string): boolean {
  if (!/[}\]"\dael]\s*$/.test(text)) return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' || text.endsWith('\n'); // a number may go on
  } catch {
    return false; // not complete yet
  }
}
