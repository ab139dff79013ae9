/**
 * Every key of the configuration, in one table: type, default, range and what it is for, in both languages. The types of the values,
 * the checks, `hermes config show` and the file that `hermes init` writes all come from here.
 */

import { GUARD_NUMBERS } from '../guards/numbers.ts';
import { isRule } from '../guards/permissions.ts';
import { PRESELECT, PRESELECT_ABOVE } from './shown.ts';

export type Kind = 'text' | 'integer' | 'number' | 'boolean' | 'list';

export interface Key<T> {
  kind: Kind;
  /** undefined = not set; the part that reads it then decides by itself. */
  default: T;
  /** What a good value is, for the message about a bad one. */
  expected: string;
  en: string;
  zh: string;
  /** Known and checked, but no part of this version reads it yet. */
  later: boolean;
  /** The value as the program uses it; undefined when it is not what was expected. */
  accept(raw: unknown): T | undefined;
}

interface Range {
  min?: number;
  max?: number;
}

function numeric<D extends number | undefined>(
  kind: 'integer' | 'number',
  fallback: D,
  range: Range,
  en: string,
  zh: string,
): Key<D | number> {
  const { min = 0, max } = range;
  return {
    kind,
    default: fallback,
    expected: `${kind === 'integer' ? 'a whole number' : 'a number'} ${max === undefined ? `of at least ${min}` : `from ${min} to ${max}`}`,
    en,
    zh,
    later: false,
    accept: (raw) => {
      if (typeof raw !== 'number' || !Number.isFinite(raw) || (kind === 'integer' && !Number.isSafeInteger(raw))) return undefined;
      return raw >= min && raw <= (max ?? Number.MAX_SAFE_INTEGER) ? raw : undefined;
    },
  };
}

function integer<D extends number | undefined>(fallback: D, range: Range, en: string, zh: string): Key<D | number> {
  return numeric('integer', fallback, range, en, zh);
}

function decimal<D extends number | undefined>(fallback: D, range: Range, en: string, zh: string): Key<D | number> {
  return numeric('number', fallback, range, en, zh);
}

function text<D extends string | undefined>(fallback: D, en: string, zh: string): Key<D | string> {
  const accept = (raw: unknown) => (typeof raw === 'string' ? raw : undefined);
  return { kind: 'text', default: fallback, expected: 'a text', en, zh, later: false, accept };
}

function flag(fallback: boolean, en: string, zh: string): Key<boolean> {
  const accept = (raw: unknown) => (typeof raw === 'boolean' ? raw : undefined);
  return { kind: 'boolean', default: fallback, expected: 'true or false', en, zh, later: false, accept };
}

function list(fallback: readonly string[], en: string, zh: string): Key<readonly string[]> {
  const accept = (raw: unknown) => (Array.isArray(raw) && raw.every((item) => typeof item === 'string') ? (raw as string[]) : undefined);
  return { kind: 'list', default: fallback, expected: 'a list of texts, such as ["a", "b"]', en, zh, later: false, accept };
}

function rules(en: string, zh: string): Key<readonly string[]> {
  const key = list([], en, zh);
  const expected =
    'a list of rules TOOL, TOOL:PATTERN or TOOL:ARGUMENT=PATTERN; a TOOL has letters, digits, _ and -, and * for any of them';
  const accept = (raw: unknown) => (key.accept(raw)?.every(isRule) ? (raw as string[]) : undefined);
  return { ...key, expected, accept };
}

/** One of a few words, in any letter case. */
function choice<C extends string>(fallback: C, choices: readonly C[], en: string, zh: string): Key<C> {
  const accept = (raw: unknown) => choices.find((one) => typeof raw === 'string' && one.toLowerCase() === raw.toLowerCase());
  return { kind: 'text', default: fallback, expected: `one of ${choices.join(', ')}`, en, zh, later: false, accept };
}

function variable<D extends string | undefined>(fallback: D, en: string, zh: string): Key<D | string> {
  const expected = 'the name of an environment variable, such as DEEPSEEK_API_KEY (never the key itself)';
  const accept = (raw: unknown) => (typeof raw === 'string' && /^[A-Za-z_]\w*$/.test(raw) ? raw : undefined);
  return { ...text(fallback, en, zh), expected, accept };
}

function timezone(en: string, zh: string): Key<string | undefined> {
  const accept = (raw: unknown) => (typeof raw === 'string' && isTimezone(raw) ? raw : undefined);
  return { ...text(undefined, en, zh), expected: 'an IANA time zone, such as Asia/Shanghai', accept };
}

function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function currency(fallback: string, en: string, zh: string): Key<string> {
  const accept = (raw: unknown) => (typeof raw === 'string' && /^[A-Za-z]{3}$/.test(raw) ? raw.toUpperCase() : undefined);
  return { ...text(fallback, en, zh), expected: 'a currency of three letters, such as USD or CNY', accept };
}

/** 0 = the guard is off. */
function guard(
  name: Exclude<keyof typeof GUARD_NUMBERS, 'made_up' | 'claims' | 'comparison' | 'taint' | 'leak' | 'leak_refused'>,
  en: string,
  zh: string,
): Key<number> {
  return integer(GUARD_NUMBERS[name], {}, `${en} (0 = off)`, `${zh}（0 = 关闭）`);
}

function later<T>(key: Key<T>): Key<T> {
  return { ...key, later: true };
}

const PROTOCOLS = ['auto', 'native', 'json', 'react', 'guided'] as const;

export const KEYS = {
  model: {
    provider: text(
      undefined,
      'who serves the model: openai, deepseek, ollama, local ...',
      '模型由谁提供：openai、deepseek、ollama、local 等',
    ),
    base_url: text(undefined, "address of the endpoint; unset: the provider's own", '接口地址；不设则用提供方自己的地址'),
    api_key_env: variable(undefined, 'name of the variable that holds the key', '存放密钥的环境变量名'),
    model: text(undefined, "the model's name", '模型名'),
    temperature: decimal(0.2, { max: 2 }, 'sampling temperature', '采样温度'),
    max_tokens: integer(2048, { min: 1 }, 'most tokens of one reply', '单次回复的最多 token 数'),
    protocol: choice('auto', PROTOCOLS, 'how tools are asked for', '工具调用的方式'),
    context_window: integer(
      undefined,
      { min: 256 },
      "the model's window in tokens; unset: as the model is known",
      '模型上下文窗口（token）；不设则按已知模型',
    ),
    reasoning: choice(
      'provider-default',
      ['provider-default', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
      'how hard a reasoning model thinks',
      '推理模型的思考强度',
    ),
    fallback: list([], 'models to go on with when this one fails, in this order', '此模型失败时依次改用的模型'),
  },
  agent: {
    max_steps: integer(10, { min: 1, max: 1000 }, 'most model steps of a run', '一次运行最多的模型步数'),
    max_seconds: decimal(
      300,
      { min: 1 },
      'most seconds of work in a run; waiting for you does not count',
      '一次运行最多的工作秒数；等待你的时间不计',
    ),
    system_prompt: text('', 'instructions that stand before every request', '每次请求之前的指令'),
    instruction_files: flag(
      true,
      'AGENTS.md (else CLAUDE.md) of the user and the project joins the instructions',
      '将用户与项目的 AGENTS.md（否则 CLAUDE.md）并入指令',
    ),
    tool_white_list: list(['*'], 'tools that may be used, by name or pattern', '允许使用的工具（名称或通配）'),
    assistant: later(flag(false, 'a personal assistant: long-term memory is on', '个人助理：开启长期记忆')),
    timezone: timezone("time zone of dates and times; unset: the system's", '日期时间的时区；不设则用系统时区'),
    language: choice(
      'auto',
      ['auto', 'zh', 'en'],
      'language of reports and notes; auto: that of the request',
      '报告与提示的语言；auto 表示随请求',
    ),
  },
  tools: {
    directories: list(
      ['tools'],
      'folders that are scanned for tools; default: tools, when it is there',
      '扫描工具的目录；默认为 tools（存在时）',
    ),
    timeout_seconds: decimal(
      15,
      { min: 0.1 },
      'most seconds of one call, when the tool itself says nothing',
      '单次调用最多秒数（工具自己没有规定时）',
    ),
    result_characters: integer(
      2000,
      { min: 200 },
      'characters of a result that the model sees, when the tool itself says nothing; the rest is kept and can be read back',
      '模型看到的结果最多字符数（工具自己没有规定时）；其余部分保留，可再读取',
    ),
    max_parallel: integer(8, { min: 1, max: 64 }, 'calls that may run at the same time', '同时运行的调用数'),
    preselect: integer(
      PRESELECT,
      { min: 0, max: 1000 },
      `tools shown to the model, chosen by the request, when there are more than ${PRESELECT_ABOVE}; 0: all`,
      `工具超过 ${PRESELECT_ABOVE} 个时，按请求选出展示给模型的个数；0 表示全部`,
    ),
    disabled: list([], 'tools that are switched off, by name', '停用的工具'),
  },
  mcp: {
    disabled: list([], 'MCP servers that are switched off, by name', '停用的 MCP 服务器（按名称）'),
    trusted: list([], 'MCP servers whose own word counts on what their tools do', '可信的 MCP 服务器：其对自身工具的说明算数'),
    start_seconds: decimal(30, { min: 1 }, 'most seconds until a server is ready', '服务器启动最多秒数'),
    call_seconds: decimal(60, { min: 1 }, "most seconds of one call of a server's tool", '服务器工具单次调用最多秒数'),
  },
  skills: {
    directories: list(['skills'], 'folders that are scanned for skills', '扫描技能的目录'),
    disabled: list([], 'skills that are switched off, by name', '停用的技能'),
  },
  permissions: {
    allow: rules('TOOL or TOOL:PATTERN that runs without asking', '无需询问即可运行的 TOOL 或 TOOL:PATTERN'),
    ask: rules('TOOL or TOOL:PATTERN that you are asked about', '需要询问的 TOOL 或 TOOL:PATTERN'),
    deny: rules('TOOL or TOOL:PATTERN that never runs', '禁止运行的 TOOL 或 TOOL:PATTERN'),
    approval_days: decimal(7, { max: 36_500 }, 'days after which a question counts as no; 0: never', '询问多少天后视为拒绝；0 表示永不'),
  },
  guards: {
    loop_calls: guard(
      'loop_calls',
      'the same call with the same result: told at one less, not made at this number',
      '同样的调用得到同样的结果：少一次时提醒，达到此数不再执行',
    ),
    loop_insist: guard(
      'loop_insist',
      'calls refused so that are made all the same, after which the run ends',
      '因此被拒绝后仍坚持调用的次数，之后运行停止',
    ),
    tool_failures: guard('tool_failures', 'failures of a tool in a row that close it', '同一工具连续失败多少次后关闭'),
    argument_failures: guard('argument_failures', 'calls in a row with wrong arguments that close a tool', '连续多少次参数错误后关闭工具'),
    outward_calls: guard(
      'outward_calls',
      'calls in a run that act on the outside, also when allowed',
      '一次运行中对外操作的调用数（已获许可的也算）',
    ),
    made_up: flag(
      GUARD_NUMBERS.made_up,
      'answers that state what only a tool can know, without its result',
      '检查只有工具才能知道却没有结果的陈述',
    ),
    claims: flag(GUARD_NUMBERS.claims, 'answers that claim actions which no call bears out', '检查声称完成却没有调用证实的操作'),
    comparison: flag(
      GUARD_NUMBERS.comparison,
      'answers to "the earliest", "the cheapest" that name another item than the list of a tool does',
      '检查“最早”“最便宜”等请求的回答是否选对了列表中的那一项',
    ),
    answer_returns: guard(
      'answer_returns',
      'how often such an answer goes back to the model; then it is marked as not verified',
      '这类回答退回模型的次数，之后标记为未经证实',
    ),
    taint: flag(
      GUARD_NUMBERS.taint,
      'after untrusted text has entered, calls with consequences are asked about, whatever the rules allow',
      '不可信文本进入后，有后果的调用必须询问，规则允许也不例外',
    ),
    leak: flag(
      GUARD_NUMBERS.leak,
      'private data, untrusted text and a way out together are asked about',
      '私有数据、不可信文本与对外通道同时出现时询问',
    ),
    leak_refused: flag(GUARD_NUMBERS.leak_refused, 'they are refused instead', '改为直接拒绝'),
    failure_insist: guard('failure_insist', 'calls of a closed tool, after which the run ends', '继续调用已关闭工具多少次后运行停止'),
  },
  memory: {
    long_term_store: later(text('sqlite', 'where long-term memory is kept; none: nowhere', '长期记忆的存储；none 表示不存')),
    auto_summarize: later(flag(true, 'older rounds become a summary', '较早的轮次自动摘要')),
    recall_top_k: later(integer(5, { min: 1, max: 100 }, 'memories that are recalled at most', '最多召回的记忆条数')),
    recall_min_score: later(decimal(0.6, { max: 1 }, 'least score of a recalled memory', '召回记忆的最低分')),
    embedding: later(text('auto', 'model that makes the vectors', '生成向量的模型')),
    keep_rounds: later(integer(10, { min: 2 }, 'last rounds that stay word for word', '原样保留的最近轮数')),
    summary_after_tokens: later(integer(6000, { min: 256 }, 'tokens beyond which a summary is made', '超过多少 token 时摘要')),
    summary_after_messages: later(integer(8, { min: 1 }, 'assistant messages beyond which a summary is made', '超过多少条回复时摘要')),
    summary_at_window: later(decimal(0.7, { min: 0.1, max: 1 }, 'part of the window at which a summary is made', '窗口占用到几成时摘要')),
    summary_on_subtask: later(flag(true, 'a finished sub-task is summarised', '子任务结束后摘要')),
  },
  limits: {
    run_tokens: integer(undefined, { min: 1 }, 'most tokens of a run with its sub-agents', '一次运行（含子智能体）最多的 token'),
    run_cost: decimal(undefined, {}, 'most cost of a run with its sub-agents', '一次运行（含子智能体）最多的费用'),
    day_tokens: integer(undefined, { min: 1 }, 'most tokens of a day, over all runs kept here', '一天最多的 token（此处保存的所有运行）'),
    day_cost: decimal(undefined, {}, 'most cost of a day, over all runs kept here', '一天最多的费用（此处保存的所有运行）'),
    currency: currency('USD', 'currency of the costs', '费用的货币'),
    unknown_price: choice('note', ['note', 'refuse'], 'when a price is not known: say so, or make no call', '价格未知时：提示，或不调用'),
  },
  server: {
    host: later(text('127.0.0.1', 'address that the service listens on', '服务监听的地址')),
    port: later(integer(8420, { max: 65535 }, 'port that the service listens on', '服务监听的端口')),
    token_env: later(variable('HERMES_TOKEN', 'name of the variable that holds the token of the service', '存放服务令牌的环境变量名')),
  },
  logging: {
    level: choice('INFO', ['DEBUG', 'INFO', 'WARNING', 'ERROR'], 'how much is said on standard error', '标准错误上输出的详细程度'),
    json_lines: flag(true, 'each run is also written as JSON Lines under .hermes/logs', '每次运行另写 JSON Lines 日志到 .hermes/logs'),
    sign_key: text(
      undefined,
      'file with an Ed25519 private key (PEM) that signs the end of each run',
      '用于签名每次运行结尾的 Ed25519 私钥文件（PEM）',
    ),
  },
};

export type Section = keyof typeof KEYS;
type ValueOf<K> = K extends Key<infer T> ? T : never;
export type ConfigValues = { [S in Section]: { [K in keyof (typeof KEYS)[S]]: ValueOf<(typeof KEYS)[S][K]> } };

/** The keys of a section, for code that walks the table. */
export function keysOf(section: Section): Record<string, Key<unknown>> {
  return KEYS[section] as Record<string, Key<unknown>>;
}
