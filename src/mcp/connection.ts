/** One talk with one server, from its start to its end. What goes wrong is told in words that name the server. */

import type { Client, Transport } from '@modelcontextprotocol/client';
import { HermesError, packageMissing } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import { cut } from '../kernel/text.ts';
import type { Json, JsonObject } from '../kernel/types.ts';
import { cleanText } from '../tools/result.ts';
import { failureOf, type Sdk } from './failure.ts';
import { createFetch } from './http.ts';
import type { Login } from './oauth.ts';
import { resultOf } from './results.ts';
import { quoted, StdioTransport } from './stdio.ts';
import { definitionOf } from './tools.ts';
import type { Elicit, HttpServer, ServerConfig, ServerTool } from './types.ts';

/** Pages of a list of tools, and tools in all. */
const MOST_PAGES = 64;
const MOST_TOOLS = 1_000;

export interface ConnectionOptions {
  /** Milliseconds until it is ready. */
  startMs: number;
  /** Milliseconds of one call. */
  callMs: number;
  /** Absent = servers are told that nobody can be asked. */
  elicit?: Elicit;
  /** The tokens of a server that was logged in to; absent = none. */
  login?: Login;
  env?: NodeJS.ProcessEnv;
  /** Ends a start that is still on its way. */
  signal?: AbortSignal;
  /** It says that its tools are others now. */
  onToolsChanged(): void;
  /** It has ended, whoever ended it. */
  onEnd(): void;
}
export interface CallOptions {
  signal: AbortSignal;
  progress(data: Json): void;
}

export class Connection {
  readonly #server: ServerConfig;
  readonly #options: ConnectionOptions;
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #end: () => void;
  readonly #stdio: StdioTransport | undefined;
  /** It had not answered when its time to start was over. */
  #isLate = false;

  private constructor(server: ServerConfig, options: ConnectionOptions, client: Client, transport: Transport, end: () => void) {
    this.#server = server;
    this.#options = options;
    this.#client = client;
    this.#transport = transport;
    this.#end = end;
    this.#stdio = transport instanceof StdioTransport ? transport : undefined;
  }

  /** Throws a HermesError that says why it cannot be used; nothing of it is left then. */
  static async open(server: ServerConfig, options: ConnectionOptions): Promise<Connection> {
    const { transport } = server;
    if (transport.type === 'stdio') {
      // A server of the new era alone refuses the old greeting with an answer; most end at a greeting they do not know.
      return Connection.#try(server, options, 'legacy').catch((error) =>
        (error as HermesError).code === 'mcp_refused' ? Connection.#try(server, options, 'auto') : Promise.reject(error),
      );
    }
    if (transport.type === 'sse') return Connection.#try(server, options, 'legacy');
    return Connection.#try(server, options, 'auto').catch((error) => {
      // By the protocol: a server that does not know the POST is one of the old way.
      if ((error as HermesError).code !== 'mcp_no_such_way') throw error;
      return Connection.#try({ ...server, transport: { ...transport, type: 'sse' } }, options, 'legacy').catch(() => Promise.reject(error));
    });
  }

  static async #try(server: ServerConfig, options: ConnectionOptions, mode: 'legacy' | 'auto'): Promise<Connection> {
    const sdk = await loadSdk(server.name);
    const client = new sdk.Client(
      { name: 'hermes-agent', version: '0.1.0' },
      {
        capabilities: options.elicit ? { elicitation: { form: { applyDefaults: true } } } : {},
        versionNegotiation: { mode },
        listChanged: { tools: { autoRefresh: false, debounceMs: 50, onChanged: () => options.onToolsChanged() } },
        // Outputs are not enforced here, and no second validator is loaded for them.
        jsonSchemaValidator: { getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }) },
      },
    );
    client.onerror = () => undefined; // junk and the like; what matters comes as the error of a request
    if (options.elicit) answerQuestions(client, server, options.elicit);
    const made = makeTransport(sdk, server.transport, options);
    const connection = new Connection(server, options, client, made.transport, made.end);
    const end = () => void connection.close();
    const late = setTimeout(() => {
      connection.#isLate = true;
      end();
    }, options.startMs);
    options.signal?.addEventListener('abort', end);
    try {
      options.signal?.throwIfAborted();
      await client.connect(made.transport, { timeout: options.startMs });
      client.onclose = () => options.onEnd();
      return connection;
    } catch (error) {
      await connection.close();
      throw connection.#failure(error, sdk);
    } finally {
      clearTimeout(late);
      options.signal?.removeEventListener('abort', end);
    }
  }

  /** All its tools, as it describes them; what is no tool at all is left out, and of two with one name the second. */
  async tools(): Promise<ServerTool[]> {
    const tools = new Map<string, ServerTool>();
    const signal = AbortSignal.timeout(this.#options.startMs); // all pages together
    let cursor: string | undefined;
    try {
      for (let page = 0; page < MOST_PAGES && tools.size < MOST_TOOLS; page++) {
        const params = cursor === undefined ? {} : { cursor };
        // Not listTools(): it gives up the whole list for one definition that is wrong.
        const result = await this.#client.request({ method: 'tools/list', params }, ANYTHING, { signal });
        for (const one of Array.isArray(result.tools) ? result.tools : []) {
          const definition = definitionOf(one);
          if (definition && !tools.has(definition.name)) tools.set(definition.name, definition);
        }
        cursor = typeof result.nextCursor === 'string' ? result.nextCursor : undefined;
        if (cursor === undefined) break;
      }
      return [...tools.values()].slice(0, MOST_TOOLS);
    } catch (error) {
      throw this.#failure(error, await loadSdk(this.#server.name));
    }
  }

  async call(name: string, args: JsonObject, { signal, progress }: CallOptions): Promise<Json> {
    const { callMs } = this.#options;
    try {
      const onprogress = (step: unknown) => progress(step as Json);
      const result = await this.#client.callTool({ name, arguments: args }, { timeout: callMs, signal, onprogress });
      return resultOf(this.#server.name, result);
    } catch (error) {
      if (error instanceof HermesError) throw error;
      throw this.#failure(error, await loadSdk(this.#server.name), signal.aborted ? undefined : callMs);
    }
  }

  /** Nothing of it is left when this resolves. */
  async close(): Promise<void> {
    await endSession(this.#transport);
    await this.#client.close().catch(() => undefined); // it is ending either way
    await this.#transport.close().catch(() => undefined);
    this.#end();
  }

  #failure(error: unknown, sdk: Sdk, callMs?: number): HermesError {
    const { startMs, signal } = this.#options;
    const said = this.#stdio ? quoted(this.#stdio.lastWords()) : '';
    const isEnded = signal?.aborted === true;
    return failureOf(error, sdk, { server: this.#server, said, startMs, callMs, isLate: this.#isLate, isEnded });
  }
}

/** `name`: of the server that needs it. */
export async function loadSdk(name: string): Promise<Sdk> {
  try {
    return await import('@modelcontextprotocol/client');
  } catch (cause) {
    throw packageMissing(`the MCP server "${name}" needs`, ['@modelcontextprotocol/client'], cause);
  }
}

function makeTransport(
  sdk: Sdk,
  server: ServerConfig['transport'],
  { env, login }: ConnectionOptions,
): { transport: Transport; end(): void } {
  if (server.type === 'stdio') return { transport: new StdioTransport(server) as unknown as Transport, end: () => undefined };
  const { fetch, close } = createFetch(env);
  const options = { fetch, requestInit: { headers: server.headers }, ...(login ? { authProvider: login } : {}) };
  return { transport: httpTransport(sdk, server, options), end: close };
}

/** oauth.ts checks who the answer speaks for; the SDK's own check would refuse servers of 2025-03-26. */
export const OWN_CHECK = { skipIssuerMetadataValidation: true };

export function httpTransport(
  sdk: Sdk,
  { type, url }: HttpServer,
  given: import('@modelcontextprotocol/client').StreamableHTTPClientTransportOptions,
) {
  const options = { ...given, ...OWN_CHECK, onInsufficientScope: 'throw' as const };
  return type === 'sse' ? new sdk.SSEClientTransport(new URL(url), options) : new sdk.StreamableHTTPClientTransport(new URL(url), options);
}

/** A server keeps a session until it is told, or for ever. */
async function endSession(transport: Transport): Promise<void> {
  const { terminateSession, sessionId } = transport as { terminateSession?(): Promise<void>; sessionId?: string };
  if (!terminateSession || sessionId === undefined) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, 500);
  terminateSession.call(transport).then(resolve, () => resolve()); // it may not know how, or be gone
  await promise;
  clearTimeout(timer);
}

function answerQuestions(client: Client, { name }: ServerConfig, elicit: Elicit): void {
  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
    if (params.mode === 'url') return { action: 'decline' };
    const message = cut(cleanText(String(params.message)), 2_000);
    const answer = await elicit({ server: name, message, schema: params.requestedSchema as unknown as JsonObject }, mcpReq.signal);
    return answer as { action: 'accept'; content: Record<string, string> } | { action: 'decline' | 'cancel' };
  });
}

/** A Standard Schema that takes any object: what is in it is looked at here. */
const ANYTHING = {
  '~standard': {
    version: 1,
    vendor: 'hermes',
    validate: (value: unknown) => (isObject(value) ? { value } : { issues: [{ message: 'expected an object' }] }),
    types: undefined as unknown as { input: unknown; output: Record<string, unknown> },
  },
} as const;
