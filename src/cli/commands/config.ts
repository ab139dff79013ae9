/** `hermes config show`: every value, and where it comes from. */

import type { Config, Source } from '../../agent/config.ts';
import { KEYS, keysOf, type Section } from '../../agent/config-keys.ts';
import { readInstructionFiles } from '../../agent/instruction-files.ts';
import { rememberedFile } from '../../agent/remembered.ts';
import { maskPatterns } from '../../journal/secrets.ts';
import type { Cli, ExitStatus } from '../context.ts';
import { lookFor } from '../load.ts';
import type { BaseOptions } from '../options.ts';
import { table } from '../text.ts';

interface Row {
  key: string;
  value: unknown;
  source: Source;
  /** No part of this version reads it. */
  later: boolean;
}

export async function configShow(cli: Cli, options: BaseOptions & { json?: boolean }): Promise<ExitStatus> {
  const config = await lookFor(options);
  const rows = [...rowsOf(config), ...(await instructionRows(cli, config))];
  if (options.json) cli.terminal.out(`${maskPatterns(JSON.stringify(rows, null, 2))}\n`);
  else {
    cli.terminal.out(table([header(cli), ...rows.map((row) => cells(cli, row))], cli.terminal.tableColumns));
    if (!config.file && !config.userFile) cli.terminal.err(`${cli.t('config.none')}\n`);
  }
  return 0;
}

function rowsOf(config: Config): Row[] {
  const rows: Row[] = [];
  for (const section of Object.keys(KEYS) as Section[]) {
    const values = config.values[section] as Record<string, unknown>;
    for (const [name, key] of Object.entries(keysOf(section))) {
      const full = `${section}.${name}`;
      rows.push({ key: full, value: values[name] ?? null, source: config.sources[full]!, later: key.later });
    }
  }
  const always: Source = { origin: 'user', name: rememberedFile(config.userFolder) };
  if (config.remembered.length > 0) rows.push({ key: 'permissions.allow', value: config.remembered, source: always, later: false });
  for (const [alias, target] of Object.entries(config.aliases)) rows.push(free(config, `models.${alias}`, target));
  for (const [model, price] of Object.entries(config.prices)) rows.push(free(config, `prices.${model}`, price));
  for (const [tool, settings] of Object.entries(config.toolSettings)) {
    for (const [name, value] of Object.entries(settings)) {
      const isSecret = /key|token|secret|password/i.test(name);
      rows.push({ ...free(config, `tools.${tool}`, isSecret ? '***' : value), key: `tools.${tool}.${name}` });
    }
  }
  return rows;
}

/** AGENTS.md and its like: which are used, and how much of them. */
async function instructionRows({ t }: Cli, config: Config): Promise<Row[]> {
  const { files, untrusted } = await readInstructionFiles(config);
  const row = (path: string, value: string): Row => ({
    key: 'instructions',
    value,
    source: { origin: path.startsWith('~') ? 'user' : 'project', name: path },
    later: false,
  });
  return [
    ...files.map(({ path, bytes, kept }) =>
      row(path, kept === undefined ? t('config.bytes', { bytes }) : t('config.cut', { kept, bytes })),
    ),
    ...untrusted.map((path) => row(path, t('config.untrusted'))),
  ];
}

function free(config: Config, key: string, value: unknown): Row {
  return { key, value, source: config.sources[key]!, later: false };
}

function header(cli: Cli): string[] {
  return [cli.t('config.key'), cli.t('config.value'), cli.t('config.source')];
}

function cells(cli: Cli, { key, value, source, later }: Row): string[] {
  const origin = source.name ?? cli.t('config.default');
  return [key, value === null ? '-' : maskPatterns(JSON.stringify(value)), later ? `${origin} (${cli.t('config.later')})` : origin];
}
