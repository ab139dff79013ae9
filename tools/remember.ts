/**
 * Marks facts as worth remembering: the highlights of the outcome, taken out of the call when the reply is read. Level read: it
 * changes nothing by itself.
 */

import { tool } from '../src/tools/define.ts';

export default tool({
  name: 'remember',
  description:
    'Marks facts about the user, or lasting results, that later talks should know. Use it when the user tells something about themselves ' +
    'or decides something that stays true; not for values of this request, and not for notes that the user asks to keep (notes_set).',
  level: 'read',
  settingNames: [],
  idempotent: true,
  input: {
    type: 'object',
    properties: {
      facts: {
        type: 'array',
        description: 'each fact as one sentence that can be understood alone',
        items: { type: 'string', minLength: 1, maxLength: 500 },
        minItems: 1,
        maxItems: 20,
      },
    },
    required: ['facts'],
    additionalProperties: false,
  },
  aliases: { fact: 'facts', highlights: 'facts', 事实: 'facts' },
  /** One fact alone is a list of one. */
  normalize: (args) => (typeof args.facts === 'string' ? { ...args, facts: [args.facts] } : args),
  keywords: 'highlight lasting preference 长期 偏好',
  examples: [
    {
      request: 'I have been a vegetarian since May; suggest a dinner',
      arguments: { facts: ['The user is a vegetarian.'] },
      result: { noted: 1 },
      answer: 'How about a mushroom risotto?',
    },
    {
      request: '我对花生过敏，推荐一道菜',
      arguments: { facts: ['用户对花生过敏。'] },
      result: { noted: 1 },
      answer: '试试番茄炒蛋吧，里面没有花生。',
    },
  ],
  execute({ facts }) {
    return { noted: facts.length };
  },
});
