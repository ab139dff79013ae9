/**
 * A question as people see it, in the terminal that asks and in `hermes approvals list`: the real arguments, whole, why it is asked,
 * where texts came from, what would happen; with nothing in them that could deceive the eye.
 */

import type { CallQuestion, Json, Source } from '../kernel/types.ts';
import type { Cli } from './context.ts';
import type { MessageKey } from './messages.ts';
import { visible, wrap } from './text.ts';

/** The reasons that the levels give; those of rules, judges and gates come as they are. */
const REASONS: Readonly<Record<string, MessageKey>> = {
  'writing tools ask': 'approval.why.write',
  'tools that act on the outside ask': 'approval.why.dangerous',
};

/** Ends with a line break. `paint`: for the stream that it is written to. */
export function describeCall(cli: Cli, call: CallQuestion, paint: Cli['terminal']['paint']): string {
  const { t } = cli;
  const { name, level, arguments: args, reason, preview, sources = [], repeats = [] } = call;
  if (call.wants) return describeQuestion(cli, call, paint);
  const wants = t('approval.wants', { name: visible(name), level: t(`approval.${level}`) });
  const untrusted = sources.filter((source) => source.untrusted);
  // Several files have one id.
  const named = (id: string) => sources.flatMap((source) => (source.call_id === id ? [sourceText(source)] : [])).join(', ') || id;
  const sections: [title: string, lines: string[]][] = [
    [t('approval.reason'), reason === undefined ? [] : [whyText(cli, reason)]],
    [t('approval.sources'), untrusted.map((source) => sourceText(source))],
    [t('approval.repeats'), repeats.map(({ argument, source, text }) => t('approval.repeat', { argument, source: named(source), text }))],
    [t('approval.preview'), preview === undefined ? [] : [preview]],
  ];
  const described = sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `  ${paint('dim', title)}\n${lines.map((line) => marked(cli, line)).join('')}`);
  const given = Object.entries(args).map(([key, value]) => marked(cli, `${key}: ${argumentText(value)}`));
  return `${paint(['bold', 'yellow'], `? ${wants}`)}\n${given.join('')}${described.join('')}`;
}

/** Words are asked for: the question and what is offered, by number. */
function describeQuestion(cli: Cli, { name, arguments: args }: CallQuestion, paint: Cli['terminal']['paint']): string {
  const { question = '', ...rest } = args;
  const options = optionsOf(args).map((option, index) => marked(cli, `${index + 1}. ${option}`));
  const others = Object.entries(rest).filter(([key]) => key !== 'options');
  const given = others.map(([key, value]) => marked(cli, `${key}: ${argumentText(value)}`));
  const head = paint(['bold', 'yellow'], `? ${cli.t('approval.asks', { name: visible(name) })}`);
  return `${head}\n${marked(cli, String(question))}${options.join('')}${given.join('')}`;
}

/** What a question offers as answers. */
export function optionsOf({ options }: CallQuestion['arguments']): string[] {
  return Array.isArray(options) ? options.filter((option) => typeof option === 'string') : [];
}

/** Each line is broken here and carries the mark at its beginning, so that no text of others can look like words of the program. */
export function marked({ terminal }: Cli, text: string): string {
  const lines = wrap(visible(text).replaceAll('\t', '    '), Math.max(20, terminal.columns - 5));
  return lines.map((line) => `  │ ${line}\n`).join('');
}

function argumentText(value: Json): string {
  return typeof value === 'string' && value.includes('\n') ? `\n${value}` : JSON.stringify(value, null, 2);
}

function whyText(cli: Cli, reason: string): string {
  return Object.hasOwn(REASONS, reason) ? cli.t(REASONS[reason]!) : reason;
}

function sourceText({ name, from }: Source): string {
  return from === undefined ? name : `${name}: ${from}`;
}
