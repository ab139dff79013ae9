/** One call of a tool through the toolbox, as a run makes it. */

import { Agent } from '../../src/agent/agent.ts';
import type { JsonObject, ToolResult } from '../../src/kernel/types.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import type { Tool } from '../../src/tools/define.ts';

export async function callOnce(tool: Tool, args: JsonObject, workspace: string): Promise<ToolResult> {
  const { name } = tool.info;
  const agent = new Agent({
    model: scriptedModel([{ calls: [{ name, arguments: args }] }, '.']),
    tools: [tool],
    permissions: { allow: ['*'] },
    workspace,
  });
  let result: ToolResult | undefined;
  await agent.run('x', {
    onEvent: (event) => {
      if (event.event_type === 'tool.end') ({ result } = event.data);
    },
  });
  await agent.close();
  return result ?? { success: false, error: { code: 'no_result', message: 'the call did not run' } };
}
