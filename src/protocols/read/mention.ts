/** Tells a call from a text that talks about calls: shown in backticks, or announced as an example. */

const ANNOUNCED =
  /(?:\bfor (?:example|instance)|\be\.?g\.|\bsuch as|\b(?:would|could|might|should|must|may|can) (?:look|be written|write|use|be)\b|\blooks? (?:something )?like|\blike (?:this|so)\b|\b(?:the|this|following|same) (?:\w+ )?(?:format|syntax|schema|structure|template)\b|\ban example\b|\bexample(?: of)?(?: an?| the)?(?: \w+){0,3}:|例如|比如|譬如|举例|示例|例子|格式|形如|像这样|如下所示)[^.!?。！？{}[\]<>]{0,80}$/i;
const EXPLAINED =
  /^[\s`"'”)]{0,8}(?:is|are|was|would be|shows?|means|这是|就是|表示)[^.!?。！？]{0,30}(?:example|format|syntax|schema|how|the way|示例|例子|格式)/i;

/** Whether the part of the text from `from` to `to` is shown, not said. Looks at 200 characters before and 60 after. */
export function isMention(text: string, from: number, to: number): boolean {
  const before = text.slice(Math.max(0, from - 200), from);
  const after = text.slice(to, to + 60);
  if (/(?<!`)`$/.test(before) && /^`(?!`)/.test(after)) return /[^\s`]/.test(text.slice(0, from - 1)) || /[^\s`]/.test(text.slice(to + 1));
  const lead = before.slice(Math.max(...['{', '}', '[', ']', '<', '>'].map((bracket) => before.lastIndexOf(bracket))) + 1);
  const sentence = lead.replace(/[\s`]*(?:```[\w+-]*)?\s*$/, '');
  return (sentence !== '' && ANNOUNCED.test(sentence)) || EXPLAINED.test(after);
}
