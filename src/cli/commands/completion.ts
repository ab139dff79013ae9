/** `hermes completion SHELL`: a script made from the commands themselves, so that it never lags behind them. */

import type { Command } from 'commander';
import { type Cli, type ExitStatus, usageError } from '../context.ts';

interface Entry {
  /** Words after `hermes`, '' for hermes itself. */
  path: string;
  words: string[];
}

export async function completionCommand(cli: Cli, root: Command, shell: string): Promise<ExitStatus> {
  const scripts: Record<string, (entries: Entry[]) => string> = { bash, zsh, fish };
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (!script) {
    const message = cli.t('usage.oneOf', { name: 'SHELL', choices: Object.keys(scripts).join(', '), got: shell });
    throw usageError(message, cli.t('usage.help', { command: 'hermes completion' }));
  }
  cli.terminal.out(script(entriesOf(root, '')));
  return 0;
}

function entriesOf(command: Command, path: string): Entry[] {
  const visible = command.commands.filter((child) => child.name() !== 'help');
  const options = command.options.filter((option) => !option.hidden).map((option) => option.long ?? option.short ?? '');
  const words = [...visible.map((child) => child.name()), ...options];
  return [{ path, words }, ...visible.flatMap((child) => entriesOf(child, `${path} ${child.name()}`.trim()))];
}

/** Finds the longest known path of plain words before the cursor, then offers that command's words, else files. */
function bash(entries: Entry[]): string {
  const cases = entries.map(({ path, words }) => `      '${path}') words='${words.join(' ')}' ;;`).join('\n');
  const paths = entries.map(({ path }) => `'${path}'`).join(' | ');
  return `# hermes completion for bash: eval "$(hermes completion bash)"
_hermes() {
  local current=\${COMP_WORDS[COMP_CWORD]} path='' word words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    [[ $word == -* ]] && continue
    case "\${path:+$path }$word" in
      ${paths}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ \${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -o filenames -F _hermes hermes hermes-agent
`;
}

function zsh(entries: Entry[]): string {
  return `# hermes completion for zsh: eval "$(hermes completion zsh)"
autoload -Uz +X compinit bashcompinit
(( \${+functions[compdef]} )) || compinit
bashcompinit
${bash(entries).split('\n').slice(1).join('\n')}`;
}

function fish(entries: Entry[]): string {
  const lines = entries.flatMap(({ path, words }) => {
    const depth = path === '' ? [] : path.split(' ');
    const seen = depth.map((word) => `__fish_seen_subcommand_from ${word}`);
    const deeper = words.filter((word) => !word.startsWith('-'));
    const unseen = deeper.length > 0 ? [`not __fish_seen_subcommand_from ${deeper.join(' ')}`] : [];
    const condition = [...seen, ...unseen].join('; and ') || 'true';
    return words.map((word) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      return `complete -c hermes -n '${condition}' ${what}`;
    });
  });
  return `# hermes completion for fish: hermes completion fish | source\n${lines.join('\n')}\n`;
}
