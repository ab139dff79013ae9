/** The schema of an output in a file of its own. */

import { HermesError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/types.ts';
import { badOutputSchema, outputForm } from './output-form.ts';

/** Throws HermesError `bad_output_schema` or `output_schema_unreadable`, which name the file. */
export async function readOutputSchema(file: string): Promise<JsonObject> {
  const { readFile } = process.getBuiltinModule('node:fs/promises');
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new HermesError('output_schema_unreadable', `${file} cannot be read: ${(error as Error).message}`, {
      kind: 'usage',
      next: 'name a file that holds a JSON Schema',
    });
  }
  let schema: JsonObject;
  try {
    schema = JSON.parse(text.replace(/^\uFEFF/, '')) as JsonObject;
  } catch (error) {
    throw badOutputSchema(`${file} is not JSON: ${(error as Error).message}`);
  }
  outputForm(schema, `${file}: schema`);
  return schema;
}
