/** Why a command runs by itself, is asked about or is refused: every reason with its weight, the level it gives and its words. */

import type { Level } from '../kernel/types.ts';

/**
 * free: runs by itself. build: runs by itself inside a sandbox without network, else ask. ask: a person or a rule decides.
 * never: a person decides, whatever the rules allow. deny: nobody is asked.
 */
export type Weight = 'free' | 'build' | 'ask' | 'never' | 'deny';

interface Reason {
  weight: Weight;
  level: Level;
  en: string;
  zh: string;
}

export const REASONS = {
  reads: { weight: 'free', level: 'read', en: 'only reads', zh: '只读取' },
  builds: {
    weight: 'build',
    level: 'dangerous',
    en: 'builds or tests, running code of the workspace',
    zh: '构建或测试，会运行工作区的代码',
  },
  writes: { weight: 'ask', level: 'write', en: 'changes files in the workspace', zh: '修改工作区的文件' },
  temporary: { weight: 'ask', level: 'write', en: 'writes temporary files', zh: '写临时文件' },
  settings: { weight: 'ask', level: 'write', en: 'changes settings or history of the repository', zh: '修改仓库的设置或历史' },
  network: { weight: 'ask', level: 'dangerous', en: 'uses the network', zh: '访问网络' },
  script: { weight: 'ask', level: 'dangerous', en: 'runs a program file', zh: '运行程序文件' },
  unknown: { weight: 'ask', level: 'dangerous', en: 'what this command does is not known', zh: '不知道该命令会做什么' },
  unresolved: { weight: 'ask', level: 'dangerous', en: 'it holds a value that is only known when it runs', zh: '含有运行时才知道的值' },
  option: { weight: 'ask', level: 'dangerous', en: 'with this option it does more than read', zh: '带此选项时不只是读取' },
  structure: { weight: 'ask', level: 'write', en: 'more than a plain list of commands', zh: '不只是简单的命令列表' },
  variables: { weight: 'ask', level: 'dangerous', en: 'sets a variable for what runs after it', zh: '为随后的程序设置变量' },
  background: { weight: 'ask', level: 'dangerous', en: 'goes on in the background', zh: '在后台继续运行' },
  processes: { weight: 'ask', level: 'dangerous', en: 'ends processes', zh: '结束进程' },
  home: { weight: 'ask', level: 'dangerous', en: 'reads from the home folder', zh: '读取主目录' },
  outside: { weight: 'never', level: 'dangerous', en: 'writes outside of the workspace', zh: '写到工作区之外' },
  sensitive: { weight: 'never', level: 'dangerous', en: 'changes settings, keys or parts of the system', zh: '修改配置、密钥或系统文件' },
  taken: {
    weight: 'never',
    level: 'dangerous',
    en: 'changes what this program runs or takes for instructions by itself',
    zh: '修改本程序会自行运行或采用的内容',
  },
  secrets: { weight: 'never', level: 'dangerous', en: 'reads keys or passwords', zh: '读取密钥或密码' },
  destroys: { weight: 'never', level: 'dangerous', en: 'destroys what cannot be brought back', zh: '造成无法恢复的破坏' },
  privilege: { weight: 'never', level: 'dangerous', en: 'takes or gives rights', zh: '提升或授予权限' },
  system: {
    weight: 'never',
    level: 'dangerous',
    en: 'changes the system: packages, services, users, devices',
    zh: '改变系统：软件包、服务、用户、设备',
  },
  code: { weight: 'never', level: 'dangerous', en: 'runs a text as a program', zh: '把文本当作程序执行' },
  hidden: { weight: 'never', level: 'dangerous', en: 'hides the name of what it runs', zh: '隐藏了要运行的命令名' },
  loader: { weight: 'never', level: 'dangerous', en: 'sets a variable that decides which code runs', zh: '设置会决定运行哪些代码的变量' },
  unclear: { weight: 'never', level: 'dangerous', en: 'it cannot be read for sure', zh: '无法可靠地解析' },
  invisible: { weight: 'never', level: 'dangerous', en: 'it holds characters that are not seen', zh: '含有不可见字符' },
  control: { weight: 'deny', level: 'dangerous', en: 'it holds control characters', zh: '含有控制字符' },
  own: {
    weight: 'deny',
    level: 'dangerous',
    en: "changes this program's own files or the hooks of git",
    zh: '修改本程序自身的文件或 git 钩子',
  },
  device: { weight: 'deny', level: 'dangerous', en: 'writes onto a device', zh: '直接写设备' },
  everything: {
    weight: 'deny',
    level: 'dangerous',
    en: 'removes or changes the whole system or home folder',
    zh: '删除或更改整个系统或主目录',
  },
  multiplies: { weight: 'deny', level: 'dangerous', en: 'starts itself again and again', zh: '不断地启动自身' },
} as const satisfies Readonly<Record<string, Reason>>;

export type ReasonName = keyof typeof REASONS;

/** One thing that was found; `detail` is what it is about: a path, an option, a name. */
export interface Finding {
  reason: ReasonName;
  detail?: string;
}
