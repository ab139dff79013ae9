/**
 * X5: research to a table, sent by a mail that a person agrees to. Four built-in tools: search, two pages read at the same time, the
 * mail. Search engine, web site and SMTP server run here; the servers' addresses in `toolSettings` are all that is different in earnest.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, builtInTools } from 'hermes-agent';
import { path, scriptedModel } from 'hermes-agent/testing';
import { SMTPServer } from 'smtp-server';

const pages: Record<string, string> = {
  '/alpha': '<title>Alpha 3</title><article><h1>Alpha 3</h1><p>The Alpha 3 costs 1299 yuan and runs for 12 hours.</p></article>',
  '/beta': '<title>Beta X</title><article><h1>Beta X</h1><p>The Beta X costs 999 yuan and runs for 9 hours.</p></article>',
};
const web = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://x');
  const found = ['alpha', 'beta'].map((name) => ({ title: `${name} review`, url: `http://${host}/${name}`, content: 'A review.' }));
  if (pathname !== '/search') response.setHeader('content-type', 'text/html').end(pages[pathname] ?? '');
  else response.setHeader('content-type', 'application/json').end(JSON.stringify({ results: found }));
}).listen(0, '127.0.0.1');
await new Promise((done) => web.once('listening', done));
const host = `127.0.0.1:${(web.address() as AddressInfo).port}`;

const mails: string[] = [];
const smtp = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  onData(stream, _session, done) {
    let text = '';
    stream.on('data', (piece: Buffer) => {
      text += piece.toString();
    });
    stream.on('end', () => {
      mails.push(text);
      done();
    });
  },
});
await new Promise<void>((done) => smtp.listen(0, '127.0.0.1', done));
const { port } = smtp.server.address() as AddressInfo;

const table = '| model | price | hours |\n|---|---|---|\n| Alpha 3 | 1299 | 12 |\n| Beta X | 999 | 9 |';
const model = scriptedModel([
  { calls: [{ name: 'web_search', arguments: { query: 'Alpha 3 and Beta X vacuum cleaner review' } }] },
  { calls: ['alpha', 'beta'].map((name) => ({ name: 'web_fetch', arguments: { url: `http://${host}/${name}` } })) },
  { calls: [{ name: 'send_email', arguments: { to: 'li@example.com', subject: '两款吸尘器的对比', body: table } }] },
  '已把对比表发送给 li@example.com：Beta X 更便宜（999 元），Alpha 3 续航更长（12 小时）。',
]);

const agent = new Agent({
  model,
  tools: await builtInTools('web_search', 'web_fetch', 'send_email'),
  toolSettings: {
    web_search: { url: `http://${host}`, allow_hosts: [host] },
    web_fetch: { allow_hosts: [host] },
    send_email: { host: '127.0.0.1', port, tls: 'none', from: 'me@example.com' },
  },
  async onApproval({ calls }) {
    for (const call of calls) console.log(`asked: ${call.name}\n${call.preview}`);
    return true;
  },
});
const outcome = await agent.run('调研 Alpha 3 和 Beta X 两款吸尘器，把价格和续航整理成表格，发邮件给 li@example.com');
console.log(path(outcome).join(' -> '));
console.log(outcome.answer);
console.log(`${mails.length} mail: ${/^To: .*$/m.exec(mails[0] ?? '')?.[0]}`);
await agent.close();
web.close();
smtp.close();
