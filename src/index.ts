/** What `import ... from 'hermes-agent'` gives. Importing it opens nothing and calls nobody. */

export { Agent, type ForkOptions } from './agent/agent.ts';
export type { HookContext, Hooks } from './agent/hooks.ts';
export type { Run } from './agent/run.ts';
export type { Session } from './agent/session.ts';
export type { LoadedSkills } from './agent/skills.ts';
export type {
  AgentOptions,
  ApprovalAnswer,
  ApprovalQuestion,
  Approver,
  FeaturePerformer,
  GivenFile,
  ModelOption,
  PermissionRules,
  ProtocolName,
  RunOptions,
  RunOutcome,
  TokenUsage,
} from './agent/types.ts';
export type { EventStore } from './journal/store.ts';
export { HermesError } from './kernel/errors.ts';
export type * from './kernel/types.ts';
export type { OpenMcpOptions } from './mcp/library.ts';
export type { Mcp } from './mcp/open.ts';
export type { ChatModel } from './models/types.ts';
export { type Tool, type ToolContext, type ToolDefinition, tool } from './tools/define.ts';
export type { InputSchema, OutputOf } from './tools/schema.ts';

/** The embedded store: one SQLite file. Opened by the caller, who also closes it. */
export async function openSqliteStore(options: { file: string }): Promise<import('./journal/store.ts').EventStore> {
  return (await import('./journal/sqlite.ts')).openSqliteStore(options);
}

/**
 * The tools of MCP servers, named as in `.mcp.json`. Give an agent `tools: mcp.tools()`, and `liveTools: () => mcp.tools()` when they may
 * change while it runs. The caller closes it.
 */
export async function openMcp(
  mcpServers: Readonly<Record<string, unknown>>,
  options: import('./mcp/library.ts').OpenMcpOptions = {},
): Promise<import('./mcp/open.ts').Mcp> {
  return (await import('./mcp/library.ts')).openMcpServers(mcpServers, options);
}

/**
 * The skills of these folders: give an agent `tools: loaded.tools` and `skills: loaded.skills`. Nothing of them runs until a model calls
 * it; what could not be used stands in `diagnostics`.
 */
export async function openSkills(
  directories: readonly string[],
  options: { disabled?: readonly string[] } = {},
): Promise<import('./agent/skills.ts').LoadedSkills> {
  return (await import('./agent/skills.ts')).skillsIn(directories, options);
}

/** The tools that `hermes` itself has, by name; without names all. What they need to be set up goes into `toolSettings` of the agent. */
export async function builtInTools(...names: string[]): Promise<import('./tools/define.ts').Tool[]> {
  return (await import('./agent/shipped.ts')).shippedTools(names.length > 0 ? names : undefined);
}
