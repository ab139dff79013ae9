/** The sections [tools.NAME] of the configuration against what the tools say that they read: a name that nobody reads is a mistake. */

import { HermesError, nearest } from '../kernel/errors.ts';
import type { Tool } from '../tools/define.ts';
import { settingNamesOf } from '../tools/needs.ts';
import { type Config, unknownKey } from './config.ts';

/** Throws for the first one. A section for a tool that is not here may be meant for another folder, but for a name that is nearly one. */
export function checkToolSettings({ values, toolSettings, sources }: Config, tools: readonly Tool[]): void {
  const known = new Map(tools.map((tool) => [tool.info.name, tool]));
  const names = [...known.keys(), ...values.tools.disabled];
  for (const [section, settings] of Object.entries(toolSettings)) {
    const source = sources[`tools.${section}`]!;
    const tool = known.get(section);
    if (!tool && !names.includes(section) && nearest(section, names)) throw unknownKey(`tools.${section}`, names, source);
    const allowed = tool && settingNamesOf(tool);
    const wrong = allowed && Object.keys(settings).find((name) => !allowed.includes(name));
    if (wrong !== undefined) throw unknownSetting(section, wrong, allowed!, source.name ?? '');
  }
}

function unknownSetting(tool: string, name: string, allowed: readonly string[], where: string): HermesError {
  const near = nearest(name, allowed);
  const known = allowed.join(', ') || '-';
  return new HermesError('config_unknown_setting', `${tool} has no setting "${name}" (${where}).${near ? ` Did you mean ${near}?` : ''}`, {
    kind: 'usage',
    next: `The settings of [tools.${tool}] are: ${known}.`,
    data: { tool, name, where, known, ...(near ? { meant: near } : {}) },
  });
}
