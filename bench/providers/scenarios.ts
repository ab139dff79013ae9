/** The 14 scenarios that each provider goes through, end to end: the agent, its native protocol, real tools, a server on loopback. */

import type { RunOutcome } from '../../src/index.ts';
import { picture } from '../../test/fakes/image.ts';
import type { Scenario, Turn, Vendor } from '../../test/fakes/types.ts';
import { dataOf, expect, firstProblem, refusals, type Trial, withTrial } from './trial.ts';

/** Gives what went wrong; undefined = passed. */
type Try = (vendor: Vendor) => Promise<string | undefined>;

const weigh = (...orders: string[]) => orders.map((order) => ({ name: 'weigh', arguments: { order } }));
const heavy: Turn = { text: '订单 B 更重，by two kilograms.' };

function ended(outcome: RunOutcome, answer: string = heavy.text as string): string | undefined {
  const { status, error } = outcome;
  if (status !== 'success') return `ended as ${status}: ${error?.code ?? ''} ${error?.message ?? ''}`.slice(0, 300);
  return expect('answer', outcome.answer, answer);
}

/** Results of the calls that came before the last reply, as the run recorded them. */
const succeeded = (outcome: RunOutcome) => outcome.toolCalls.filter((call) => call.success).length;

export const scenarios: Record<Scenario, Try> = {
  plain: (vendor) =>
    withTrial(vendor, { script: [heavy], agent: { tools: [] } }, async (trial) => {
      const outcome = await trial.agent.run('哪个订单更重？');
      const { inputTokens, outputTokens } = outcome.usage;
      return firstProblem(refusals(trial), ended(outcome), expect('usage', { inputTokens, outputTokens }, counted(trial)));
    }),

  streamed: (vendor) =>
    withTrial(vendor, { script: [heavy], agent: { tools: [] } }, async (trial) => {
      const outcome = await trial.agent.run('Which order is heavier?', trial);
      const deltas = dataOf(trial, 'model.delta').map(({ text }) => text ?? '');
      const { inputTokens, outputTokens } = outcome.usage;
      return firstProblem(
        refusals(trial),
        ended(outcome),
        expect('stream asked for', trial.fake.exchanges[0]?.body.stream ?? true, true),
        expect('streamed text', deltas.join(''), heavy.text),
        deltas.filter((delta) => delta !== '').length < 2 && 'the text came in one piece',
        expect('usage', { inputTokens, outputTokens }, counted(trial)),
      );
    }),

  'one tool': (vendor) =>
    withTrial(vendor, { script: [{ calls: weigh('甲-1') }, heavy] }, async (trial) => {
      const outcome = await trial.agent.run('Weigh 甲-1.', trial);
      return firstProblem(
        refusals(trial),
        ended(outcome),
        expect('ran', trial.ran, ['weigh 甲-1']),
        expect('results', succeeded(outcome), 1),
      );
    }),

  'parallel tools': (vendor) =>
    withTrial(vendor, { script: [{ text: 'Both at once.', calls: weigh('A', 'B-B') }, heavy] }, async (trial) => {
      const outcome = await trial.agent.run('Weigh A and B-B.', trial);
      return firstProblem(
        refusals(trial),
        ended(outcome),
        expect('ran', trial.ran.toSorted(), ['weigh A', 'weigh B-B']),
        expect('results', succeeded(outcome), 2),
        expect('steps', outcome.steps, 2),
      );
    }),

  thinking: (vendor) => withTrial(vendor, { script: thinkingScript, agent: { reasoning: 'high' } }, thinking),

  'wrong parameter': (vendor) => {
    const refuses = vendor.refusedNow ?? {
      field: 'temperature',
      message: "Unsupported parameter: 'temperature' is not supported with this model.",
    };
    const settings = refuses.field === 'temperature' ? { temperature: 0.7 } : { reasoning: 'high' as const };
    return withTrial(vendor, { script: [heavy], conditions: { refuses }, agent: { tools: [], ...settings } }, async (trial) => {
      const first = await trial.agent.run('哪个订单更重？', trial);
      const asked = trial.fake.exchanges.map(({ status }) => status);
      const second = await trial.agent.run('And now?', trial);
      return firstProblem(
        ended(first),
        ended(second),
        expect('answers to the first run', asked, [400, 200]),
        expect('requests of the second run (it was told before)', trial.fake.exchanges.length - asked.length, 1),
      );
    });
  },

  schema: (vendor) =>
    withTrial(vendor, { script: [{ calls: weigh('A') }, { text: '{"order":"B","kilograms":7}' }] }, async (trial) => {
      const output = {
        type: 'object',
        properties: { order: { type: 'string' }, kilograms: { type: 'number' } },
        required: ['order', 'kilograms'],
        additionalProperties: false,
      } as const;
      const outcome = await trial.agent.run('哪个订单更重？', { output, onEvent: trial.onEvent });
      return firstProblem(
        refusals(trial),
        ended(outcome, '{"order":"B","kilograms":7}'),
        expect('output', outcome.output, { order: 'B', kilograms: 7 }),
        expect('ran', trial.ran, ['weigh A']),
        expect('steps', outcome.steps, 2),
      );
    }),

  'cached prefix': (vendor) =>
    withTrial(vendor, { script: [...['A', 'B', 'C', 'D'].map((order) => ({ calls: weigh(order) })), heavy], long: true }, async (trial) => {
      const outcome = await trial.agent.run('Weigh A, B, C, D one after another.', trial);
      const ends = dataOf(trial, 'model.end');
      const shares = ends.map(({ usage }) => (usage?.cached_tokens ?? 0) / (usage?.input_tokens ?? 1));
      const least = Math.min(...shares.slice(2));
      const sent = trial.fake.exchanges.map((exchange) => exchange.counted?.input);
      return firstProblem(
        refusals(trial),
        ended(outcome),
        expect(
          'input tokens of each step',
          ends.map(({ usage }) => usage?.input_tokens),
          sent,
        ),
        least < 0.9 && `cached share ${Math.round(least * 100)} % from step 3`,
      );
    }),

  'cut stream': (vendor) =>
    withTrial(vendor, { script: [{ calls: weigh('A'), fault: 'cut' }, { calls: weigh('A') }, heavy] }, async (trial) => {
      const outcome = await trial.agent.run('Weigh A.', trial);
      return firstProblem(
        refusals(trial),
        ended(outcome),
        expect('ran', trial.ran, ['weigh A']),
        expect('requests', trial.fake.exchanges.length, 3),
      );
    }),

  'silent stream': (vendor) =>
    withTrial(vendor, { script: [{ calls: weigh('A'), fault: 'silent' }, { calls: weigh('A') }, heavy] }, async (trial) => {
      const outcome = await trial.agent.run('Weigh A.', trial);
      return firstProblem(
        refusals(trial),
        ended(outcome),
        expect('ran', trial.ran, ['weigh A']),
        expect('requests', trial.fake.exchanges.length, 3),
      );
    }),

  overflow: (vendor) =>
    withTrial(
      vendor,
      { script: [{ calls: [{ name: 'read_log', arguments: { order: 'A' } }] }, heavy], conditions: { window: 9000 } },
      async (trial) => {
        const outcome = await trial.agent.run('Read the log of A.', trial);
        const errors = dataOf(trial, 'model.end').flatMap(({ error }) => (error ? [error.code] : []));
        return firstProblem(
          ended(outcome),
          expect('errors', errors, vendor.silentOverflow ? [] : ['context_overflow']),
          expect(
            'refused requests',
            trial.fake.exchanges.filter(({ refused }) => refused !== undefined).length,
            vendor.silentOverflow ? 0 : 1,
          ),
          expect('compactions', dataOf(trial, 'memory.compact').length, 1),
        );
      },
    ),

  'rate limit': (vendor) =>
    withTrial(vendor, { script: [{ fault: 'rate' }, heavy], agent: { tools: [] } }, async (trial) => {
      const outcome = await trial.agent.run('哪个订单更重？', trial);
      const [first, second] = trial.fake.exchanges;
      const waited = Math.round((second?.at ?? 0) - (first?.at ?? 0));
      return firstProblem(
        ended(outcome),
        expect('requests', trial.fake.exchanges.length, 2),
        waited < (vendor.rate?.headers?.['retry-after-ms'] ? 880 : 980) && `waited ${waited} ms instead of the time asked for`,
      );
    }),

  'daily quota': async (vendor) => {
    const conditions = { exhausted: vendor.model };
    const alone = await withTrial(vendor, { script: [heavy], conditions, agent: { tools: [] } }, async (trial) => {
      const { error } = await trial.agent.run('哪个订单更重？', trial);
      return firstProblem(expect('error', error?.code, vendor.quota?.expect), expect('requests', trial.fake.exchanges.length, 1));
    });
    if (alone) return alone;
    const next = `${vendor.provider}:${fallbackOf(vendor)}`;
    return withTrial(vendor, { script: [heavy], conditions, agent: { tools: [], fallback: [next] } }, async (trial) => {
      const outcome = await trial.agent.run('哪个订单更重？', trial);
      const models = trial.fake.exchanges.map(({ body }) => body.model);
      const told = dataOf(trial, 'run.note').filter(({ code }) => code === 'model_fallback');
      return firstProblem(
        ended(outcome),
        expect('models asked', models, [vendor.model, fallbackOf(vendor)]),
        expect('model of the outcome', outcome.model, next),
        expect('times that people were told', told.length, 1),
      );
    });
  },

  image: (vendor) =>
    withTrial({ ...vendor, model: vendor.imageModel ?? vendor.model }, { script: [heavy], agent: { tools: [] } }, async (trial) => {
      const files = [{ name: '红色.png', media_type: 'image/png', data: picture }];
      const outcome = await trial.agent.run('What colour is this?', { files, onEvent: trial.onEvent });
      const sent = JSON.stringify(trial.fake.exchanges[0]?.body ?? {});
      return firstProblem(refusals(trial), ended(outcome), !/image_url|"images"|"image"|input_image/.test(sent) && 'no picture was sent');
    }),
};

/** A model of the same family, so that its habits are the same. */
function fallbackOf({ model, imageModel }: Vendor): string {
  return imageModel ?? `${model}-next`;
}

function counted({ fake }: Trial) {
  const { input, output } = fake.exchanges[0]?.counted ?? {};
  return { inputTokens: input, outputTokens: output };
}

// ---- thinking with tools over three steps, and a second request behind it ------------------------------------

const thinkingScript: readonly Turn[] = [
  { reasoning: '先称 A，then the rest.', calls: weigh('A') },
  { reasoning: 'A weighs 1 kg. Now B and C.', calls: weigh('B', 'CC') },
  { reasoning: 'Enough is known.', ...heavy },
  { reasoning: 'A short thanks.', text: '不客气。' },
];

async function thinking(trial: Trial): Promise<string | undefined> {
  const { vendor } = trial;
  const session = trial.agent.session();
  const outcome = await session.run('Weigh A, B and CC, then compare.', trial);
  const shown = dataOf(trial, 'model.end').map(({ reasoning }) => reasoning?.trim());
  const said = thinkingScript.slice(0, 3).map(({ reasoning }) => reasoning);
  const next = await session.run('谢谢！', trial);
  return firstProblem(
    refusals(trial),
    ended(outcome),
    expect('ran', trial.ran.toSorted(), ['weigh A', 'weigh B', 'weigh CC']),
    expect('steps', outcome.steps, 3),
    vendor.showsThinking && expect('thinking', shown, said),
    ended(next, '不客气。'),
  );
}
