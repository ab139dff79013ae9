/** Days as people name them, in English and Chinese: found in a text, and turned into dates once it is known what day it is. */

const FROM_TODAY: Readonly<Record<string, number>> = {
  'day after tomorrow': 2,
  tomorrow: 1,
  today: 0,
  tonight: 0,
  now: 0,
  'day before yesterday': -2,
  yesterday: -1,
  大后天: 3,
  后天: 2,
  后日: 2,
  明天: 1,
  明日: 1,
  明儿: 1,
  明早: 1,
  明晚: 1,
  今天: 0,
  今日: 0,
  今儿: 0,
  今早: 0,
  今晚: 0,
  现在: 0,
  大前天: -3,
  前天: -2,
  昨天: -1,
  昨日: -1,
  昨晚: -1,
};
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const HAN_WEEKDAYS = '日一二三四五六';
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
const NUMBERS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const NUMBER = `\\d{1,3}|${NUMBERS.join('|')}`;
const HAN_NUMBERS = '零一二三四五六七八九十';
const DAY_MS = 86_400_000;

/** What of a form means which day; undefined = none, such as the 31st of April. Weeks begin on Monday. */
type Meaning = (parts: Record<string, string | undefined>, today: string) => string | undefined;
interface Form {
  pattern: string;
  meaning: Meaning;
  /** Clear only where nothing else can be meant: not looked for in a text. */
  alone?: true;
}

const calendar: Meaning = ({ year, month = '', day = '' }, today) => dayOf(year, month, day, today);
const weekday: Meaning = ({ which, weekday: name }, today) => {
  const han = HAN_WEEKDAYS.indexOf(name!.replace('天', '日'));
  return inWeek(which, han >= 0 ? han : WEEKDAYS.indexOf(name!.slice(0, 3)), today);
};

const FORMS: readonly Form[] = [
  { pattern: '(?<year>\\d{4})[-/.年](?<month>\\d{1,2})[-/.月](?<day>\\d{1,2})[日号]?', meaning: calendar },
  { pattern: '(?<month>\\d{1,2})月(?<day>\\d{1,2})[日号]', meaning: calendar },
  { pattern: '(?<month>\\d{1,2})[-/.月](?<day>\\d{1,2})', meaning: calendar, alone: true },
  { pattern: `\\b(?<month>${MONTH})\\.? (?<day>\\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\\d{4}))?\\b`, meaning: calendar },
  { pattern: `\\b(?<day>\\d{1,2})(?:st|nd|rd|th)?(?: of)? (?<month>${MONTH})(?:,? (?<year>\\d{4}))?\\b`, meaning: calendar },
  { pattern: `(?:\\b(?:the )?(?<word>${fromToday(/^[a-z]/)})\\b)`, meaning: ({ word }, today) => shifted(today, FROM_TODAY[word!]!) },
  { pattern: `(?<word>${fromToday(/^[^a-z]/)})`, meaning: ({ word }, today) => shifted(today, FROM_TODAY[word!]!) },
  { pattern: '\\bthis (?:morning|afternoon|evening)\\b', meaning: (_, today) => today },
  { pattern: `\\bin (?<count>${NUMBER}) days?\\b`, meaning: inDays },
  { pattern: `\\b(?<count>${NUMBER}) days? (?:from now|later)\\b`, meaning: inDays },
  { pattern: `(?<count>\\d{1,3}|[${HAN_NUMBERS}两]) ?天(?:之后|以后|后)`, meaning: inDays },
  { pattern: '\\b(?:(?<which>this|next) )?(?<weekday>(?:sun|mon|tues|wednes|thurs|fri|satur)day)\\b', meaning: weekday },
  { pattern: '(?:(?<which>this|next) )?(?<weekday>sun|mon|tues?|wed|thu(?:rs?)?|fri|sat)', meaning: weekday, alone: true },
  { pattern: '(?<which>下下|[上这本下])?个?(?:周|星期|礼拜)(?<weekday>[日天一二三四五六])', meaning: weekday },
  { pattern: '\\b(?:(?<which>this|next) )?weekend\\b', meaning: weekend },
  { pattern: '(?<which>下下|[上这本下])?个?周末', meaning: weekend },
];

/** The part of a day is no other day. */
const PART = '(?:的?(?:早上|上午|中午|下午|傍晚|晚上|夜里|夜间|白天|凌晨|早|晚)| (?:morning|noon|afternoon|evening|night))?';

/** The day that a text names, as it stands there; of several the first. */
export function findDay(text: string): string | undefined {
  const plain = simplified(text);
  const found = FORMS.flatMap(({ pattern, alone }) => (alone ? [] : (new RegExp(pattern, 'i').exec(plain) ?? [])).slice(0, 1)).map(
    (words) => ({
      words,
      at: plain.indexOf(words),
    }),
  );
  const first = found.sort((a, b) => a.at - b.at || b.words.length - a.words.length)[0];
  return first && text.slice(first.at, first.at + first.words.length);
}

/** The date (YYYY-MM-DD) that these words mean on the day `today`; undefined when they name no day. A weekday is the next one, today included. */
export function dateOf(words: string, today: string): string | undefined {
  const text = simplified(words.normalize('NFKC').trim().toLowerCase()).replace(/\s+/g, ' ').replace(/^on /, '');
  for (const { pattern, meaning } of FORMS) {
    const found = new RegExp(`^(?:${pattern})${PART}$`).exec(text);
    if (found) return meaning(found.groups ?? {}, today);
  }
  return undefined;
}

function fromToday(script: RegExp): string {
  return Object.keys(FROM_TODAY)
    .filter((word) => script.test(word))
    .sort((a, b) => b.length - a.length)
    .join('|');
}

/** Without a year it is the nearest such day: in December, 1月2日 is of the next year. */
function dayOf(year: string | undefined, month: string, day: string, today: string): string | undefined {
  const number = MONTHS.indexOf(month.slice(0, 3)) + 1 || Number(month);
  if (year !== undefined) return realDate(Number(year), number, Number(day));
  const thisYear = Number(today.slice(0, 4));
  const dates = [thisYear, thisYear + 1, thisYear - 1].flatMap((one) => realDate(one, number, Number(day)) ?? []);
  const distance = (date: string) => Math.abs(Date.parse(date) - Date.parse(today));
  return dates.sort((a, b) => distance(a) - distance(b))[0];
}

function inDays({ count }: Record<string, string | undefined>, today: string): string {
  const han = HAN_NUMBERS.indexOf(count!.replace('两', '二'));
  const word = NUMBERS.indexOf(count!);
  return shifted(today, word >= 0 ? word : han >= 0 ? han : Number(count));
}

/** On a Sunday the weekend is that day. */
function weekend({ which }: Record<string, string | undefined>, today: string): string {
  return which === undefined && new Date(today).getUTCDay() === 0 ? today : inWeek(which, 6, today);
}

/** `which` week: absent = the next such day, today included. 下周三 on a Monday is not the Wednesday two days ahead. */
function inWeek(which: string | undefined, day: number, today: string): string {
  const since = (of: number) => (of + 6) % 7;
  const now = new Date(today).getUTCDay();
  if (which === undefined) return shifted(today, (day - now + 7) % 7);
  const weeks = { 上: -1, 下: 1, next: 1, 下下: 2 }[which] ?? 0;
  return shifted(today, since(day) - since(now) + weeks * 7);
}

function shifted(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/** undefined for the 31st of April. */
function realDate(year: number, month: number, day: number): string | undefined {
  const date = [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-');
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date) ? date : undefined;
}

/** Of the same length. */
function simplified(text: string): string {
  const plain: Record<string, string> = {
    後: '后',
    現: '现',
    週: '周',
    號: '号',
    禮: '礼',
    這: '这',
    個: '个',
    兩: '两',
    裡: '里',
    間: '间',
  };
  return text.replace(/[後現週號禮這個兩裡間]/g, (sign) => plain[sign]!);
}
