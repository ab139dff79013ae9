/** The language of the program's own messages: --lang, else the locale. */

export type Language = 'zh' | 'en';

export function languageFrom(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Language {
  const at = args.findIndex((arg) => arg === '--lang' || arg.startsWith('--lang='));
  const given = at === -1 ? undefined : args[at]!.includes('=') ? args[at]!.split('=')[1] : args[at + 1];
  if (given === 'zh' || given === 'en') return given;
  return (env.LC_ALL || env.LC_MESSAGES || env.LANG || '').toLowerCase().startsWith('zh') ? 'zh' : 'en';
}
