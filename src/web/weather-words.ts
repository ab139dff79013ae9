/** The weather codes of the WMO (table 4677, as Open-Meteo uses it) in words. */

const TABLE: readonly (readonly [codes: readonly number[], en: string, zh: string])[] = [
  [[0], 'clear sky', '晴'],
  [[1], 'mainly clear', '晴间少云'],
  [[2], 'partly cloudy', '多云'],
  [[3], 'overcast', '阴'],
  [[45, 48], 'fog', '雾'],
  [[51, 53, 55], 'drizzle', '毛毛雨'],
  [[56, 57], 'freezing drizzle', '冻毛毛雨'],
  [[61], 'light rain', '小雨'],
  [[63], 'rain', '中雨'],
  [[65], 'heavy rain', '大雨'],
  [[66, 67], 'freezing rain', '冻雨'],
  [[71, 77], 'light snow', '小雪'],
  [[73], 'snow', '中雪'],
  [[75], 'heavy snow', '大雪'],
  [[80, 81], 'rain showers', '阵雨'],
  [[82], 'violent rain showers', '强阵雨'],
  [[85, 86], 'snow showers', '阵雪'],
  [[95], 'thunderstorm', '雷阵雨'],
  [[96, 99], 'thunderstorm with hail', '雷阵雨伴冰雹'],
];

export function conditionOf(code: number, language: 'en' | 'zh'): string {
  const [, en, zh] = TABLE.find(([codes]) => codes.includes(code)) ?? [[], 'unknown', '未知'];
  return language === 'zh' ? zh : en;
}
