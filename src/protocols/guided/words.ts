/** The words of a request and of a schema, and when two of them are the same: Latin words by their stems, Han by its characters. */

export interface Word {
  /** Lower case, in one width. */
  text: string;
  start: number;
  end: number;
}

/** Latin words, numbers, single Han characters and signs, in the order of the text. "70kg" is two words, "rs6034464" one. */
export function requestWords(text: string): Word[] {
  const found = text.matchAll(/\d+(?:,\d{3})*(?:\.\d+)?|\p{Script=Han}|[^\s\d\p{Script=Han}\p{P}\p{S}][\p{L}\p{M}\p{N}'’]*|[^\s]/gu);
  return [...found].map(({ 0: word, index }) => ({ text: word.normalize('NFKC').toLowerCase(), start: index, end: index + word.length }));
}

/** The words of a name such as `from_city`, `recipeName` or `point1`. */
export function nameWords(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/(\p{L})(\d)/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

function stemOf(word: string): string {
  return word
    .replace(/['’]s?$/, '')
    .replace(/ies$/, 'y')
    .replace(/(?<=\w{3})(?:ing|ed|es|s|e)$/, '');
}

/** The same word in another form: weight, weighs; standardize, standardization. */
export function isAkin(one: string, other: string): boolean {
  if (one === other) return true;
  if (one[0] !== other[0]) return false; // most pairs
  if (stemOf(one) === stemOf(other)) return true;
  const shortest = Math.min(one.length, other.length);
  let same = 0;
  while (same < shortest && one[same] === other[same]) same++;
  return same >= 5 && shortest - same <= 3;
}

/** Words that hold a sentence together or ask for something; no value is made of them. */
const PLAIN = new Set(
  `a an the my your his her its our their this that these those some any all each every another other both no not
  is are was were be been being am do does did done have has had having will would can could should shall may might must
  i you he she it we they me him them us what which who whom whose when where why how much many long far
  in on at to for of from with without about as by into onto over under between among during after before since until within near nearby
  around against towards toward through via per than then and or but if so also only just still yet not too very
  find get give show tell list search look book order provide predict estimate generate create convert fetch retrieve check calculate
  compute determine solve need want like wants looking please help let make using use used given having where identify locate obtain
  play send set draw run run's compare analyze analyse perform say assuming including excluding include includes exclude
  found published related based called named located known held made offering basis terms
  uses contains containing contain buy serves serving don't doesn't i'm what's who's where's it's
  there here now currently someone somebody anyone anybody everyone something anything everything nothing least most selling sells sell th st nd rd up out s re don t ll ve`.split(
    /\s+/,
  ),
);

export function isPlain(word: string): boolean {
  return PLAIN.has(word) || /^[\p{P}\p{S}]+$/u.test(word);
}
