/**
 * A small MCP server by hand, without any SDK, so that it can misbehave. Its first argument says how:
 * good | junk | crash | hang | deaf | giant | ask | mute | slow | refuses | odd | pages | stubborn | bad-schemas. What it offers also comes from a file that
 * a test writes and changes: the second argument names it.
 */

import { spawn } from 'node:child_process';
import { readFileSync, watchFile } from 'node:fs';
import { createInterface } from 'node:readline';

const [mode = 'good', toolsFile] = process.argv.slice(2);

const schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const own = [{ name: 'echo', description: 'Says the text again.', inputSchema: schema }];
const bad = [
  { name: 'no-schema', description: 'none' },
  { name: 'wrong-type', inputSchema: { type: 'object', properties: { a: { type: 'strng' } } } },
  { name: 'an-array', inputSchema: [] },
  { name: 'text-root', inputSchema: { type: 'string' } },
  { name: 'outside', inputSchema: { type: 'object', properties: { a: { $ref: 'https://example.org/schema.json' } } } },
  {
    name: 'deep',
    inputSchema: Array.from({ length: 700 }).reduce((below) => ({ type: 'object', properties: { below } }), { type: 'string' }),
  },
  { name: 'twice', description: 'the first', inputSchema: schema },
  { name: 'twice', description: 'the second', inputSchema: schema },
  { name: 'wordy', description: 'x'.repeat(3_000_000), annotations: { title: 5, readOnlyHint: 'yes' } },
  { name: 'huge', inputSchema: { type: 'object', description: 'x'.repeat(100_000) } },
  { name: '' },
  'no tool at all',
  { name: '查天气', description: '查询一个城市的天气。', inputSchema: schema },
];

/** The file may also say only that nothing is to be answered. */
const isSlow = () => Boolean(toolsFile) && readFileSync(toolsFile!, 'utf8') === 'slow';

function tools(): unknown[] {
  if (toolsFile) return JSON.parse(readFileSync(toolsFile, 'utf8')) as unknown[];
  return mode === 'bad-schemas' ? [...bad, ...own] : own;
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function call(id: number, name: string, args: Record<string, unknown>): void {
  const text = (value: string) => send({ id, result: { content: [{ type: 'text', text: value }] } });
  if (mode === 'crash') {
    console.error('Traceback: 出错了 something broke');
    process.exit(3);
  }
  if (mode === 'giant') text('长'.repeat(Number(args.text)));
  else if (mode === 'odd') send({ id, result: { content: [{ type: 'text', text: 5 }, null] } });
  else if (mode === 'deaf') setTimeout(() => text('too late'), 1_500);
  else if (mode === 'ask') send({ id: 1_000 + id, method: 'elicitation/create', params: JSON.parse(String(args.text)) });
  else if (mode !== 'hang') text(name === 'environment' ? JSON.stringify(process.env) : String(args.text));
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result, error } = JSON.parse(line) as {
    id: number;
    method?: string;
    params: { name: string; arguments: Record<string, unknown>; requestId?: number };
    result?: object;
    error?: object;
  };
  if (method === undefined) return send({ id: id - 1_000, result: { content: [{ type: 'text', text: JSON.stringify(result ?? error) }] } });
  if (method === 'initialize') {
    if (mode === 'slow' || isSlow()) return;
    if (mode === 'refuses') return send({ id, error: { code: -32602, message: 'not today, 今天不行' } });
    if (mode === 'junk') process.stdout.write('Starting up...\n{ "not": "for you" }\n{broken\n你好\n\n');
    const capabilities = { tools: { listChanged: true } };
    return send({ id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'test', version: '1' } } });
  }
  if (method === 'tools/list') {
    if (mode === 'mute') return;
    if (mode === 'pages') return void setTimeout(() => send({ id, result: { tools: own, nextCursor: `page ${id}` } }), 300);
    return send({ id, result: { tools: tools() } });
  }
  if (method === 'tools/call') return call(id, params.name, params.arguments);
  if (method === 'notifications/cancelled') console.error(`cancelled ${params.requestId}`);
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'unknown method' } });
});

if (mode === 'stubborn') {
  process.on('SIGTERM', () => undefined);
  process.stdin.on('end', () => undefined);
  setInterval(() => undefined, 1_000);
  spawn('sleep', ['987'], { detached: true, stdio: 'ignore' }).unref(); // has left the group
}
if (toolsFile) watchFile(toolsFile, { interval: 50 }, () => send({ method: 'notifications/tools/list_changed' }));
