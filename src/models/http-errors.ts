/**
 * Every way in which a model endpoint can refuse, as one HermesError each: its own code, the endpoint by name, what to do
 * next, and whether trying again may help. No message holds a key. What fails on the wire is in wire-errors.ts.
 */

import { HermesError } from '../kernel/errors.ts';
import { cut } from '../kernel/text.ts';
import type { Json } from '../kernel/types.ts';
import type { Habits } from './profile.ts';

/** What an error has to name: the endpoint (never with credentials), the model, and where the key came from. */
export interface Place {
  /** e.g. `openai at https://api.openai.com/v1` */
  endpoint: string;
  model: string;
  apiKey?: string;
  /** e.g. OPENAI_API_KEY */
  apiKeySource?: string;
  /** Other endpoints, by provider name, that a key of the same variable may belong to: regions and plans. */
  siblings?: readonly string[];
  /** The provider's own words, beside those of all. */
  errors?: Habits['errors'];
}

export function modelError(
  code: string,
  message: string,
  next: string,
  options: { retryable?: boolean; cause?: unknown; data?: Record<string, Json> } = {},
): HermesError {
  return new HermesError(code, message, { kind: 'model', next, ...options });
}

/** From the vendors' own texts (pi-ai and opencode keep such lists); texts about rates are looked at before. */
const overflow = [
  /context[_ ]length[_ ]exceeded|exceeds? the (model's )?context (window|length)|maximum context length|greater than the context length/i,
  /prompt is too long|input token count.{0,80}exceeds the maximum|maximum prompt length is|reduce the length of the messages/i,
  /exceeded model token limit|range of input length should be|context window exceeds limit|too large for model with \d+ maximum/i,
  /exceed_context_size|exceeds the available context size|string_above_max_length|request[_ ](body )?too[_ ]large|"1261"|payload too large/i,
];
const quota = /insufficient_quota|per[ -_]?day|\b[TR]PD\b|daily|"?code"?:\s*"?1308\b|usage limit/i;
const balance =
  /insufficient[ _]balance|balance is (not enough|insufficient)|AccountOverdue|insufficient credits|"?code"?:\s*"?(1113|1008)\b|余额不足|欠费/i;
const perMinute = /per[ -_]?minute|\b[TR]PM\b/i;
const wrongKey =
  /(invalid|incorrect|wrong|unknown|not a valid)[ _]api[ _-]?key|api[ _-]?key (is )?(not valid|invalid|incorrect|expired)|API_KEY_INVALID/i;
const expired = /expired|过期|已失效/i;
const noTools =
  /(does not|doesn't|not) support(ed)? (tools|tool (use|calls?|calling)|function[ _]call)|(tool (use|calls?|calling)|`?tools`?|function[ _]calling) (is|are) not supported|support tool use|enable-auto-tool-choice|tools param requires/i;
/** Only the form of the answer does not go together with tools. */
const aboutFormat = /response_format|json[_ ](mode|schema|object)|structured output/i;
const noImages =
  /(does not|doesn't|not) support(ed)? (image|vision|multimodal)|(?<!this )image(_url| inputs?|s)?['"` ]{1,3}(is|are) not supported|support image input|not a multimodal model|unknown variant `image_url`/i;
const noModel =
  /model[ _]not[ _](found|exist)|\bmodel\b.{0,120}(does not|doesn't|not) exist|not a valid model id|(invalid|unknown)[ _]model\b|no such model|not found the model|模型不存在/i;

/** Headers as Node gives them: lower-case names. */
type Headers = Record<string, string | string[] | undefined>;

/** An answer that is not 200, or an error object inside a stream (`status` as it says there, or 0). */
export function statusError(place: Place, status: number, headers: Headers, text: string): HermesError {
  const said = saidBy(place, text);
  // Further down some servers repeat the request, whose words are not theirs.
  const body = text.slice(0, 4000);
  const says = `${place.endpoint} answered ${status || 'with an error'}${said && `: ${said}`}`;
  const data: Record<string, Json> = { status };
  const own = (kind: keyof NonNullable<Place['errors']>) => place.errors?.[kind] && new RegExp(place.errors[kind], 'i').test(body);

  if (status >= 300 && status < 400)
    return modelError('redirected', `${says} (a redirect to ${headers.location}).`, 'Write the new address as base_url.', { data });
  if (own('quota')) return quotaError(says, data);
  if (own('rate')) return rateError(says, headers, body, data);
  if (own('balance') || balance.test(body) || status === 402) return balanceError(place, says, data);
  if (status === 429 || (quota.test(body) && (status === 0 || status === 403)))
    return quota.test(body) && !perMinute.test(body) ? quotaError(says, data) : rateError(says, headers, body, data);
  if (status === 413 || ((status < 429 || status >= 500) && (own('overflow') || overflow.some((pattern) => pattern.test(body)))))
    return modelError('context_overflow', says, 'Send less: a shorter history, smaller tool results, or a model with a larger window.', {
      data,
    });
  if (status === 401 || own('key') || (status === 400 && wrongKey.test(body)) || (status === 403 && /key|token|auth/i.test(body)))
    return keyError(place, says, expired.test(body), data);
  if (status === 403) return modelError('forbidden', says, `Check what ${keyOf(place).replace('that an', 'an')} may use.`, { data });
  return (
    refusedError(place, status, says, { said, body, data, isModel: own('model') === true || noModel.test(body) }) ??
    serverError(status, says, headers, body, data)
  );
}

/** What the request asked of this model or path that is not there. */
function refusedError(
  { model }: Place,
  status: number,
  says: string,
  { said, body, data, isModel }: { said: string; body: string; data: Record<string, Json>; isModel: boolean },
): HermesError | undefined {
  if (noTools.test(body) && !aboutFormat.test(body)) {
    const server = /enable-auto-tool-choice|requires --jinja/.test(body);
    const next = server ? 'Start that server with the flags it names, or use' : 'Use another model, or';
    return modelError('tools_not_supported', says, `${next} --protocol json: then tools are asked for in words.`, {
      data: { ...data, server },
    });
  }
  if (noImages.test(body)) return modelError('images_not_supported', says, `Use a model that sees images instead of "${model}".`, { data });
  if (isModel || (status === 404 && /model/i.test(said)))
    return modelError('model_not_found', says, `Check the model name "${model}" (hermes models list).`, { data });
  if (status === 404 || status === 405 || /unexpected endpoint/i.test(body))
    return modelError('path_not_found', says, 'Check the path of base_url: most end in /v1.', { data });
  return undefined;
}

function serverError(status: number, says: string, headers: Headers, body: string, data: Record<string, Json>): HermesError {
  if (status === 0 || status === 408 || status >= 500)
    return modelError('server_error', says, 'Try again later, or use another model.', {
      retryable: true,
      data: { ...data, ...wait(headers, body) },
    });
  return modelError('bad_request', says, 'Check model name and options against what this endpoint supports.', { data });
}

/** A key of one region or plan is refused by the others, often with the words of a wrong one. */
function keyError(place: Place, says: string, isExpired: boolean, data: Record<string, Json>): HermesError {
  const { siblings = [], apiKeySource, model } = place;
  if (isExpired) return modelError('expired_key', says, `Make a new key, and put it into ${apiKeySource ?? 'its variable'}.`, { data });
  if (siblings.length === 0) return modelError('wrong_key', says, `Check ${keyOf(place)}.`, { data });
  const next = `Check ${keyOf(place)}, or ask where it is from: --model ${siblings[0]!.split(' ', 1)[0]}:${model}.`;
  return modelError('wrong_key', `${says} (the key may be one of ${siblings.join(', ')})`, next, { data });
}

function balanceError({ siblings = [] }: Place, says: string, data: Record<string, Json>): HermesError {
  const plan = siblings.length > 0 ? ` (a key of a plan or another region is for ${siblings.join(', ')})` : '';
  return modelError('balance_exhausted', `${says}${plan}`, 'Top up the account, or use another model.', { data });
}

function keyOf({ apiKeySource, apiKey }: Place): string {
  return apiKeySource ? `the key in ${apiKeySource}` : apiKey ? 'the API key' : 'that an API key is set';
}

function quotaError(says: string, data: Record<string, Json>): HermesError {
  return modelError('quota_exhausted', says, 'The quota of this key is used up: wait for its renewal, or use another model.', { data });
}

function rateError(says: string, headers: Headers, body: string, data: Record<string, Json>): HermesError {
  return modelError('rate_limited', says, 'Wait, or use another model.', { retryable: true, data: { ...data, ...wait(headers, body) } });
}

/** How long the server asks to wait: retry-after-ms, retry-after (seconds or a date), Google's retryDelay. */
function wait(headers: Headers, body: string): { retry_after_ms?: number } {
  const after = String(headers['retry-after'] ?? '');
  const delay = /"retryDelay":\s*"([\d.]+)s"/.exec(body)?.[1];
  const ms = headers['retry-after-ms']
    ? Number(headers['retry-after-ms'])
    : after
      ? /^[\d.]+$/.test(after)
        ? Number(after) * 1000
        : Date.parse(after) - Date.now()
      : Number(delay) * 1000;
  return Number.isFinite(ms) ? { retry_after_ms: Math.max(0, Math.round(ms)) } : {};
}

/** A 200 that holds no chat completion: another kind of server, or a gateway's page. */
export function notCompletion(place: Place, contentType: string, body: string): HermesError {
  const said = saidBy(place, body);
  const what = body === '' ? 'an empty body' : (contentType.split(';')[0] as string) || 'unnamed content';
  return modelError(
    'bad_reply',
    `${place.endpoint} answered with ${what} instead of a chat completion${said && `: ${said}`}`,
    'Check that base_url is an OpenAI-compatible endpoint (most end in /v1).',
  );
}

/** Anything shorter (`x`, `none`, `EMPTY` for a local server) is no secret, and may be part of a word. */
const shortestKey = 8;

/** The server's own words, short, on one line and without anything that looks like a key. */
function saidBy(place: Place, body: string): string {
  const start = body.slice(0, 10_000);
  let text = errorText(body) ?? /<title[^>]*>([^<]*)/i.exec(start)?.[1] ?? start.replace(/<[^>]*>/g, ' ');
  if (place.apiKey && place.apiKey.length >= shortestKey) text = text.replaceAll(place.apiKey, '[key]');
  return cut(
    text
      .replace(/\b(sk|key)-[\w*.-]{4,}/g, '[key]')
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
    300,
  );
}

/** Every vendor nests it differently: { error: { message } }, { error: "..." }, { message }, [{ error }], { detail }, base_resp. */
function errorText(body: string): string | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined; // not JSON: the caller shows the text itself
  }
  const outer = (Array.isArray(parsed) ? parsed[0] : parsed) as Record<string, unknown> | null;
  for (const found of [outer?.error, outer, outer?.base_resp] as (Record<string, unknown> | string | null | undefined)[]) {
    if (typeof found === 'string') return found;
    const message = found?.message ?? found?.detail ?? found?.status_msg;
    if (typeof message === 'string') return message;
  }
  return undefined;
}

/** An answer that ended by a fault of the provider, as its finish reason says. */
export function providerFault(place: Place, finish: string | undefined): HermesError {
  return modelError('server_error', `${place.endpoint} broke off its answer: ${finish}`, 'Try again later, or use another model.', {
    retryable: true,
  });
}

/** A line of a stream that is not JSON. */
export function badChunk(place: Place, data: string): HermesError {
  const message = `${place.endpoint} sent a line in its stream that is not JSON: ${saidBy(place, data)}`;
  return modelError('bad_stream', message, 'Check what stands between here and the model (a proxy, a gateway).', { retryable: true });
}

/** Said before anything is sent: the model is known to see nothing. */
export function seesNoImages(model: string): HermesError {
  return modelError('images_not_supported', `${model} sees no images.`, 'Use a model that does, or describe the picture in words.');
}
