/** What an Ollama server says about itself and its models, and its refusals in our words. */

import { HermesError, nearest } from '../kernel/errors.ts';
import { createTransport, type Incoming } from './http.ts';
import { modelError, type Place, statusError } from './http-errors.ts';
import type { Abilities } from './profile.ts';

export interface ModelCard {
  /** Tokens that the model was made for. */
  contextLength?: number;
  /** What its Modelfile sets. */
  numCtx?: number;
  thinks?: boolean;
  abilities?: Abilities;
}

export interface OllamaServer {
  /** Asked once; {} when the server does not say. */
  card(): Promise<ModelCard>;
  /** The error of a refusal, with the next step. */
  refusal(status: number, headers: Incoming['headers'], body: string): Promise<HermesError>;
  close(): void;
}

/** Of a server that is there these take milliseconds; without their answers it goes on all the same. */
const timeouts = { connect: 1500, firstByte: 3000, wholeAnswer: 3000, silence: 1500 };

export function createServerQueries(root: URL, place: Place, headers: string[], env: NodeJS.ProcessEnv | undefined): OllamaServer {
  const at = (path: string) => createTransport({ url: new URL(`${root.href}${path}`), place, timeouts, env });
  const show = at('api/show');
  const tags = at('api/tags');

  async function card(): Promise<ModelCard> {
    try {
      const body = [Buffer.from(JSON.stringify({ model: place.model }))];
      const incoming = await show.send({ body, headers, patience: 'wholeAnswer' });
      const text = await readText(incoming);
      return incoming.status === 200 ? readCard(JSON.parse(text)) : {};
    } catch {
      return {}; // not there, or another kind of server: the request itself will say so
    }
  }

  async function names(): Promise<string[]> {
    try {
      const { models } = JSON.parse(await readText(await tags.get(headers))) as { models?: { name?: string }[] };
      return (models ?? []).flatMap(({ name }) => (name ? [name] : []));
    } catch {
      return []; // they only serve a suggestion
    }
  }

  async function refusal(status: number, given: Incoming['headers'], body: string): Promise<HermesError> {
    const { model } = place;
    const error = statusError(place, status, given, body);
    const as = (code: string, next: string, more = '') => modelError(code, error.message + more, next, { data: error.data });
    if (/does not support tools/i.test(body))
      return as('tools_not_supported', 'Use a model with tools (hermes models list), or protocol = "json".');
    if (/requires more (system )?memory|out of memory|cudaMalloc/i.test(body))
      return as('out_of_memory', 'Use a smaller model or quantisation, or a smaller context_window.');
    if (error.code !== 'model_not_found') return error;
    const here = await names();
    const family = (name: string) => name.split(':', 1)[0];
    const near = here.find((name) => family(name) === family(model)) ?? nearest(model, here);
    const next = `${near ? `Did you mean "${near}"? Or run` : 'Run'} \`ollama pull ${model}\`.`;
    return as('model_not_found', next, here.length > 0 ? ` (there: ${here.slice(0, 5).join(', ')})` : '');
  }

  return {
    card,
    refusal,
    close() {
      show.close();
      tags.close();
    },
  };
}

/** Nobody listens there. */
export function withStart(error: unknown): unknown {
  if (!(error instanceof HermesError) || error.code !== 'connection_refused') return error;
  const { code, message, kind, retryable, data } = error;
  const next = 'Start Ollama (ollama serve, or its app), or correct base_url.';
  return new HermesError(code, message, { kind, retryable, data, next, cause: error });
}

interface Show {
  model_info?: Record<string, unknown>;
  parameters?: string;
  capabilities?: string[];
}

function readCard({ model_info = {}, parameters = '', capabilities }: Show): ModelCard {
  const length = Object.entries(model_info).find(([name]) => name.endsWith('.context_length'))?.[1];
  const numCtx = Number(/^num_ctx\s+(\d+)/m.exec(parameters)?.[1]);
  return {
    ...(typeof length === 'number' && { contextLength: length }),
    ...(numCtx > 0 && { numCtx }),
    ...(capabilities && { thinks: capabilities.includes('thinking'), abilities: abilitiesOf(capabilities) }),
  };
}

function abilitiesOf(capabilities: string[]): Abilities {
  return { tools: capabilities.includes('tools'), ...(!capabilities.includes('vision') && { images: false as const }) };
}

export async function readText(incoming: Incoming): Promise<string> {
  const pieces: Buffer[] = [];
  await incoming.read((piece) => pieces.push(piece));
  return Buffer.concat(pieces).toString();
}
