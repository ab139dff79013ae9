/**
 * The check of typed answers: JSON out of the final answer, against the JSON Schema, then the caller's own schema. Loaded by the runs
 * that want one.
 */

import { unlessAborted } from '../kernel/abort.ts';
import { errorData, HermesError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import { stableJson } from '../kernel/text.ts';
import type { Json, JsonObject } from '../kernel/types.ts';
import { readJson } from '../protocols/read-json.ts';
import type { Templates } from '../protocols/templates.ts';
import { adaptArguments } from '../tools/adapt.ts';
import { issueLines, type StandardSchema, withDefaults } from '../tools/schema.ts';
import { compileValidator, inspect, MOST_PROBLEMS, type Validator } from '../tools/validate.ts';
import { badOutputSchema, isWrapped, type OutputForm } from './output-form.ts';
import { type Checked, ROOT } from './output-rule.ts';
import type { FeaturePerformer, RunOutcome } from './types.ts';

/** The check of one run's answers. */
export class OutputCheck {
  readonly schema: JsonObject;
  readonly #standard: StandardSchema | undefined;
  readonly #validate: Validator;
  readonly #templates: Templates;
  /** What the caller's schema made of the answer that it accepted last. */
  #parsed: { output: string; value: unknown } | undefined;

  private constructor({ schema, standard }: OutputForm, validate: Validator, templates: Templates) {
    this.schema = schema;
    this.#standard = standard;
    this.#validate = validate;
    this.#templates = templates;
  }

  /** Throws HermesError `bad_output_schema`. */
  static async open(form: OutputForm, templates: Templates): Promise<OutputCheck> {
    try {
      return new OutputCheck(form, await compileValidator(form.schema, ROOT), templates);
    } catch (error) {
      if (error instanceof HermesError && error.code === 'invalid_schema')
        throw badOutputSchema(error.message.replace(/^the schema is wrong: /, ''));
      throw error;
    }
  }

  readonly perform: FeaturePerformer = async (input, { state, signal }) => {
    const { of } = input as { of: string };
    const found = await unlessAborted(this.#check(state.answer ?? ''), signal).catch((error) => ({
      problems: [`${ROOT}: the check itself failed: ${errorData(error).message}`],
    }));
    const result = 'problems' in found ? this.#refusal(found.problems, state.language) : { ok: true as const, ...found };
    return { result: { of, ...result } satisfies Checked as JsonObject };
  };

  #refusal(problems: string[], language: 'zh' | 'en') {
    const message = this.#templates.fill('output-repair', language, { problems: problems.map((line) => `- ${line}`).join('\n') });
    return { ok: false as const, problems, message };
  }

  /** The outcome for the caller: a Standard Schema's own output (defaults, transformations) in place of the JSON that stands in the log. */
  async handOver(outcome: RunOutcome): Promise<RunOutcome> {
    if (outcome.status !== 'success' || !this.#standard) return outcome;
    const written = outcome.output as Json;
    // Another process may have checked it, before a crash.
    const problems = this.#parsed?.output === stableJson(written) ? [] : await this.#parse(this.#standard, written);
    if (problems.length === 0) return { ...outcome, output: this.#parsed?.value };
    const { output: _, ...rest } = outcome;
    return { ...rest, status: 'error', error: { code: 'output_invalid', message: problems.join('; ') } };
  }

  async #check(answer: string): Promise<{ output: Json; repairs?: string[] } | { problems: string[] }> {
    const reading = readJson(answer);
    const isPlain = !isWrapped(this.schema);
    // A plain text can be the value itself when the schema wants a text.
    if (!reading.ok && (isPlain || reading.code !== 'no_json')) return { problems: [`${ROOT}: expected JSON; ${reading.message}`] };
    const written = reading.ok ? reading.value : answer.trim();
    const isAsAsked = isPlain || (isObject(written) && 'value' in written);
    const candidates: Json[] = isAsAsked ? [written] : [];
    if (!isPlain) candidates.push({ value: written });
    const tried = candidates.map((candidate) => this.#fitted(candidate));
    const fitting = tried.find((one) => 'value' in one);
    if (!fitting) return { problems: tried.flatMap((one) => ('problems' in one ? [one.problems] : []))[0]! };
    const whole = withDefaults(this.#standard ? undefined : this.schema, fitting.value);
    const output = isPlain ? whole : ((whole as JsonObject).value as Json);
    const own = this.#standard ? await this.#parse(this.#standard, output) : [];
    if (own.length > 0) return { problems: own };
    const repairs = [...(reading.ok ? reading.repairs : []), ...fitting.repairs];
    return { output, ...(repairs.length > 0 ? { repairs } : {}) };
  }

  /** As it is when that is valid, else as the argument adapter understands it: other spellings of names, "21" for a number. */
  #fitted(value: Json): { value: Json; repairs: string[] } | { problems: string[] } {
    const problems = this.#problems(value);
    if (problems.length === 0) return { value, repairs: [] };
    if (!isObject(value)) return { problems };
    const adapted = adaptArguments(this.schema, value as JsonObject, { unknown: 'drop' });
    if (adapted.problems.length > 0 || this.#problems(adapted.arguments).length > 0) return { problems };
    const repairs = adapted.repairs.map(({ kind, path, note }) => `${kind} ${path.replace(/^arguments/, ROOT)}: ${note}`);
    return { value: adapted.arguments, repairs };
  }

  #problems(value: Json): string[] {
    const { size, problem } = isObject(value) || Array.isArray(value) ? inspect(value as JsonObject, ROOT) : { size: 1 };
    return problem === undefined ? this.#validate(value as JsonObject, size) : [problem];
  }

  /** The checks that JSON Schema cannot say; they may ask others, and so take their time. */
  async #parse(standard: StandardSchema, output: Json): Promise<string[]> {
    const result = await standard['~standard'].validate(structuredClone(output));
    if (result.issues) return shortened(issueLines(result.issues, isWrapped(this.schema) ? `${ROOT}.value` : ROOT));
    this.#parsed = { output: stableJson(output), value: result.value };
    return [];
  }
}

function shortened(lines: string[]): string[] {
  return lines.length > MOST_PROBLEMS ? [...lines.slice(0, MOST_PROBLEMS), `and ${lines.length - MOST_PROBLEMS} more`] : lines;
}
