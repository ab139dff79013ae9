/** The performers of a run with the hooks around them: what a hook decides becomes the facts that the performers would have told. */

import type { Call, EventData, Fact, Guard, Performers, Performing, State } from '../kernel/types.ts';
import { ABORTED, contextOf, type Hooks, hear, VETO, verdict } from './hooks.ts';

/** The performers with the hooks around them. */
export function withHooks(performers: Performers, hooks: Hooks): Performers {
  return {
    ...performers,
    think: aroundThink(performers.think, hooks),
    prepare: aroundPrepare(performers.prepare, hooks),
    act: aroundAct(performers.act, hooks),
  };
}

// ---- around the model ----------------------------------------------------------------------------------

function aroundThink(think: Performers['think'], { beforeModel, afterModel }: Hooks): Performers['think'] {
  return async (state, performing) => {
    let asked = state;
    if (beforeModel) {
      const { messages, instructions, model } = state;
      const said = await hear(
        'beforeModel',
        () => beforeModel({ messages, instructions, model }, contextOf(state, performing, 1)),
        performing,
      );
      if (said === ABORTED) return;
      if (said && 'veto' in said)
        return performing.emit({ event_type: 'step.start', data: { step: state.step + 1 } }, ...vetoed(state, said.veto));
      if (said) {
        await performing.emit(verdict('beforeModel', 'change', said.reason));
        asked = { ...state, messages: said.messages ?? messages, instructions: said.instructions ?? instructions };
      }
    }
    if (!afterModel) return think(asked, performing);
    const judge = async (fact: Fact) => (fact.event_type === 'model.end' ? afterReply(afterModel, fact, state, performing) : [fact]);
    await think(asked, intercepted(performing, judge));
  };
}

function vetoed(state: State, reason: string): Fact[] {
  const error = { code: VETO, message: reason };
  const data: EventData['model.end'] = { model: state.model, text: '', calls: [], finish: 'error', ms: 0, error };
  return [verdict('beforeModel', 'veto', reason), { event_type: 'model.end', data }];
}

async function afterReply(
  hook: NonNullable<Hooks['afterModel']>,
  end: Fact<'model.end'>,
  state: State,
  performing: Performing,
): Promise<Fact[]> {
  const { data } = end;
  if (data.error || data.finish === 'interrupted') return [end];
  const calls = data.calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: structuredClone(args) }));
  const said = await hear(
    'afterModel',
    () => hook({ text: data.text, calls, model: data.model }, contextOf(state, performing, 1)),
    performing,
  );
  if (said === ABORTED) return [{ ...end, data: { ...data, calls: [], finish: 'interrupted' } }];
  if (!said) return [end];
  if ('veto' in said) {
    const error = { code: VETO, message: said.veto };
    return [verdict('afterModel', 'veto', said.veto), { ...end, data: { ...data, calls: [], error } }];
  }
  if ('ask' in said) {
    const asked = data.calls.map((call) => ({ ...call, ask: said.ask }));
    return [verdict('afterModel', 'ask', said.ask), { ...end, data: { ...data, calls: asked } }];
  }
  const { text = data.text, drop = [], reason } = said;
  const kept = data.calls.filter(({ id }) => !drop.includes(id));
  const raw = data.raw ?? (text === data.text ? undefined : data.text);
  return [verdict('afterModel', 'change', reason), { ...end, data: { ...data, text, calls: kept, ...(raw === undefined ? {} : { raw }) } }];
}

/** A request or reply that a hook has refused ends the run, as any guard does. */
export const vetoGuard: Guard = function vetoGuard({ error }) {
  return error?.code === VETO ? { guard: 'hook', verdict: 'stop', message: error.message } : undefined;
};

// ---- around the tools ----------------------------------------------------------------------------------

function aroundPrepare(prepare: Performers['prepare'], { beforeTool }: Hooks): Performers['prepare'] {
  return async (state, calls, performing) => {
    const facts: Fact[] = [];
    for (const fact of await reported(prepare, state, calls, performing)) {
      const call = fact.event_type === 'call.prepare' ? calls.find(({ id }) => id === fact.data.call_id) : undefined;
      if (!call || fact.event_type !== 'call.prepare') facts.push(fact);
      else {
        const judged = await beforeCall(beforeTool, call, withAsk(fact, call.ask), { prepare, state, performing });
        if (judged === ABORTED) return;
        facts.push(...judged);
      }
    }
    await performing.emit(...facts);
  };
}

async function beforeCall(
  hook: Hooks['beforeTool'],
  call: Call,
  prepared: Fact<'call.prepare'>,
  { prepare, state, performing }: { prepare: Performers['prepare']; state: State; performing: Performing },
): Promise<Fact[] | typeof ABORTED> {
  if (!hook) return [prepared];
  const { call_id, name, arguments: args, level } = prepared.data;
  const request = { id: call_id, name, arguments: structuredClone(args), level };
  const said = await hear('beforeTool', () => hook(request, contextOf(state, performing)), performing);
  if (said === ABORTED) return ABORTED;
  if (!said) return [prepared];
  if ('veto' in said) {
    const message = TEXT[state.language].vetoed(name, said.veto);
    return [verdict('beforeTool', 'veto', said.veto, call_id), { event_type: 'call.reject', data: { call_id, name, code: VETO, message } }];
  }
  if ('ask' in said) return [verdict('beforeTool', 'ask', said.ask, call_id), withAsk(prepared, said.ask)];
  const again = await reported(prepare, state, [{ ...call, name, arguments: said.arguments }], performing);
  const kept = again.map((fact) => (fact.event_type === 'call.prepare' ? withAsk(fact, call.ask) : fact));
  return [verdict('beforeTool', 'change', said.reason, call_id), ...kept];
}

/** What prepare would have told, held back. */
async function reported(prepare: Performers['prepare'], state: State, calls: readonly Call[], performing: Performing): Promise<Fact[]> {
  const facts: Fact[] = [];
  await prepare(
    state,
    calls,
    intercepted(performing, async (fact) => {
      facts.push(fact);
      return [];
    }),
  );
  return facts;
}

function withAsk(fact: Fact<'call.prepare'>, ask: string | undefined): Fact<'call.prepare'> {
  const reasons = [...new Set([fact.data.ask, ask].filter((reason) => reason !== undefined))];
  return reasons.length === 0 ? fact : { ...fact, data: { ...fact.data, ask: reasons.join('; ') } };
}

/** What has run is told in any case: a hook that fails ends the run after the results are in. */
function aroundAct(act: Performers['act'], { afterTool }: Hooks): Performers['act'] {
  if (!afterTool) return act;
  return async (state, calls, performing) => {
    let failure: unknown;
    const judge = async (fact: Fact): Promise<Fact[]> => {
      if (fact.event_type !== 'tool.end') return [fact];
      try {
        return await afterCall(afterTool, fact, state, performing);
      } catch (error) {
        failure ??= error;
        return [fact];
      }
    };
    await act(state, calls, intercepted(performing, judge));
    if (failure !== undefined) throw failure;
  };
}

async function afterCall(
  hook: NonNullable<Hooks['afterTool']>,
  end: Fact<'tool.end'>,
  state: State,
  performing: Performing,
): Promise<Fact[]> {
  const { call_id, name, result, shaped } = end.data;
  const args = state.calls.find(({ id }) => id === call_id)?.arguments ?? {};
  const finished = { id: call_id, name, arguments: structuredClone(args), result: structuredClone(result), shown: shaped };
  const said = await hear('afterTool', () => hook(finished, contextOf(state, performing)), performing);
  if (said === ABORTED || !said) return [end];
  if ('veto' in said) {
    const message = TEXT[state.language].withheld(name, said.veto);
    const failed = { success: false as const, error: { code: VETO, message } };
    return [verdict('afterTool', 'veto', said.veto, call_id), { ...end, data: { ...end.data, result: failed, shaped: message } }];
  }
  const { shown = shaped, untrusted, private: isPrivate, reason } = said;
  const marks = { ...(untrusted ? { untrusted } : {}), ...(isPrivate ? { private: isPrivate } : {}) };
  return [verdict('afterTool', 'change', reason, call_id), { ...end, data: { ...end.data, shaped: shown, ...marks } }];
}

const TEXT = {
  en: {
    vetoed: (name: string, why: string) => `${name} was refused, and nothing was run: ${why}`,
    withheld: (name: string, why: string) => `${name} has run, but its result is withheld: ${why}`,
  },
  zh: {
    vetoed: (name: string, why: string) => `${name} 被拒绝，没有执行：${why}`,
    withheld: (name: string, why: string) => `${name} 已执行，但结果不予提供：${why}`,
  },
} as const;

/** Each fact as `judge` makes it, in order; one emit stays one. */
function intercepted(performing: Performing, judge: (fact: Fact) => Promise<Fact[]>): Performing {
  return {
    async emit(...facts) {
      const judged: Fact[] = [];
      for (const fact of facts) judged.push(...(await judge(fact)));
      if (judged.length > 0) await performing.emit(...judged);
    },
    delta: (fact) => performing.delta(fact),
    get signal() {
      return performing.signal;
    },
  };
}
