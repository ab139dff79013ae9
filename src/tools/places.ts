/** Places by their English and Chinese names, and the time zone of each: from the runtime's own data, and a table of what that lacks. */

/** Cities that name no zone themselves, Chinese names of cities, and countries with several zones: the zone most people there live in. */
const TABLE = `
Asia/Shanghai: China Beijing Guangzhou Shenzhen Chengdu Hangzhou Wuhan Nanjing Tianjin Xi'an Suzhou 中国 北京 上海 广州 深圳 成都 重庆 杭州 武汉 西安 南京 天津 苏州 青岛 长沙 郑州 沈阳 大连 厦门 昆明 哈尔滨
Asia/Hong_Kong: 香港
Asia/Macau: 澳门
Asia/Taipei: 台北 台湾
Asia/Tokyo: Osaka Kyoto Sapporo Nagoya 东京 大阪 京都 札幌 名古屋
Asia/Seoul: Busan 首尔 釜山
Asia/Singapore: 新加坡
Asia/Bangkok: 曼谷
Asia/Kuala_Lumpur: Malaysia 吉隆坡 马来西亚
Asia/Jakarta: Indonesia 雅加达 印度尼西亚 印尼
Asia/Ho_Chi_Minh: Hanoi Vietnam 河内 胡志明市 越南
Asia/Manila: 马尼拉
Asia/Kolkata: Mumbai Delhi Bangalore Chennai 孟买 新德里 德里
Asia/Dubai: 迪拜 阿联酋
Asia/Tehran: 德黑兰
Asia/Jerusalem: 'Tel Aviv' 耶路撒冷
Asia/Riyadh: 利雅得
Europe/Istanbul: Turkey Ankara 伊斯坦布尔 土耳其
Europe/Moscow: Russia 'St. Petersburg' 莫斯科 俄罗斯
Europe/London: England Scotland Britain UK Manchester Edinburgh 伦敦 英国
Europe/Paris: Lyon Marseille 巴黎 法国
Europe/Berlin: Germany Munich Frankfurt Hamburg Cologne 柏林 慕尼黑 法兰克福 汉堡 德国
Europe/Madrid: Spain Barcelona 马德里 巴塞罗那 西班牙
Europe/Rome: Milan Venice Naples 罗马 米兰 威尼斯
Europe/Lisbon: Portugal 里斯本 葡萄牙
Europe/Amsterdam: Rotterdam 阿姆斯特丹
Europe/Brussels: 布鲁塞尔
Europe/Vienna: 维也纳
Europe/Zurich: Geneva Basel 苏黎世 日内瓦
Europe/Stockholm: 斯德哥尔摩
Europe/Oslo: 奥斯陆
Europe/Copenhagen: 哥本哈根
Europe/Helsinki: 赫尔辛基
Europe/Warsaw: 华沙
Europe/Prague: 布拉格
Europe/Budapest: 布达佩斯
Europe/Athens: 雅典
Europe/Dublin: 都柏林
Europe/Kyiv: Ukraine 基辅 乌克兰
Africa/Cairo: 开罗
Africa/Johannesburg: 'Cape Town' 约翰内斯堡 开普敦
Africa/Nairobi: 内罗毕
Africa/Lagos: 拉各斯
America/New_York: 'United States' USA America Boston Washington Miami Atlanta Philadelphia NYC 纽约 波士顿 华盛顿 迈阿密 费城 美国
America/Chicago: Houston Dallas Austin 芝加哥 休斯顿 达拉斯
America/Denver: 丹佛
America/Los_Angeles: 'San Francisco' Seattle 'San Diego' 'Las Vegas' 'Silicon Valley' California 洛杉矶 旧金山 西雅图 圣地亚哥 拉斯维加斯
Pacific/Honolulu: Hawaii 夏威夷 檀香山
America/Toronto: Canada Montreal Ottawa 多伦多 蒙特利尔 加拿大
America/Vancouver: 温哥华
America/Mexico_City: Mexico 墨西哥城 墨西哥
America/Sao_Paulo: Brazil 'Rio de Janeiro' 圣保罗 里约热内卢 巴西
America/Argentina/Buenos_Aires: Argentina 布宜诺斯艾利斯 阿根廷
America/Santiago: Chile 智利
America/Bogota: 波哥大
America/Lima: 利马
Australia/Sydney: Australia Canberra 悉尼 堪培拉 澳大利亚 澳洲
Australia/Melbourne: 墨尔本
Australia/Brisbane: 布里斯班
Australia/Perth: 珀斯
Pacific/Auckland: 'New Zealand' Wellington 奥克兰 惠灵顿 新西兰
UTC: UTC GMT 世界协调时`;

/** Zones whose last name is a common word or that of a station, not of a place that is asked about. */
const NO_PLACES = /^(?:Etc|Antarctica|America\/(?:Indiana|Kentucky|North_Dakota))\/|^Pacific\/(?:Wake|Midway|Easter)$/;

let names: Map<string, string> | undefined;

/** The longest name of a place in the text, as it stands there, with its zone; the first of equal ones. */
export function findZone(text: string): { zone: string; name: string } | undefined {
  names ??= collectNames();
  const plain = fold(text);
  const places = [...plain.matchAll(/\p{Script=Han}+|[\p{L}\p{M}]+/gu)];
  let best: { zone: string; name: string } | undefined;
  for (const [place, { 0: word, index }] of places.entries()) {
    const ends = /\p{Script=Han}/u.test(word) ? hanEnds(index, word.length) : wordEnds(places.slice(place, place + 4));
    for (const [start, end] of ends) {
      const zone = names.get(plain.slice(start, end).replace(/[\s_-]+/g, ' '));
      if (zone !== undefined && end - start > (best?.name.length ?? 0)) best = { zone, name: text.slice(start, end) };
    }
  }
  return best;
}

/** Every piece of 2 to 6 characters. */
function hanEnds(from: number, length: number): [number, number][] {
  return Array.from({ length }, (_, start) => [2, 3, 4, 5, 6].map((size): [number, number] => [from + start, from + start + size]))
    .flat()
    .filter(([, end]) => end <= from + length);
}

function wordEnds(words: RegExpExecArray[]): [number, number][] {
  return words.map((word): [number, number] => [words[0]!.index, word.index + word[0].length]);
}

/** Same length as before, so that places in the text stay the same. */
function fold(text: string): string {
  const folded = text.replace(/[À-ɏ]/g, (letter) => letter.normalize('NFD')[0] ?? letter).toLowerCase();
  return folded.length === text.length ? folded : text.toLowerCase();
}

function collectNames(): Map<string, string> {
  const found = new Map<string, string>();
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const city = zone.split('/').at(-1) ?? zone;
    if (zone.includes('/') && !NO_PLACES.test(zone)) found.set(fold(city).replace(/[\s_-]+/g, ' '), zone);
  }
  addCountries(found);
  for (const line of TABLE.trim().split('\n')) {
    const colon = line.indexOf(':');
    for (const [, quoted, plain] of line.slice(colon + 1).matchAll(/'([^']+)'(?=\s|$)|(\S+)/g)) {
      found.set(fold(quoted ?? plain ?? ''), line.slice(0, colon));
    }
  }
  return found;
}

/** Countries with one zone, by the runtime's names for them. */
function addCountries(found: Map<string, string>): void {
  const languages = ['en', 'zh'].map((language) => new Intl.DisplayNames(language, { type: 'region', fallback: 'none' }));
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    const country = languages.map((language) => language.of(code)).filter((name) => name !== undefined);
    if (country.length === 0) continue;
    const zones = (new Intl.Locale(`und-${code}`) as Intl.Locale & { getTimeZones?(): string[] | undefined }).getTimeZones?.() ?? [];
    if (zones.length !== 1) continue;
    for (const name of country) if (!found.has(fold(name))) found.set(fold(name), zones[0]!);
  }
}
