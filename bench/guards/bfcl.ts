/** Clean runs made of the Berkeley function calling cases: the right calls, results with figures, and answers that tell them. */

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { JsonObject } from '../../src/kernel/types.ts';
import { type Tool, tool } from '../../src/tools/define.ts';
import { answering, type Called, type Case, type Said } from './case.ts';

export const FOLDER = resolve(import.meta.dirname, '../../../shared/data/bfcl');

interface Row {
  id: string;
  question: { content: string }[][];
  function: { name: string; description: string; parameters: unknown }[];
  ground_truth?: Record<string, Record<string, unknown[]>>[];
}

/** `each`: how many of each file. */
export function bfclCases(each: number): Case[] {
  if (!existsSync(FOLDER)) return [];
  const files = ['simple_python', 'multiple', 'parallel', 'parallel_multiple', 'irrelevance'];
  return files.flatMap((file) => {
    const rows = read(`${file}.jsonl`);
    const answers = new Map(file === 'irrelevance' ? [] : read(`${file}.answers.jsonl`).map((row) => [row.id, row.ground_truth ?? []]));
    const step = Math.max(1, Math.floor(rows.length / each));
    return rows
      .filter((_, index) => index % step === 0)
      .slice(0, each)
      .map((row, index) => caseOf(row, answers.get(row.id) ?? [], index));
  });
}

function read(file: string): Row[] {
  return readFileSync(join(FOLDER, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}

function caseOf(row: Row, truth: NonNullable<Row['ground_truth']>, index: number): Case {
  const request = row.question[0]!.map(({ content }) => content).join('\n');
  const calls = truth.flatMap((call) =>
    Object.entries(call).map(([name, args], nth): Called => [nameOf(name), argumentsOf(args), resultOf(name, index + nth)]),
  );
  const tools = row.function.map((fn) => toolOf(fn, calls));
  const language = index % 2 === 0 ? 'en' : 'zh';
  const said: Said[] =
    calls.length === 0 ? [declined(language, index)] : [...(index % 3 === 0 ? calls : [calls]), told(calls, language, index)];
  return { name: row.id, language, tools, turns: [{ request, said }] };
}

const nameOf = (name: string) => name.replace(/[^\w-]/g, '_').slice(0, 64);

function argumentsOf(args: Record<string, unknown[]>): JsonObject {
  const entries = Object.entries(args).flatMap(([name, [first]]) => (first === '' || first === undefined ? [] : [[name, first] as const]));
  return Object.fromEntries(entries) as JsonObject;
}

/** Figures and words as such tools give them. */
function resultOf(name: string, seed: number): JsonObject {
  const value = Math.round((seed * 7919 + name.length * 131) % 10_000) / 10;
  return { result: value, status: ['ok', 'completed', 'confirmed'][seed % 3]!, reference: `R${1000 + seed}` };
}

function toolOf({ name, description, parameters }: Row['function'][number], calls: readonly Called[]): Tool {
  const schema = JSON.parse(
    JSON.stringify(parameters)
      .replaceAll('"dict"', '"object"')
      .replaceAll('"float"', '"number"')
      .replaceAll('"tuple"', '"array"')
      .replaceAll('"any"', '"string"'),
  );
  const made = nameOf(name);
  const level = /book|send|create|update|delete|order|reserve/i.test(name) ? 'write' : 'read';
  return tool({
    name: made,
    description,
    input: {
      type: 'object',
      additionalProperties: true,
      properties: Object.fromEntries(Object.keys(schema.properties ?? {}).map((key) => [key, {}])),
    },
    level,
    execute: answering(made, calls),
  });
}

function told(calls: readonly Called[], language: 'en' | 'zh', seed: number): string {
  const values = calls.map(([, , result]) => result as { result: number; reference: string });
  const list = values.map(({ result }) => result).join(language === 'zh' ? '、' : ', ');
  const total = values.reduce((sum, { result }) => sum + result, 0).toFixed(1);
  const en = [
    `The result is ${list}.`,
    `Here is what I found: ${list} (reference ${values[0]?.reference}).`,
    `It comes to ${list}. In all that makes ${total}.`,
    `Done. The answer is ${list}; the request is completed.`,
  ];
  const zh = [
    `结果是 ${list}。`,
    `查到的结果为 ${list}，编号 ${values[0]?.reference}。`,
    `答案是 ${list}，合计 ${total}。`,
    `已经算好了：${list}，状态正常。`,
  ];
  return (language === 'zh' ? zh : en)[seed % 4]!;
}

function declined(language: 'en' | 'zh', seed: number): string {
  const en = [
    'None of my tools can answer that, so I would only be guessing.',
    'I cannot look this up with the tools I have. Could you tell me more?',
    'That depends on the details. In general such questions are answered by an expert in the field.',
    'My tools do something else, but from general knowledge: there is no single answer to this.',
  ];
  const zh = [
    '我手头的工具无法回答这个问题。',
    '这个问题我没法用现有工具查询，您能提供更多信息吗？',
    '一般来说，这取决于具体情况。',
    '现有工具不适用。根据常识，这个问题没有唯一答案。',
  ];
  return (language === 'zh' ? zh : en)[seed % 4]!;
}
