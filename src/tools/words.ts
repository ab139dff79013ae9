/** What of a text can be searched for: words without their endings, pairs of them, Han characters, and forms such as an address. */

/**
 * Forms that say more than their letters: an address, a file name, arithmetic, numbers. They meet the same forms in a tool's examples.
 * Each begins where a run of its characters begins, so that a long run is looked at once.
 */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/https?:\/\/\S+/gi, '<url>'],
  [/(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '<address>'],
  [
    /(?<![\w\p{Script=Han}./-])\/*(?:[\w\p{Script=Han}.-]+\/)*[\w\p{Script=Han}-]+\.[a-z]{1,4}\b|(?<![\w./-])\/*(?:[\w.-]+\/)+[\w.-]*/giu,
    '<file>',
  ],
  [/[\d)）]\s*[-+*/×÷^＋－＊／%]\s*(?=[\d(（])/g, '<operator>'],
];
/** Words of these say nothing alone; in pairs ("how much", "who are") they may. */
const NEVER_TELLING = new Set(
  `a an the is are was were be been am do does did can could will would of to in on at by for with from and or if it its this that these
  those i you he she we they your our his her me us them what which who how when where why please so just not no as much
  many about tell use any some all every other more than then there here also only give gives get need want like know`.split(/\s+/),
);

/** Latin words without their endings and in pairs, Han characters one by one and in pairs, and the shapes. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  let rest = text.normalize('NFKC');
  for (const [shape, name] of SHAPES) {
    rest = rest.replace(shape, (whole) => {
      words.push(name);
      return name === '<operator>' ? whole : ' ';
    });
  }
  const numbers = rest.match(/\d+(?:[.,]\d+)*/g)?.length ?? 0;
  if (numbers > 0) words.push('<number>');
  if (numbers > 1) words.push('<numbers>');
  let before = '';
  for (const [run] of rest.toLowerCase().matchAll(/\p{Script=Han}+|[\p{L}\p{M}]+(?:'[a-z]+)?|[^\s'’]/gu)) {
    if (/\p{Script=Han}/u.test(run)) words.push(...hanWords(run));
    if (!/^[\p{L}\p{M}']+$/u.test(run) || /\p{Script=Han}/u.test(run)) {
      before = '';
      continue;
    }
    const word = stem(run);
    if (!NEVER_TELLING.has(run)) words.push(word);
    if (before) words.push(`${before} ${word}`);
    before = word;
  }
  return words;
}

function hanWords(run: string): string[] {
  const characters = [...run];
  return [...characters, ...characters.slice(1).map((character, index) => characters[index]! + character)];
}

/** A pair of words of which neither says anything, or of Han characters of which one does not. */
export function saysNothing(word: string): boolean {
  return (
    word.split(' ').every((part) => NEVER_TELLING.has(part)) || /^\p{Script=Han}*[一的了是我你帮给请吗呢么下]\p{Script=Han}*$/u.test(word)
  );
}

/** In a text one character is part of some word; only where it stands alone it is a word that was chosen. */
export function isOneHan(word: string): boolean {
  return /^\p{Script=Han}$/u.test(word);
}

/** So that "raining" meets "rain", "notes" meets "note" and "o'clock" meets "clock". */
export function stem(word: string): string {
  const plain = word.replace(/^[a-z]'(?=[a-z]{3})/, '').replace(/'[a-z]+$/, '');
  if (plain.length <= 3 || plain === 'news') return plain;
  return plain
    .replace(/(?:ies)$/, 'y')
    .replace(/(?<=[a-z]{3})(?:ing|ed)$/, '')
    .replace(/(?<=[a-z]{2}[^s])s$/, '')
    .replace(/(?<=[a-z]{3})e$/, '');
}

/** Of stems, so that "calculation" and "calculator" meet "calculate": different words may have one root. */
export function rootOf(words: string): string {
  return words
    .split(' ')
    .map((word) =>
      word
        .replace(/(?<=[a-z]{4})(?:ation|ator|at|ition|itor|ion|iv|ment|er|or|al|ly|abl|ibl|anc|enc|nes)$/, '')
        .replace(/(?<=[a-z]{3})[yi]$/, '')
        .replace(/([bdgmnprt])\1$/, '$1'),
    )
    .join(' ');
}

/** A name of a tool or an argument as words: camelCase, snake_case and dots are parted. */
export function wordsOfName(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[^\p{L}\p{N}]+/gu, ' ');
}
