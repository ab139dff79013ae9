/** One configured server: its tools as they were last, the server itself only when a tool is called or its tools are not known yet. */

import { errorData, HermesError } from '../kernel/errors.ts';
import type { Json, JsonObject } from '../kernel/types.ts';
import type { ToolContext } from '../tools/define.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { configHash, type Known, knownFile, readKnown, sameDefinition, writePrivate } from './known.ts';
import { storedLogin, wantMore } from './oauth.ts';
import type { ServerConfig, ServerTool } from './types.ts';

export interface ServerOptions extends Pick<ConnectionOptions, 'startMs' | 'callMs' | 'elicit' | 'env'> {
  /** The user's own, for what is known of servers and for tokens. */
  folder: string;
  /** Its tools are others than before. */
  onChange(): void;
}

const LOST = new Set(['mcp_no_such_way', 'mcp_failed', 'mcp_login']);

export class Server {
  readonly config: ServerConfig;
  readonly #options: ServerOptions;
  #known: Known | undefined;
  #connection: Promise<Connection> | undefined;
  #starting = new AbortController();
  #closing: Promise<void> | undefined;
  /** Everything that closing has to end. */
  #open = new Set<Connection>();

  constructor(config: ServerConfig, options: ServerOptions) {
    this.config = config;
    this.#options = options;
  }

  /** From the file when it has them for this configuration, else from the server. `fresh`: from the server. Throws HermesError. */
  async load(fresh = false): Promise<void> {
    this.#known = await readKnown(this.#file());
    if (!fresh && this.#known?.config === configHash(this.config)) return;
    await this.#connected();
  }

  get isRunning(): boolean {
    return this.#open.size > 0;
  }

  /** As the user has agreed to them; `changed`: not what the server says now. */
  tools(): { definition: ServerTool; changed?: ServerTool }[] {
    const { tools = [], agreed = {} } = this.#known ?? {};
    return tools.map((tool) => {
      const definition = Object.hasOwn(agreed, tool.name) ? agreed[tool.name]! : tool;
      return sameDefinition(definition, tool) ? { definition } : { definition, changed: tool };
    });
  }

  refusal(name: string): string | undefined {
    const found = this.tools().find(({ definition }) => definition.name === name);
    if (!found) return `the MCP server "${this.config.name}" has this tool no more. Go on without it.`;
    if (!found.changed) return undefined;
    return (
      `the MCP server "${this.config.name}" describes this tool otherwise than when its user agreed to it, so it is closed. ` +
      `Go on without it; tell the user that \`hermes mcp approve ${this.config.name}\` shows the change and opens it again.`
    );
  }

  async call(name: string, args: JsonObject, context: Pick<ToolContext, 'signal' | 'progress'>): Promise<Json> {
    const connection = await abortable(this.#connected(), context.signal);
    const refusal = this.refusal(name); // what it says now counts, not what it said last week
    if (refusal !== undefined) throw new HermesError('mcp_changed', refusal, { kind: 'tool' });
    return connection.call(name, args, context).catch(async (error: HermesError) => {
      await this.#remember(error);
      // A session over HTTP that its server has forgotten never comes back; the next call begins another.
      if (this.config.transport.type !== 'stdio' && LOST.has(error.code)) {
        this.#forget(connection);
        await connection.close();
      }
      throw error;
    });
  }

  /** The person agrees to what the server says now: of one tool, or of all. */
  async agree(names: readonly string[]): Promise<void> {
    const known = this.#known;
    if (!known) return;
    const now = known.tools.filter(({ name }) => names.includes(name)).map((tool) => [tool.name, tool]);
    await this.#keep({ ...known, agreed: { ...known.agreed, ...Object.fromEntries(now) } });
  }

  /** A later call starts it again. All its tools close it, once. */
  close(): Promise<void> {
    this.#closing ??= this.#close().finally(() => {
      this.#closing = undefined;
    });
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#starting.abort();
    const endAll = () => Promise.all([...this.#open].map((connection) => connection.close()));
    await endAll();
    await this.#connection?.catch(() => undefined); // whoever started it has been told
    await endAll();
    this.#open.clear();
    this.#starting = new AbortController();
    this.#connection = undefined;
  }

  #file(): string {
    return knownFile(this.#options.folder, this.config);
  }

  /** Started at most once at a time; its tools have been asked for. */
  #connected(): Promise<Connection> {
    if (this.#connection) return this.#connection;
    const connecting = this.#connect();
    this.#connection = connecting;
    connecting.catch(() => {
      if (this.#connection === connecting) this.#connection = undefined; // the next call tries again
    });
    return connecting;
  }

  async #connect(): Promise<Connection> {
    const { folder, onChange: _, ...options } = this.#options;
    const login = await storedLogin(folder, this.config);
    let connection: Connection | undefined;
    try {
      connection = await Connection.open(this.config, {
        ...options,
        ...(login ? { login } : {}),
        signal: this.#starting.signal,
        onToolsChanged: () => void this.#refresh(connection).catch(() => undefined), // the next call will say what is wrong
        onEnd: () => this.#forget(connection),
      });
      this.#open.add(connection);
      await this.#take(await connection.tools());
      return connection;
    } catch (error) {
      await this.#remember(error as HermesError);
      this.#forget(connection);
      await connection?.close();
      throw error;
    }
  }

  /** Rights that the login lacks: the next one asks for them. */
  async #remember({ data }: HermesError): Promise<void> {
    if (typeof data?.scope === 'string') await wantMore(this.#options.folder, this.config, data.scope);
  }

  #forget(connection: Connection | undefined): void {
    if (connection && this.#open.delete(connection)) this.#connection = undefined;
  }

  async #refresh(connection: Connection | undefined): Promise<void> {
    if (connection && this.#open.has(connection)) await this.#take(await connection.tools());
  }

  /** Tools that were never seen count as agreed to; the user has configured this server. */
  async #take(tools: ServerTool[]): Promise<void> {
    const { agreed = {}, ...before } = this.#known ?? {};
    const seen = Object.fromEntries(tools.map((tool) => [tool.name, Object.hasOwn(agreed, tool.name) ? agreed[tool.name]! : tool]));
    const known: Known = { config: configHash(this.config), tools, agreed: { ...agreed, ...seen } };
    if (JSON.stringify({ ...before, agreed }) === JSON.stringify(known)) return;
    await this.#keep(known);
  }

  async #keep(known: Known): Promise<void> {
    this.#known = known;
    await writePrivate(this.#file(), known);
    this.#options.onChange();
  }
}

/** Why a server could not be used, as one line. `more`: what follows from it. */
export function reasonOf(error: unknown, more = ''): string {
  const { message, next } = errorData(error);
  return `${message}${more}${next === undefined ? '' : ` (${next})`}`;
}

async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(new HermesError('cancelled', 'the call was ended', { kind: 'tool' }));
  signal.addEventListener('abort', abort);
  try {
    if (signal.aborted) abort();
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
