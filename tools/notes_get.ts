/** Reads a note back, also by a key that is a little longer, shorter or written in other letters. */

import { HermesError } from '../src/kernel/errors.ts';
import { tool } from '../src/tools/define.ts';

/** Keys named in an error, and listed. */
const LISTED = 100;

export default tool({
  name: 'notes_get',
  description:
    'Reads a note that notes_set has saved, or lists all keys when it is given none. Use it when asked for something that was noted ' +
    'or remembered earlier; it knows nothing else.',
  level: 'read',
  settingNames: [],
  private: true,
  idempotent: true,
  resource: 'notes',
  input: {
    type: 'object',
    properties: {
      key: { type: 'string', description: 'short name of the note; without it all keys are listed', minLength: 1, maxLength: 200 },
    },
    additionalProperties: false,
  },
  aliases: { name: 'key', title: 'key', 名称: 'key' },
  keywords: 'my notes noted saved look up note check recall what did I 笔记 查 我的 记过 记了 让你记 之前',
  examples: [
    {
      request: 'Look up my shoe size in my notes',
      arguments: { key: 'shoe size' },
      result: { key: 'shoe size', value: '43' },
      answer: 'Your shoe size is 43.',
    },
    {
      request: '查一下我的笔记里门禁密码是多少',
      arguments: { key: '门禁密码' },
      result: { key: '门禁密码', value: '8841' },
      answer: '你的门禁密码是 8841。',
    },
  ],
  async execute({ key }, { context }) {
    // First by the exact key: the other keys, which strangers' words may be among, are looked at only when there is no such note.
    const exact = key === undefined ? undefined : await context.notes.get(key.trim());
    if (key !== undefined && exact !== undefined) return { key: key.trim(), value: exact };
    const keys = await context.notes.list();
    if (key === undefined) return { keys: keys.slice(0, LISTED), count: keys.length };
    const found = similar(key, keys);
    if (found === undefined) {
      const known = keys.length > 0 ? `the notes are: ${keys.slice(0, LISTED).join(', ')}` : 'there are no notes yet';
      throw new HermesError('no_such_note', `there is no note "${key}"; ${known}`, { kind: 'tool', next: 'notes_set saves one' });
    }
    return { key: found, value: (await context.notes.get(found)) ?? null };
  },
});

/** The one key that is the same but for letter case, spaces and signs; else the one that contains the asked one or is contained in it. */
function similar(key: string, keys: readonly string[]): string | undefined {
  const wanted = letters(key);
  if (wanted === '') return undefined;
  const same = keys.filter((one) => letters(one) === wanted);
  const near =
    same.length > 0 ? same : keys.filter((one) => letters(one) !== '' && (letters(one).includes(wanted) || wanted.includes(letters(one))));
  return near.length === 1 ? near[0] : undefined;
}

function letters(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
