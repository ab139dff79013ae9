/** What guards need of a text: its own sentences, and whether one asserts something at all. */

/** Sentences without what is quoted or code: those are not the speaker's own words. */
export function ownSentences(text: string): string[] {
  const own = text
    .replace(/[０-９Ａ-Ｚａ-ｚ]/g, (wide) => wide.normalize('NFKC'))
    .replace(/```[\s\S]*?(?:```|$)/g, '\n')
    .replace(/^\s*>.*$/gm, '\n')
    .replace(/^\s*(?:\d+[.)、]|[-*•])\s+/gm, '')
    .replace(/“[^”]*”|"[^"\n]*"|「[^」]*」|『[^』]*』|《[^》]*》|`[^`\n]*`/g, '"…"');
  return own.split(/(?<=[。!?！？；;\n])|(?<=[.](?=\s|$))/u).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

/** The parts of a sentence that commas separate. A number's own comma is none. */
export function clausesOf(sentence: string): string[] {
  return sentence.split(/(?<=[，,：:—])(?!\d)/u).filter((clause) => /[\p{L}\p{N}]/u.test(clause));
}

const DENIED =
  /\b(?:not|never|unable|cannot|can't|couldn't|won't|failed|without|unless|no (?:access|way)|don't|doesn't|didn't|isn't|wasn't|aren't|weren't|haven't|hasn't)\b|没有|未能|尚未|还未|并未|从未|无法|不能|不会|不可以|不了|失败|未(?:被|经|曾|发|删|保|预|支|执|完|成)|[没未]\s*(?:发|删|存|订|付|做|查|能)/iu;
const OFFERED =
  /\b(?:would|could|can|may|might|should|must|want me to|would you|please|let me|let's|need(?:s)? to|ready to|before|until|if|when|once|after|whether|in order to|try(?:ing)? to)\b|'d like\b|可以|能够|能帮|要我|要不要|是否|需要|如果|若|假如|一旦|等[^级]{0,6}(?:后|再)|之后|请(?!查收|放心|注意|留意)|建议|打算|准备|[吗么呢]\s*[?？]?\s*$|[?？]\s*$/iu;
const PLANNED = /\b(?:will|shall|going to|about to|planning to)\b|'ll\b|将会|即将|将(?:为|帮|在|给|于)|我会|会(?:为|帮|在|给|尽快)|正在/iu;

export function isDenied(clause: string): boolean {
  return DENIED.test(clause);
}

/** A question, an offer, a condition. */
export function isOffered(clause: string): boolean {
  return OFFERED.test(clause);
}

/** Not done yet. */
export function isPlanned(clause: string): boolean {
  return PLANNED.test(clause);
}

/** General knowledge, guesses and examples claim no knowledge of today. */
export function isHedged(sentence: string): boolean {
  return /\b(?:typically|usually|generally|normally|on average|average|tends? to|historically|as of my|my knowledge|training|probably|perhaps|likely|roughly|approximately|about|around|estimated?|for example|e\.g\.|example|hypothetical|assum\w+|suppose)\b|通常|一般|平均|往往|历史上|大概|大约|可能|也许|估计|例如|比如|举例|示例|假设|假定|截至我|据我所知|常年/iu.test(
    sentence.replace(/https?:\/\/\S+/g, ''),
  );
}
