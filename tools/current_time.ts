/** The time of day anywhere, by the zones that the runtime knows. */

import { HermesError, nearest } from '../src/kernel/errors.ts';
import { tool } from '../src/tools/define.ts';

export default tool({
  name: 'current_time',
  description:
    'Gives the current time, date and weekday in a time zone. Use it for every question about now, today or the day of the week, ' +
    'and before other tools that need a date; not for the time of another day.',
  level: 'read',
  settingNames: [],
  idempotent: true,
  input: {
    type: 'object',
    properties: {
      time_zone: {
        type: 'string',
        description: 'IANA time zone such as Europe/London; default: the zone of the user',
        format: 'time-zone',
      },
    },
    additionalProperties: false,
  },
  output: {
    type: 'object',
    properties: {
      time_zone: { type: 'string' },
      time: { type: 'string', description: 'hours and minutes' },
      date: { type: 'string' },
      weekday: { type: 'string' },
      iso: { type: 'string', description: 'ISO 8601 with offset' },
    },
  },
  aliases: { timezone: 'time_zone', tz: 'time_zone', zone: 'time_zone', location: 'time_zone', city: 'time_zone', 时区: 'time_zone' },
  keywords: 'time clock hour now local current date today day weekday 时间 几点 现在 钟 今天 日期 几号 星期 周几',
  examples: [
    {
      request: 'What time is it in London?',
      arguments: { time_zone: 'Europe/London' },
      result: { time_zone: 'Europe/London', time: '09:05', date: '2026-03-02', weekday: 'Monday', iso: '2026-03-02T09:05:41+00:00' },
      answer: 'It is 09:05 in London.',
    },
    {
      request: '现在纽约几点？',
      arguments: { time_zone: 'America/New_York' },
      result: { time_zone: 'America/New_York', time: '21:17', date: '2026-03-02', weekday: 'Monday', iso: '2026-03-02T21:17:03-05:00' },
      answer: '纽约现在是 21:17。',
    },
    {
      request: 'What day is it today?',
      arguments: {},
      result: { time_zone: 'Europe/London', time: '09:05', date: '2026-03-02', weekday: 'Monday', iso: '2026-03-02T09:05:41+00:00' },
      answer: 'Today is Monday, 2026-03-02.',
    },
    {
      request: '今天是几月几号？',
      arguments: {},
      result: { time_zone: 'Asia/Shanghai', time: '21:17', date: '2026-03-02', weekday: 'Monday', iso: '2026-03-02T21:17:03+08:00' },
      answer: '今天是 2026-03-02，Monday。',
    },
  ],
  execute({ time_zone }, { context }) {
    const zone = time_zone ?? context.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    return describe(new Date(), zone);
  },
});

function describe(now: Date, zone: string) {
  const parts = new Map(
    formatter(zone)
      .formatToParts(now)
      .map(({ type, value }) => [type, value]),
  );
  const date = `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
  const time = `${parts.get('hour')}:${parts.get('minute')}`;
  const offset = (parts.get('timeZoneName') ?? 'GMT').replace('GMT', '') || '+00:00';
  return { time_zone: zone, time, date, weekday: parts.get('weekday'), iso: `${date}T${time}:${parts.get('second')}${offset}` };
}

function formatter(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      weekday: 'long',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'longOffset',
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const near = similarZone(timeZone);
    throw new HermesError('unknown_time_zone', `"${timeZone}" is no IANA time zone${near ? `; did you mean ${near}?` : ''}`, {
      kind: 'tool',
      next: 'use a name such as Asia/Shanghai or America/New_York',
    });
  }
}

function similarZone(name: string): string | undefined {
  const zones = Intl.supportedValuesOf('timeZone');
  const city = name.split('/').at(-1)!.trim().replaceAll(' ', '_').toLowerCase();
  return zones.find((zone) => zone.toLowerCase().endsWith(`/${city}`)) ?? nearest(name, zones);
}
