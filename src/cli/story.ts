/** One line for each event that people want to see, the same while a run goes on and when it is looked back at. */

import type { Json, JsonObject, RunEvent } from '../kernel/types.ts';
import type { Translate } from './messages.ts';
import { cutToWidth, oneLine, widthOf } from './text.ts';

export interface Line {
  text: string;
  tone?: 'dim' | 'yellow' | 'red' | 'green';
  /** Only for those who want to see more (-v). */
  detail?: true;
}

/** Columns for the arguments of a call and for its result where the width is not known; the whole of both is in the log. */
const SHORT = 60;
/** What else stands on the line of a call: mark, brackets, arrow, milliseconds. */
const AROUND = 22;

/** Remembers names and arguments of calls, which later events only refer to. */
export class Story {
  readonly #t: Translate;
  readonly #columns: number | undefined;
  #model: string | undefined;
  readonly #arguments = new Map<string, JsonObject>();
  readonly #names = new Map<string, string>();

  /** With `columns` a call with its result fits one line. */
  constructor(t: Translate, columns?: number) {
    this.#t = t;
    this.#columns = columns;
  }

  line(event: RunEvent): Line | undefined {
    const t = this.#t;
    switch (event.event_type) {
      case 'run.start': {
        const { model, model_reason } = event.data;
        if (!model_reason || model === this.#model) return undefined; // in a talk it is said once
        this.#model = model;
        return { text: t('run.model', { model, reason: model_reason }), tone: 'dim' };
      }
      case 'run.resume':
        return { text: t('run.resumed'), tone: 'dim' };
      case 'run.change':
        return { text: t('run.changed', { what: event.data.model ?? Object.keys(event.data.tools ?? {}).join(', ') }), tone: 'dim' };
      case 'run.note':
        return event.data.level === 'warning' ? warning(event.data.message) : detail(event.data.message);
      case 'limit.reached':
        return warning(t('run.limit', { limit: event.data.limit, value: event.data.value }));
      case 'step.start':
        return detail(t('run.step', { step: event.data.step }));
      case 'model.end':
        if (event.data.error) return detail(event.data.error.message); // the outcome tells it, or the run goes on
        return event.data.decided_by === 'rail' ? detail(t('run.rail')) : undefined;
      case 'guard.trip':
        // A replaced answer is nothing to worry about; why it was replaced stands in the log.
        if (event.data.verdict === 'replace') return { text: t('run.replaced'), tone: 'dim' };
        if (event.data.verdict === 'nudge')
          return warning(t('run.nudged', { guard: event.data.guard, why: short(event.data.message.split('\n')[0]!) }));
        return warning(`${event.data.guard}: ${event.data.message}`);
      case 'hook.verdict': {
        const { hook, verdict, reason } = event.data;
        return verdict === 'change' ? detail(`${hook}: ${reason}`) : warning(`${hook}: ${reason}`);
      }
      case 'memory.compact':
        return detail(t('run.compacted', { before: event.data.tokens_before, after: event.data.tokens_after }));
      case 'input.add':
        return { text: `> ${event.data.message.content}`, tone: 'dim' };
      default:
        return this.#callLine(event);
    }
  }

  #callLine(event: RunEvent): Line | undefined {
    const t = this.#t;
    switch (event.event_type) {
      case 'call.prepare': {
        this.#arguments.set(event.data.call_id, event.data.arguments);
        this.#names.set(event.data.call_id, event.data.name);
        const repairs = (event.data.repairs ?? []).map((repair) => repair.note);
        return repairs.length > 0 ? detail(`${event.data.name}: ${repairs.join('; ')}`) : undefined;
      }
      case 'call.reject':
        return { text: `✗ ${event.data.name}: ${event.data.message}`, tone: 'red' };
      case 'call.permit': {
        const { decision, reason } = event.data;
        const by = t(`run.by.${event.data.by}`);
        if (decision === 'deny') return { text: `✗ ${t('run.denied')} (${by}): ${reason}`, tone: 'red' };
        return detail(t('run.permitted', { name: this.#names.get(event.data.call_id) ?? '', decision, by, reason }));
      }
      case 'approval.ask':
        for (const call of event.data.calls) this.#arguments.set(call.call_id, call.arguments);
        return {
          text: t('run.asked', { names: event.data.calls.map((call) => this.call(call.call_id, call.name)).join(', ') }),
          tone: 'yellow',
        };
      case 'approval.answer':
        if (event.data.decision === 'approve') return detail(t('run.approved', { by: event.data.by }));
        return { text: `✗ ${t('run.refused', { by: event.data.by })}${event.data.note ? `: ${event.data.note}` : ''}`, tone: 'red' };
      case 'tool.end': {
        const { call_id, name, result, shaped, ms } = event.data;
        const text = `${result.success ? '✓' : '✗'} ${this.call(call_id, name)} → ${short(shaped, this.#half(name))} · ${ms} ms`;
        return { text, tone: result.success ? 'green' : 'red' };
      }
      default:
        return undefined;
    }
  }

  /** name(argument: value, ...) of a call that has been prepared. */
  call(callId: string, name: string): string {
    const given = Object.entries(this.#arguments.get(callId) ?? {}).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
    return `${name}(${short(given.join(', '), this.#half(name))})`;
  }

  #half(name: string): number {
    return this.#columns === undefined ? SHORT : Math.max(8, Math.floor((this.#columns - AROUND - widthOf(name)) / 2));
  }
}

export function short(value: Json, columns = SHORT): string {
  return cutToWidth(oneLine(typeof value === 'string' ? value : JSON.stringify(value)), columns);
}

function warning(message: string): Line {
  return { text: `! ${message}`, tone: 'yellow' };
}

function detail(text: string): Line {
  return { text, tone: 'dim', detail: true };
}
