/** `hermes tools list|show|check|call`: the tools that an agent would have here. */

import type { Config } from '../../agent/config.ts';
import { openAgent, openTools } from '../../agent/open.ts';
import { HermesError, nearest } from '../../kernel/errors.ts';
import type { Json, JsonObject, RunEvent, ToolResult } from '../../kernel/types.ts';
import { scriptedModel } from '../../models/scripted.ts';
import type { Tool } from '../../tools/define.ts';
import { lackOf } from '../../tools/needs.ts';
import { type Cli, type ExitStatus, meaning, usageError } from '../context.ts';
import { inOwnWords, printError } from '../errors.ts';
import type { MessageKey } from '../messages.ts';
import { configFor } from '../open.ts';
import type { BaseOptions, RunOptions } from '../options.ts';
import { harmless, table } from '../text.ts';
import { isEachTime, Turn } from '../turn.ts';

type ListOptions = BaseOptions & { json?: boolean };

export async function toolsList(cli: Cli, options: ListOptions): Promise<ExitStatus> {
  return withTools(cli, options, ({ tools }, { toolSettings, env }) => {
    const rows = tools.map((tool) => {
      const { name, level, description } = tool.info;
      const lacks = lackOf(tool, toolSettings[name] ?? {}, env);
      return { name, level, description, ...(lacks === undefined ? {} : { lacks }) };
    });
    if (options.json) cli.terminal.out(`${JSON.stringify(rows, null, 2)}\n`);
    else {
      const head = [cli.t('tools.name'), cli.t('tools.level'), cli.t('tools.description')];
      cli.terminal.out(
        table([head, ...rows.map(({ name, level, description, lacks }) => [name, level, lacks ?? description])], cli.terminal.tableColumns),
      );
    }
    return 0;
  });
}

export async function toolsShow(cli: Cli, name: string, options: ListOptions): Promise<ExitStatus> {
  return withTools(cli, options, ({ tools }) => {
    const { info, settings } = find(cli, tools, name);
    if (options.json) cli.terminal.out(`${JSON.stringify({ ...info, ...settings }, null, 2)}\n`);
    else {
      const examples = (info.examples ?? []).map(({ request, arguments: args }) => `  ${request}\n    ${JSON.stringify(args)}\n`);
      cli.terminal.out(
        harmless(
          `${info.name} (${info.level})\n\n${info.description}\n\n${JSON.stringify(info.input_schema, null, 2)}\n` +
            (examples.length > 0 ? `\n${cli.t('tools.examples')}\n${examples.join('')}` : ''),
        ),
      );
    }
    return 0;
  });
}

/**
 * What a model will see of the tools and what it costs, what is wrong with the tool files (exit status 1), and what their authors could
 * make better. Of tools that the program ships, only their cost is told.
 */
export async function toolsCheck(cli: Cli, options: ListOptions): Promise<ExitStatus> {
  const { definitionOf, lintTools, tokensOf } = await import('../../tools/lint.ts');
  return withTools(cli, options, ({ tools, diagnostics, hints, files }, { toolSettings, env }) => {
    const offered = tools.filter((tool) => lackOf(tool, toolSettings[tool.info.name] ?? {}, env) === undefined);
    const infos = tools.map(({ info }) => info);
    const lints = lintTools(infos).filter(({ tool }) => files.has(tool));
    const tokens = offered.reduce((sum, { info }) => sum + tokensOf(info), 0);
    if (options.json) {
      const told = infos.map((info) => ({ ...definitionOf(info), level: info.level, tokens: tokensOf(info), file: files.get(info.name) }));
      cli.terminal.out(`${JSON.stringify({ tools: told, tokens, diagnostics, hints, lints }, null, 2)}\n`);
    } else {
      const head = [cli.t('tools.name'), cli.t('tools.level'), cli.t('tools.tokens')];
      cli.terminal.out(table([head, ...infos.map((info) => [info.name, info.level, `${tokensOf(info)}`])], cli.terminal.tableColumns));
      for (const info of infos.filter(({ name }) => files.has(name))) {
        const better = lints.filter(({ tool }) => tool === info.name).map(({ code, message }) => `- ${message} (${code})\n`);
        cli.terminal.out(harmless(`\n${files.get(info.name)}\n${JSON.stringify(definitionOf(info), null, 2)}\n${better.join('')}`));
      }
      for (const { file, line, code, message } of [...hints, ...diagnostics]) {
        const told = inOwnWords(cli, { code, message }).message;
        cli.terminal.out(harmless(`\n${file}${line === undefined ? '' : `:${line}`}: ${told} (${code})\n`));
      }
    }
    const hinted = lints.length + hints.length;
    cli.terminal.err(`${cli.t('tools.checked', { good: offered.length, tokens, bad: diagnostics.length, hints: hinted })}\n`);
    return diagnostics.length === 0 ? 0 : 1;
  });
}

/**
 * A call by hand goes the way of any other: a run whose model says just this call. So arguments are adapted and validated, the
 * permission is asked for, and the log has it.
 */
export async function toolsCall(cli: Cli, name: string, words: readonly string[], options: RunOptions): Promise<ExitStatus> {
  const args = parseArguments(cli, words);
  const config = await configFor(cli, options);
  const turn = new Turn(cli, { ...options, json: true, quiet: true }, config);
  const { agent, tools, close } = await openAgent(withNative(config), {
    model: scriptedModel([{ calls: [{ name, arguments: args }] }, '.'], { id: 'by-hand:call' }),
    ...(turn.approver === undefined ? {} : { onApproval: turn.approver }),
    allow: options.allow ?? [],
    deny: options.deny ?? [],
  });
  try {
    find(cli, tools, name);
    let result: ToolResult | undefined;
    let refusal: string | undefined;
    let next: MessageKey = 'tools.call.denied';
    const onEvent = ({ event_type, data }: RunEvent) => {
      if (event_type === 'tool.end') result = data.result;
      if (event_type === 'call.permit' && isEachTime(data)) next = 'tools.call.always';
      if (event_type === 'approval.ask' && data.calls.some(({ wants }) => wants !== undefined)) next = 'tools.call.ask';
      if (event_type === 'approval.answer' && data.decision === 'deny')
        refusal = data.note ?? cli.t(data.by === 'nobody' ? 'tools.call.nobody' : 'run.denied');
      if (event_type === 'call.permit' && data.decision === 'deny') refusal = data.reason;
      if (event_type === 'call.reject') result = { success: false, error: { code: data.code, message: data.message } };
    };
    const status = await turn.take(() => agent.start(`tools call ${name} ${words.join(' ')}`, { onEvent }), true);
    if (refusal !== undefined) printError(cli, { code: 'denied', message: refusal, next: cli.t(next, { name }) });
    if (result === undefined) return refusal === undefined ? status : 3;
    if (result.success)
      cli.terminal.out(`${typeof result.data === 'string' && !options.json ? result.data : JSON.stringify(result.data, null, 2)}\n`);
    else {
      const message = cli.t('tools.call.error', { name, message: result.error.message });
      const error = { next: cli.t('tools.call.failed', { name }), ...result.error, message };
      if (options.json) cli.terminal.out(`${JSON.stringify({ status: 'error', error })}\n`);
      printError(cli, error);
    }
    return result.success ? status : 1;
  } finally {
    await close();
  }
}

/** The call is not the configured model's, nor is its protocol. */
function withNative(config: Config): Config {
  return { ...config, values: { ...config.values, model: { ...config.values.model, protocol: 'native' } } };
}

/** One JSON object, or name=value pairs whose values are JSON where they can be, else text. */
function parseArguments(cli: Cli, words: readonly string[]): JsonObject {
  const text = words.join(' ').trim();
  if (text === '') return {};
  if (text.startsWith('{')) {
    try {
      return JSON.parse(text) as JsonObject;
    } catch (error) {
      throw usageError(cli.t('tools.badJson', { reason: (error as Error).message }), cli.t('tools.call.next'));
    }
  }
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      if (at <= 0) throw usageError(cli.t('tools.badPair', { word }), cli.t('tools.call.next'));
      return [word.slice(0, at), jsonOrText(word.slice(at + 1))];
    }),
  );
}

function jsonOrText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function find(cli: Cli, tools: readonly Tool[], name: string): Tool {
  const found = tools.find(({ info }) => info.name === name);
  if (found) return found;
  const near = nearest(
    name,
    tools.map(({ info }) => info.name),
  );
  const message = meaning(cli, cli.t('tools.unknown', { name }), near);
  throw new HermesError('unknown_tool', message, { kind: 'usage', next: cli.t('tools.unknown.next') });
}

type Opened = Awaited<ReturnType<typeof openTools>>;

async function withTools(cli: Cli, options: ListOptions, use: (opened: Opened, config: Config) => ExitStatus): Promise<ExitStatus> {
  const config = await configFor(cli, options);
  const opened = await openTools(config);
  try {
    return use(opened, config);
  } finally {
    await Promise.all(opened.tools.map((tool) => tool.close?.()));
  }
}
