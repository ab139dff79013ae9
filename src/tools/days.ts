/** Days as people name them, in English and Chinese: found in a text, and turned into dates once it is known what day it is. */

const FROM_TODAY: Readonly<Record<string, number>> = {
  'day after tomorrow': 2,
  tomorrow: 1,
  today: 0,
  tonight: 0,
  now: 0,
  yesterday: -1,
  大后天: 3,
  后天: 2,
  明天: 1,
  明日: 1,
  明早: 1,
  明晚: 1,
  今天: 0,
  今日: 0,
  今早: 0,
  今晚: 0,
  现在: 0,
  昨天: -1,
};
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const HAN_WEEKDAYS = '日一二三四五六';
const DAY_MS = 86_400_000;

const PATTERNS = [
  /\d{4}-\d{1,2}-\d{1,2}/,
  /(?:\d{4}年)?\d{1,2}月\d{1,2}[日号]/,
  new RegExp(
    `\\b(?:${Object.keys(FROM_TODAY)
      .filter((word) => /^[a-z]/.test(word))
      .join('|')})\\b`,
    'i',
  ),
  /大后天|[今明后昨]天|[今明]日|[今明][早晚]|现在/,
  /\b(?:sun|mon|tues|wednes|thurs|fri|satur)day\b/i,
  /(?:下?周|下?星期|下?礼拜)[日天一二三四五六]/,
];

/** The day that a text names, as it stands there; of several the first. */
export function findDay(text: string): string | undefined {
  const found = PATTERNS.flatMap((pattern) => pattern.exec(text) ?? []).map((words) => ({ words, at: text.indexOf(words) }));
  return found.sort((a, b) => a.at - b.at || b.words.length - a.words.length)[0]?.words;
}

/** The date (YYYY-MM-DD) that these words mean on the day `today`; undefined when they name no day. A weekday is the next one, today included. */
export function dateOf(words: string, today: string): string | undefined {
  const text = words.normalize('NFKC').trim().toLowerCase();
  const days = FROM_TODAY[text];
  if (days !== undefined) return shifted(today, days);
  const [, year, month, day] = /^(?:(\d{4})[-/年.])?(\d{1,2})[-/月.](\d{1,2})[日号]?$/.exec(text) ?? [];
  if (month !== undefined) return realDate(year ?? today.slice(0, 4), month, day!);
  const weekday = weekdayOf(text);
  if (weekday === undefined) return undefined;
  const ahead = (weekday - new Date(today).getUTCDay() + 7) % 7;
  return shifted(today, text.startsWith('下') ? ahead + (isThisWeek(today, ahead) ? 7 : 0) : ahead);
}

function weekdayOf(text: string): number | undefined {
  const han = /^下?(?:周|星期|礼拜)([日天一二三四五六])$/.exec(text)?.[1]?.replace('天', '日');
  const index = han ? HAN_WEEKDAYS.indexOf(han) : /^[a-z]+$/.test(text) ? WEEKDAYS.indexOf(text.slice(0, 3)) : -1;
  return index < 0 ? undefined : index;
}

/** Weeks begin on Monday: 下周三 on a Monday is not the Wednesday two days ahead. */
function isThisWeek(today: string, ahead: number): boolean {
  return ((new Date(today).getUTCDay() + 6) % 7) + ahead < 7;
}

function shifted(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/** undefined for the 31st of April. */
function realDate(year: string, month: string, day: string): string | undefined {
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date) ? date : undefined;
}
