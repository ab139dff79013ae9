/** What an agent's runs share: model, protocol, toolbox, templates, permissions. Made at the first run, not at construction. */

import { budgetRule, CHECK_BUDGET } from '../guards/budget.ts';
import { createPermit, matchesPattern } from '../guards/permissions.ts';
import { withGate } from '../guards/taint.ts';
import { createSecrets, type Secrets } from '../journal/secrets.ts';
import type { EventStore } from '../journal/store.ts';
import type { EventData, Json, Rule, Rules, ToolInfo } from '../kernel/types.ts';
import { shorten } from '../memory/context.ts';
import { costOf } from '../models/prices.ts';
import type { ChatModel } from '../models/types.ts';
import { createNative, type NativeKept } from '../protocols/native.ts';
import { Templates } from '../protocols/templates.ts';
import type { Protocol } from '../protocols/types.ts';
import { createToolbox, type Toolbox } from '../tools/call.ts';
import type { Tool } from '../tools/define.ts';
import { FIND_TOOLS, findTools } from '../tools/find.ts';
import type { NoteStore } from '../tools/notes.ts';
import type { Summarise } from '../tools/running.ts';
import type { ReadBack } from '../tools/shape/kept.ts';
import { READ_RESULT, readResult } from '../tools/shape/read-result.ts';
import { budgetPerformer } from './budget.ts';
import { defined } from './defined.ts';
import { answerRules, guardsOf } from './guards.ts';
import { BEFORE_FINISH, beforeFinishPerformer, beforeFinishRule } from './hook-rule.ts';
import { vetoGuard } from './hooked.ts';
import type { Hooks } from './hooks.ts';
import { DESCRIBE_IMAGE, describeImages } from './images.ts';
import { asKnown, type OpenedModel, openModel } from './models.ts';
import type { OutputCheck } from './output.ts';
import { CHECK_OUTPUT, checkOutput } from './output-rule.ts';
import { createPermits, factsOf, type Permits } from './permits.ts';
import { createPriceWarning } from './price-warning.ts';
import { createRecover } from './recover.ts';
import { createShown, isMany } from './shown.ts';
import type { ThinkParts } from './think.ts';
import type { AgentOptions, Approver, Beginning, FeaturePerformer, ModelOption, ProtocolName } from './types.ts';

const DAY_MS = 86_400_000;

export interface AgentParts {
  options: AgentOptions;
  templates: Templates;
  native: NativeKept;
  toolbox: Toolbox;
  rules: Rules;
  /** Takes in a rule that "always" has made. */
  allow: Permits['allow'];
  secrets?: Secrets;
  /** The agent's own model, opened at first use. */
  model(): Promise<OpenedModel>;
  /** Any other model that a run names. */
  open(model: ModelOption): Promise<ChatModel>;
  makeToolbox(tools: readonly Tool[]): Toolbox;
  close(): Promise<void>;
}

/** The parts as one run sees them; `use` changes model and tools under way. */
export interface RunParts {
  think: Omit<ThinkParts, 'tools' | 'toolChange' | 'streaming'>;
  /** The model that the run begins with, and why it. */
  model: ChatModel;
  reason?: string;
  toolbox(): Toolbox;
  /** The same, or the one that `use` has brought for the next step. */
  nextToolbox(): Toolbox;
  /** What a step has to tell when tools came or went by themselves since the last. */
  toolChange(): EventData['run.change'] | undefined;
  toolHashes(): Record<string, string>;
  rules: Rules;
  allow: Permits['allow'];
  secrets?: Secrets;
  store?: EventStore;
  approver?: Approver;
  hooks?: Hooks;
  performers: Readonly<Record<string, FeaturePerformer>>;
  /** The check of the answer, when it has to be a value. */
  output?: OutputCheck;
  workspace: string;
  /** Makes the change ready and gives the event that tells of it. */
  use(change: { tools?: readonly Tool[]; model?: ModelOption }): Promise<EventData['run.change']>;
}

export function agentParts(options: AgentOptions): AgentParts {
  const secrets = options.secrets && Object.keys(options.secrets).length > 0 ? createSecrets(options.secrets) : undefined;
  const { whiteList = ['*'], approvalDays = 7, ...permissions } = options.permissions ?? {};
  const { allow = [] } = permissions;
  const facts = factsOf(options.tools ?? []);
  const permits = createPermits(
    (more) =>
      withGate(createPermit({ ...permissions, allow: [...allow, ...more], white_list: [...whiteList, FIND_TOOLS, READ_RESULT], ...facts })),
    facts,
  );
  const isOffered = (tool: Tool) => whiteList.some((pattern) => matchesPattern(pattern, tool.info.name));
  /** With what reads on in their results, and what finds the others, when not all are shown. */
  const offered = (tools: readonly Tool[]) => {
    const isReader = ({ info }: Tool) => info.name === READ_RESULT;
    const asked = tools.filter((tool) => !isReader(tool) && isOffered(tool));
    const finder = isMany(asked, options.preselect) ? [findTools(asked.map(({ info }) => info))] : [];
    const reader = options.readBack === false || asked.length === 0 ? [] : [tools.find(isReader) ?? readResult];
    return [...asked, ...finder, ...reader];
  };
  const summarise: Summarise = async (...given) => {
    summarising ??= import('./summarise.ts').then(make);
    return (await summarising)(...given);
  };
  const makeToolbox = (tools: readonly Tool[]) =>
    createToolbox({
      tools: offered(tools),
      ...defined({
        workspace: options.workspace,
        codeFolders: options.codeFolders,
        maxParallel: options.maxParallel,
        timeoutMs: options.toolTimeoutMs,
        resultCharacters: options.resultCharacters,
        timezone: options.timezone,
        settings: options.toolSettings,
        env: options.env,
      }),
      ...(options.store ? { notes: storedNotes(options.store, secrets), readBack: storedResults(options.store) } : {}),
      ...(secrets ? { restore: secrets.restore, hide: secrets.hide } : {}),
      summarise,
    });
  const toolbox = makeToolbox(options.tools ?? []);
  const opened = new Map<string, Promise<ChatModel>>();
  let own: Promise<OpenedModel> | undefined;
  let summarising: Promise<Summarise> | undefined;
  const templates = new Templates(options.templates);
  const make = ({ createSummarise }: typeof import('./summarise.ts')): Summarise =>
    createSummarise({
      model: async (state) => (await ownModel(parts, state.model)).model,
      cost: (model, usage) => usage && costOf(model.id, usage, defined({ own: options.prices?.[model.id] })),
      templates,
    });
  const parts: AgentParts = {
    options,
    templates,
    native: {},
    toolbox,
    rules: {
      ...permits.rules,
      ...(approvalDays === 0 ? {} : { approval_ms: approvalDays * DAY_MS }),
      compact: shorten,
      ...options.rules,
    },
    allow: permits.allow,
    ...(secrets ? { secrets } : {}),
    makeToolbox,
    model: () => {
      if (own) return own;
      own = openModel(options.model, options);
      own.catch(() => {
        own = undefined; // the next run tries again
      });
      return own;
    },
    open: async (model) => {
      if (typeof model !== 'string') return asKnown(model) ?? (await openModel(model, options)).model;
      const known = opened.get(model);
      if (known) return known;
      const opening = openModel(model, options).then(({ model: chat }) => chat);
      opened.set(model, opening);
      opening.catch(() => opened.delete(model)); // the next time it is tried again
      return opening;
    },
    async close() {
      await toolbox.close();
      for (const model of [own?.then((found) => found.model), ...opened.values()]) await (await model?.catch(() => undefined))?.close?.();
    },
  };
  return parts;
}

/** `auto` is what the model can do: what was measured or learnt, rails for a tiny local model, else the provider's function calling. */
export function chooseProtocol(wanted: ProtocolName | undefined, model: ChatModel): string {
  if (wanted !== undefined && wanted !== 'auto') return wanted;
  const { protocol, tools } = model.abilities ?? {};
  if (protocol !== undefined) return protocol;
  if (model.provider === 'local') return 'guided';
  return tools === false ? 'json' : 'native';
}

export async function runParts(agent: AgentParts, beginning: Beginning): Promise<RunParts> {
  const { model: wanted, before, resume, approver } = beginning;
  const { options, secrets } = agent;
  const output = await openOutput(agent, beginning);
  const models = new Map<string, ChatModel>();
  const opened: OpenedModel = wanted === undefined ? await ownModel(agent, resume && before?.model) : { model: await agent.open(wanted) };
  models.set(opened.model.id, opened.model);
  const ask = options.onApproval ?? approver;
  const protocols = new Map<string, Protocol | Promise<Protocol>>();
  let { toolbox } = agent;
  let live: readonly Tool[] | undefined = options.tools;
  let changed: Toolbox | undefined; // other tools come in with the next step: calls on their way keep theirs
  let grounding: Rule | undefined; // comes with the protocol that needs it
  const answers = answerRules(() => toolbox.infos);
  const final = options.hooks?.beforeFinish;
  const own = [...(agent.rules.beforeFinish ?? []), ...(final ? [beforeFinishRule] : [])];
  const beforeFinish: Rule[] = [(state) => grounding?.(state), ...answers.check, ...own, checkOutput, answers.truth];

  const cost: ThinkParts['cost'] = (model, usage) => usage && costOf(model.id, usage, defined({ own: options.prices?.[model.id] }));

  /** The usual one is at hand. */
  function makeProtocol(name: string): Protocol | Promise<Protocol> {
    if (name === 'json') return import('../protocols/json.ts').then(({ createJson }) => createJson(agent.templates));
    if (name === 'react') return import('../protocols/react.ts').then(({ createReact }) => createReact(agent.templates));
    if (name !== 'guided') return createNative(agent.templates, agent.native);
    return loadGuided(agent, () => toolbox.infos).then((guided) => {
      grounding = guided.grounding;
      return guided.protocol;
    });
  }

  const describe: FeaturePerformer = async (_input, { state, signal }) => {
    const describer = await import('./describe.ts');
    return describer.describe(state, signal, { model: models.get(state.model) ?? opened.model, cost, templates: agent.templates });
  };

  return {
    ...opened,
    think: {
      model: (id) => models.get(id) ?? opened.model,
      protocol: (name) => {
        const protocol = protocols.get(name) ?? makeProtocol(name);
        protocols.set(name, protocol);
        return protocol;
      },
      ...defined({ temperature: options.temperature, maxTokens: options.maxTokens, reasoning: options.reasoning }),
      recover: createRecover({
        auto: (options.protocol ?? 'auto') === 'auto',
        fallback: options.fallback ?? [],
        open: async (name) => {
          const model = await agent.open(name);
          models.set(model.id, model);
          return { model, protocol: chooseProtocol(options.protocol, model) };
        },
      }),
      shown: createShown(options.preselect),
      cost,
      oldPrices: createPriceWarning(options.env),
      ...debugHook(options.debugDirectory, secrets),
    },
    toolbox: () => toolbox,
    nextToolbox() {
      toolbox = changed ?? toolbox;
      changed = undefined;
      return toolbox;
    },
    toolChange() {
      const now = options.liveTools?.();
      if (now === undefined || now === live) return undefined;
      live = now;
      changed = agent.makeToolbox(now);
      return { tools: hashes(changed) };
    },
    toolHashes: () => (options.store ? hashes(toolbox) : {}),
    rules: {
      ...agent.rules,
      guards: [vetoGuard, ...guardsOf(() => toolbox.infos), ...(agent.rules.guards ?? [])],
      beforeThink: [budgetRule, describeImages, ...(agent.rules.beforeThink ?? [])],
      beforeFinish,
    },
    performers: {
      ...options.performers,
      [DESCRIBE_IMAGE]: describe,
      [CHECK_BUDGET]: budgetPerformer({
        cost: (state, usage) => cost(models.get(state.model) ?? opened.model, usage),
        ...defined({ store: options.store, timezone: options.timezone }),
      }),
      ...(output ? { [CHECK_OUTPUT]: output.perform } : {}),
      ...(final ? { [BEFORE_FINISH]: beforeFinishPerformer(final) } : {}),
    },
    workspace: options.workspace ?? process.cwd(),
    allow: agent.allow,
    ...defined({ secrets, store: options.store, approver: ask, hooks: options.hooks, output }),
    async use(change) {
      const facts: EventData['run.change'] = {};
      if (change.model !== undefined) {
        const model = await agent.open(change.model);
        models.set(model.id, model);
        facts.model = model.id;
        facts.protocol = chooseProtocol(options.protocol, model);
      }
      if (change.tools !== undefined) {
        changed = agent.makeToolbox(change.tools);
        facts.tools = hashes(changed);
      }
      return facts;
    },
  };
}

/** What the caller asks for now; a run that is gone on with keeps what it was asked for. */
async function openOutput({ templates }: AgentParts, { output, before, resume, continues, message }: Beginning) {
  const isGoingOn = resume !== undefined || (continues?.fork === true && !message);
  const form = output ?? (isGoingOn && before?.output_schema ? { schema: before.output_schema } : undefined);
  return form && (await import('./output.ts')).OutputCheck.open(form, templates);
}

/** A resumed run goes on with the model it began with, when that is another than the agent's own. */
async function ownModel(agent: AgentParts, before: string | undefined): Promise<OpenedModel> {
  const own = await agent.model();
  return before === undefined || before === own.model.id ? own : { model: await agent.open(before) };
}

/** The rails for tiny models, with the check of their answers; loaded when a run wants them. */
async function loadGuided(agent: AgentParts, tools: () => readonly ToolInfo[]): Promise<{ protocol: Protocol; grounding: Rule }> {
  const { createGuided } = await import('../protocols/guided/guided.ts');
  const { groundAnswer } = await import('../guards/grounding.ts');
  const { selectTools } = await import('../tools/select.ts');
  const { explainArgument, resolveArgument } = await import('../tools/resolve.ts');
  const protocol = createGuided({ select: selectTools, resolve: resolveArgument, templates: agent.templates });
  return { protocol, grounding: groundAnswer(tools, explainArgument) };
}

function hashes(toolbox: Toolbox): Record<string, string> {
  return Object.fromEntries(toolbox.infos.map((info) => [info.name, info.hash]));
}

function debugHook(directory: string | undefined, secrets: Secrets | undefined): Pick<ThinkParts, 'debug'> {
  if (directory === undefined) return {};
  const debug: ThinkParts['debug'] = async (state, request, reply) => {
    const { writeDebug } = await import('./debug.ts');
    writeDebug(directory, state, request, reply, secrets);
  };
  return { debug };
}

function storedResults(store: EventStore): ReadBack {
  return async ({ run_id, handle }) => (await import('../journal/results.ts')).storedResult(store, run_id, handle);
}

/** The assistant's notes live in the store, beside its runs: a text, or { text, untrusted } when it may hold words of strangers. */
function storedNotes(store: EventStore, secrets: Secrets | undefined): NoteStore {
  const marked = (value: Json | undefined): value is { text: string; untrusted: true } =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && typeof value.text === 'string' && value.untrusted === true;
  const text = (value: Json) => (marked(value) ? value.text : typeof value === 'string' ? value : JSON.stringify(value));
  return {
    async get(key) {
      const value = await store.notes.get('notes', key);
      return value === undefined ? undefined : text(value);
    },
    set(key, given, untrusted) {
      const value = secrets ? secrets.hide(given) : given;
      return store.notes.set('notes', key, untrusted ? { text: value, untrusted } : value);
    },
    list: async () => (await store.notes.list('notes')).map(({ key }) => key),
    delete: async (key) => void (await store.notes.delete('notes', key)),
    isUntrusted: async (key) =>
      key === undefined
        ? (await store.notes.list('notes')).some(({ value }) => marked(value))
        : marked(await store.notes.get('notes', key)),
  };
}
