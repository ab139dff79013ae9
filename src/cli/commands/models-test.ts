/** `hermes models test [MODEL]`: what a model can do, found out by asking it, told as a table and remembered for `auto`. */

import { openModel } from '../../agent/models.ts';
import { modelOptions } from '../../agent/open.ts';
import { type ProtocolTrial, type Trial, tryModel } from '../../agent/trial.ts';
import { TRIAL_CASES } from '../../agent/trial-cases.ts';
import type { ProtocolName } from '../../agent/types.ts';
import type { Json, JsonObject } from '../../kernel/types.ts';
import { learn } from '../../models/knowledge.ts';
import type { Cli, ExitStatus } from '../context.ts';
import { loadFor } from '../load.ts';
import type { BaseOptions } from '../options.ts';
import { onSignals } from '../signals.ts';
import { harmless, table } from '../text.ts';

export interface TestCommand extends BaseOptions {
  protocol?: string;
  json?: boolean;
}

export async function modelsTest(cli: Cli, name: string | undefined, options: TestCommand): Promise<ExitStatus> {
  // The configuration's own check of the name; the test itself does not follow the configured protocol.
  const wanted = { key: 'model.protocol', value: options.protocol, option: '--protocol' };
  const config = await loadFor(cli, options, options.protocol === undefined ? [] : [wanted]);
  const { protocol } = config.values.model;
  const settings = modelOptions(config, { ...(name === undefined ? {} : { model: name }), language: cli.language });
  const { model, reason, subject } = await openModel(settings.model, settings);
  const stopping = new AbortController();
  const signals = onSignals(() => stopping.abort());
  try {
    if (!options.quiet) cli.terminal.err(`${cli.t('models.trying', { name: model.id, reason: reason ?? '' })}\n`);
    const trial = await tryModel(model, {
      settings,
      signal: stopping.signal,
      ...(options.protocol === undefined || protocol === 'auto' ? {} : { protocols: [protocol] }),
      onStep: (step) => options.quiet || cli.terminal.err(`  ${cli.t('models.try', { step })}\n`),
    });
    if (subject) learn(subject, { abilities: abilitiesOf(trial), test: recordOf(trial) }, { ...config.env });
    if (options.json) cli.terminal.out(`${JSON.stringify({ ...trial, kept: subject !== undefined }, null, 2)}\n`);
    else tell(cli, trial, subject !== undefined);
    return trial.protocol ? 0 : 1;
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    cli.terminal.err(`${cli.t('models.stopped')}\n`);
    return signals.status;
  } finally {
    signals.end();
    await model.close?.();
  }
}

/** What `auto` begins with; whether function calling is there is known only where it was tried. */
function abilitiesOf({ protocol, protocols }: Trial): { protocol?: ProtocolName; tools?: boolean } {
  const native = protocols.find((each) => each.protocol === 'native');
  return { ...(protocol ? { protocol } : {}), ...(native ? { tools: native.right > 0 } : {}) };
}

/** For `hermes models list`: right/total in each protocol. */
function recordOf({ protocols, model: _known, ...rest }: Trial): JsonObject {
  const scores = Object.fromEntries(protocols.map(({ protocol, right }): [string, Json] => [protocol, `${right}/${TRIAL_CASES.length}`]));
  return { ...rest, protocols: scores };
}

function tell(cli: Cli, trial: Trial, isKept: boolean): void {
  const { terminal, t } = cli;
  const mark = (can: boolean | undefined) => t(can === undefined ? 'models.untried' : can ? 'models.can' : 'models.cannot');
  const { answers, streams, schema, images } = trial;
  const abilities = [
    ['models.test.answers', answers],
    ['models.test.streams', streams],
    ['models.test.schema', schema],
    ['models.test.images', images],
  ] as const;
  terminal.out(
    table(
      abilities.map(([key, can]) => [t(key), mark(can)]),
      terminal.tableColumns,
    ),
  );
  const head = (['protocol', 'right', 'answered', 'seconds', 'tokens', 'error'] as const).map((name) => t(`models.test.${name}`));
  terminal.out(`\n${table([head, ...trial.protocols.map((each) => rowOf(cli, each))], terminal.tableColumns)}`);
  const { protocol } = trial;
  terminal.out(
    `\n${protocol ? t(isKept ? 'models.test.chosen' : 'models.test.best', { name: trial.model, protocol }) : t('models.test.none')}\n`,
  );
}

function rowOf({ t }: Cli, { protocol, right, answered, asked, seconds, tokens, error }: ProtocolTrial): string[] {
  const total = TRIAL_CASES.length;
  const stopped = asked < total ? t('models.test.stopped', { asked }) : '';
  const why = error ? harmless(error.message) : stopped;
  return [protocol, `${right}/${total}`, `${answered}/${total}`, seconds.toFixed(1), tokens === undefined ? '?' : String(tokens), why];
}
