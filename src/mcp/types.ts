/** What the files of this folder hand to each other. */

import type { JsonObject } from '../kernel/types.ts';

export interface StdioServer {
  type: 'stdio';
  command: string;
  args: readonly string[];
  /** Added to the few variables that every server gets. */
  env: Readonly<Record<string, string>>;
  /** Absolute. */
  cwd: string;
}
export interface HttpServer {
  /** `sse`: the older of the two ways over HTTP. */
  type: 'http' | 'sse';
  url: string;
  headers: Readonly<Record<string, string>>;
  /** For services that register no clients by themselves. */
  oauth?: { clientId?: string; clientSecret?: string; callbackPort?: number };
}
/** A server as the user has configured it, all variables filled in. */
export interface ServerConfig {
  /** As the user wrote it, in any script. */
  name: string;
  /** The file it stands in. */
  file: string;
  transport: StdioServer | HttpServer;
  /** Command line or address for people, its variables not filled in: they may be keys. */
  address: string;
  /** The user believes what it says of its own tools (readOnlyHint and the like). */
  trusted: boolean;
}

/** A tool as its server describes it: text of strangers. */
export interface ServerTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonObject;
  /** Why it cannot be used: its schema is left out then. */
  problem?: string;
  annotations?: {
    readOnlyHint?: boolean;
    destructiveHint?: boolean;
    idempotentHint?: boolean;
    openWorldHint?: boolean;
  };
}

/** A server asks the person for something while a call runs. */
export interface Elicitation {
  server: string;
  message: string;
  /** JSON Schema of the answer: a flat object. */
  schema: JsonObject;
}
export type ElicitationAnswer = { action: 'accept'; content: JsonObject } | { action: 'decline' | 'cancel' };
export type Elicit = (elicitation: Elicitation, signal: AbortSignal) => Promise<ElicitationAnswer>;

/** Something about a server or a tool that people should know. `file` is where the server is configured. */
export interface McpDiagnostic {
  file: string;
  code: string;
  message: string;
  server: string;
}
