/** What is found of skills: tools (skill.yaml) and instructions (SKILL.md), and what is wrong with them. */

import type { Json, JsonObject, Level, ToolExample } from '../kernel/types.ts';

/** Where skills are looked for: earlier places win. */
export interface SkillPlace {
  path: string;
  /** bundled = the program's own, which run in process. */
  origin: 'project' | 'user' | 'bundled';
  /** Only SKILL.md counts: the folders of other programs, whose skills are texts. */
  textsOnly?: boolean;
  /** Of a bundled place: where its code lies when that is somewhere else (compiled). */
  code?: string;
}

/** A checked skill.yaml, as plain data. */
export interface Manifest {
  name: string;
  description: string;
  parameters: JsonObject;
  /** Relative to the folder; absent = skill.ts, or skill.js or skill.mjs where there is none. */
  entry?: string;
  /** Absent = told by what the code does. */
  level?: Level;
  examples: ToolExample[];
  /** The other fields of tool({...}). */
  more: { [field: string]: Json };
}

/** A folder with a SKILL.md, as the model reads it. */
export interface AgentSkill {
  name: string;
  description: string;
  /** Real path of its folder. */
  folder: string;
  file: string;
  origin: SkillPlace['origin'];
}

export interface SkillDiagnostic {
  file: string;
  line?: number;
  code: string;
  message: string;
}

/** What the code tells. `problem`: it cannot be used. */
export interface Entry {
  /** Name of the export; with it the function is called as (arguments, context). */
  key?: string;
  level?: Level;
  untrusted?: true;
  outward?: true;
  /** What its code does besides computing: "it uses node:fs (line 1)". */
  acts?: string;
  problem?: { code: string; message: string; line?: number };
}
