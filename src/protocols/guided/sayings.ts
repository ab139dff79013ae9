/** Arguments that take a whole saying: the text of a message, a note, a task. It is what stands behind a colon, "saying" or 说, to the end. */

import type { JsonObject } from '../../kernel/types.ts';
import { type Span, spanOf } from './spans.ts';
import { nameWords } from './words.ts';

const CONTENT = /^(?:text|message|content|contents|body|note|status|todo|task|memo|reminder|statement|sentence|caption|comment)$/;
const HAN_CONTENT = /内容|正文|要做的事|留言|备忘|文字|消息/;

/** Whether the argument takes a whole saying, by its name or what it is described as first. */
export function takesSaying(name: string, property: JsonObject): boolean {
  const isText = (property.type ?? 'string') === 'string' && property.enum === undefined && property.format === undefined;
  const description = String(property.description ?? '');
  const first = /^[^\p{L}]*(?:the |a )?(\p{L}+)/iu.exec(description)?.[1]?.toLowerCase() ?? '';
  return isText && (nameWords(name).some((word) => CONTENT.test(word)) || CONTENT.test(first) || HAN_CONTENT.test(description));
}

const BEHIND = [
  /(?<!\d|https?)[:：]\s*(?!\/\/)(\S.*)$/su,
  /(?:(?:内容|正文)(?:是|为|写道?|说)|写着|说道?|转告\p{Script=Han}{1,4})[，,]?\s*(\S.*)$/su,
  /(?:发|给|告诉|通知|提醒)(?:(?!发|给|告诉|通知|提醒)[^，,])*[，,]\s*(\S.*)$/su, // the last of them before the comma: each is looked at once
  /(?:记(?:住|下|一下)|备忘|待办)[，,]?\s*(\S.*)$/su,
  /\b(?:saying|that says|says|to say)\s+(?:that\s+)?(\S.*)$/isu,
  /\bthat\s+(\S.*)$/isu,
];

/** What the request says behind the words that lead in a saying; quotation marks around it do not belong to it. */
export function findSaying(request: string): Span | undefined {
  for (const pattern of BEHIND) {
    const said = pattern.exec(request)?.[1];
    if (said === undefined) continue;
    const bare = said.trimEnd().replace(/[.。]$/u, '');
    const quoted = /^["“「'‘](.+)["”」'’]$/su.exec(bare)?.[1];
    const text = quoted ?? bare;
    if (/^[^\p{L}\p{N}]*$/u.test(text)) continue;
    const start = request.length - said.length + (quoted === undefined ? 0 : 1);
    return spanOf(request, start, start + text.length);
  }
  return undefined;
}
