/** Keeps a note under a key, in the assistant's own store. Level read: it changes nothing but that store, and a note has to need no question. */

import { tool } from '../src/tools/define.ts';

export default tool({
  name: 'notes_set',
  description:
    'Saves a short note under a key, to be read back by notes_get; an empty value deletes it. Use it when asked to remember something ' +
    'or note it down, and for values needed later (order number, code, result); not for files.',
  level: 'read',
  settingNames: [],
  idempotent: true,
  resource: 'notes',
  input: {
    type: 'object',
    properties: {
      key: { type: 'string', description: 'short name of the note', minLength: 1, maxLength: 200 },
      value: { type: 'string', description: 'content to remember; empty = delete the note', maxLength: 20_000 },
    },
    required: ['key', 'value'],
    additionalProperties: false,
  },
  aliases: { name: 'key', title: 'key', content: 'value', text: 'value', note: 'value', 名称: 'key', 内容: 'value' },
  keywords: 'remember save note down store keep 记住 记下 记一下 保存 备忘',
  examples: [
    {
      request: 'Remember that my shoe size is 43',
      arguments: { key: 'shoe size', value: '43' },
      result: { saved: 'shoe size' },
      answer: 'Saved: your shoe size is 43.',
    },
    {
      request: '记一下：门禁密码是 8841',
      arguments: { key: '门禁密码', value: '8841' },
      result: { saved: '门禁密码' },
      answer: '已记住门禁密码是 8841。',
    },
  ],
  async execute({ key, value }, { context }) {
    const name = key.trim();
    if (value === '') {
      await context.notes.delete(name);
      return { deleted: name };
    }
    await context.notes.set(name, value);
    return { saved: name };
  },
});
