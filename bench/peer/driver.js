/** This project behind the common interface of the peers' bench: plain defaults, no store. */
import { Agent, tool } from '../../dist/src/index.js';

export default async function create(options) {
  return peerOf(options);
}

/** `more`: further options of the agent. */
export function peerOf({ baseURL, model, instructions, tools, maxSteps }, more = {}) {
  const agent = new Agent({
    ...more,
    model: `openai-compatible:${model}`,
    baseURL,
    apiKey: 'k',
    instructions,
    limits: { maxSteps },
    tools: tools.map(({ name, description, params, execute }) =>
      tool({
        name,
        description,
        level: 'read',
        input: {
          type: 'object',
          properties: Object.fromEntries(Object.entries(params).map(([key, text]) => [key, { type: 'number', description: text }])),
          required: Object.keys(params),
        },
        execute,
      }),
    ),
  });
  const answer = (outcome) => {
    if (outcome.status !== 'success') throw new Error(JSON.stringify(outcome.error ?? outcome.status));
    return outcome.answer;
  };
  return {
    run: async (prompt) => answer(await agent.run(prompt)),
    stream: async (prompt, onText) => {
      const run = agent.start(prompt);
      for await (const text of run.text) onText(text);
      return answer(await run.outcome);
    },
    session: () => {
      const session = agent.session();
      return { send: async (text) => answer(await session.run(text)) };
    },
  };
}
