/** Asks the person a question and gives their words. The run sleeps until they have answered, over restarts, too. */

import { HermesError } from '../src/kernel/errors.ts';
import { tool } from '../src/tools/define.ts';

const REASON = { en: 'the assistant has a question', zh: '助手有一个问题' };

export default tool({
  name: 'ask_user',
  description:
    'Asks the user one question, with possible answers or without, and gives the answer in their words. Use it when the request can mean ' +
    'several things with different results or a fact is missing that only they know; not for permission, or what a tool can find out.',
  level: 'read',
  settingNames: [],
  idempotent: true,
  maxCalls: 10,
  input: {
    type: 'object',
    properties: {
      question: { type: 'string', description: 'one short question, complete in itself', minLength: 1, maxLength: 2000 },
      options: {
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 300 },
        description: 'possible answers; others may be given, too',
        maxItems: 10,
      },
    },
    required: ['question'],
    additionalProperties: false,
  },
  output: { type: 'object', properties: { answer: { type: 'string' } } },
  aliases: { text: 'question', prompt: 'question', choices: 'options', 问题: 'question', 选项: 'options' },
  keywords: 'ask user question clarify which choose unclear missing confirm what do you mean 询问 提问 问用户 哪个 选择 澄清 不清楚 确认',
  examples: [
    {
      request: 'Book a table for Friday',
      arguments: { question: 'For how many people, and at what time?' },
      result: { answer: 'four, at half past seven' },
      answer: 'A table for four on Friday at 19:30: noted.',
    },
    {
      request: '把报告发给王老师',
      arguments: { question: '通讯录里有两位王老师，发给哪一位？', options: ['王芳', '王强'] },
      result: { answer: '王芳' },
      answer: '好的，发给王芳老师。',
    },
  ],
  judge: (_args, { language }) => ({ level: 'read', ask: REASON[language], wants: 'answer' }),
  execute(_args, { answer }) {
    if (answer === undefined)
      throw new HermesError('not_answered', 'nobody has been asked', { kind: 'tool', next: 'state what you assume' });
    return { answer };
  },
});
