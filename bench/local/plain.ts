/** What a person would write with node-llama-cpp alone: the prompts of a run (HERMES_DEBUG=1), one after the other, and nothing else. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Token } from 'node-llama-cpp';

const [modelPath = '', folder = ''] = process.argv.slice(2);
const { ChatMLChatWrapper, getLlama } = await import('node-llama-cpp');
const llama = await getLlama({ gpu: false, build: 'never', progressLogs: false, logger: () => {} });
const model = await llama.loadModel({ modelPath });
const context = await model.createContext({ contextSize: 4096, sequences: 1, swaFullCache: true, threads: 2 });
const sequence = context.getSequence();
const wrapper = new ChatMLChatWrapper();
for (const name of readdirSync(folder).filter((each) => each.endsWith('.request.json'))) {
  const request = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const text = (content: string | { text: string }[]) =>
    typeof content === 'string' ? content : content.map((part) => part.text).join('');
  const chatHistory = request.prompt.map(({ role, content }: { role: string; content: string | { text: string }[] }) =>
    role === 'assistant' ? { type: 'model', response: [text(content)] } : { type: role, text: text(content) },
  );
  const { contextText } = wrapper.generateContextState({ chatHistory: [...chatHistory, { type: 'model', response: [''] }] });
  const [first, ...rest] = contextText.tokenize(model.tokenizer);
  const tokens = first === rest[0] ? rest : [first as Token, ...rest]; // the wrapper puts the first token there twice
  await sequence.adaptStateToTokens(tokens.slice(0, -1), false);
  const produced: Token[] = [];
  const stops: string[] = request.stopSequences ?? [];
  for await (const token of sequence.evaluate(tokens.slice(sequence.nextTokenIndex), { temperature: 0 })) {
    produced.push(token);
    const written = model.detokenize(produced);
    if (produced.length >= request.maxOutputTokens || stops.some((stop) => written.includes(stop))) break;
  }
  process.stdout.write(`${model.detokenize(produced)}\n---\n`);
}
await llama.dispose();
