/** A call that acts on the outside waits for a person, who sees the real arguments. Here the first mail is refused with a reason, the second goes out. */

import { Agent, tool } from 'hermes-agent';
import { scriptedModel } from 'hermes-agent/testing';

const outbox: string[] = [];
const sendMail = tool({
  name: 'send_mail',
  description: 'Sends a mail. Use it only when the user asks for it.',
  input: { type: 'object', properties: { to: { type: 'string' }, body: { type: 'string' } }, required: ['to', 'body'] },
  level: 'dangerous',
  execute({ to, body }) {
    outbox.push(`${to}: ${body}`);
    return 'sent';
  },
});

const model = scriptedModel([
  { calls: [{ name: 'send_mail', arguments: { to: 'everybody@example.com', body: '会议改到三点' } }] },
  { calls: [{ name: 'send_mail', arguments: { to: 'liu@example.com', body: '会议改到三点' } }] },
  '已通知刘。',
]);

const agent = new Agent({
  model,
  tools: [sendMail],
  async onApproval({ calls }) {
    const [call] = calls;
    console.log(`asked: ${call?.name} ${JSON.stringify(call?.arguments)}`);
    const toAll = String(call?.arguments.to).startsWith('everybody');
    return toAll ? { decision: 'deny', note: 'only to Liu, please' } : { decision: 'approve' };
  },
});
const outcome = await agent.run('把“会议改到三点”发邮件给刘');
console.log(`sent: ${outbox.join(', ')}`);
console.log(outcome.answer);
await agent.close();
