/** macOS: Seatbelt, by @anthropic-ai/sandbox-runtime. Its settings are those of the whole process; the first policy's hosts count. */

import { homedir, tmpdir } from 'node:os';
import { packageMissing } from '../kernel/errors.ts';
import type { Prepared, Sandbox, SandboxPolicy } from './types.ts';
import { watchUnmade } from './unmade.ts';

export async function openSeatbelt(): Promise<Sandbox> {
  const { SandboxManager } = await import('@anthropic-ai/sandbox-runtime').catch((cause) => {
    throw packageMissing('the sandbox of macOS needs', ['@anthropic-ai/sandbox-runtime'], cause);
  });
  let starting: Promise<void> | undefined;
  return {
    name: 'Seatbelt',
    async prepare(command, policy): Promise<Prepared> {
      const config = configOf(policy);
      starting ??= SandboxManager.initialize(config);
      await starting;
      const wrapped = await SandboxManager.wrapWithSandbox(`cd ${quoted(policy.folder)} && ${command}`, 'bash', config);
      const unmade = watchUnmade(policy.unmade);
      const done = async () => {
        SandboxManager.cleanupAfterCommand();
        return unmade();
      };
      const env = { PATH: '/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin:/usr/sbin:/sbin', HOME: tmpdir(), LANG: 'en_US.UTF-8' };
      return { argv: ['/bin/bash', '-c', wrapped], env, done };
    },
  };
}

function configOf({ workspace, hidden, fixed, readable, hosts }: SandboxPolicy) {
  return {
    network: { allowedDomains: [...hosts], deniedDomains: [] },
    filesystem: {
      denyRead: [homedir(), ...hidden],
      allowRead: [workspace, ...readable],
      allowWrite: [workspace, '/tmp'],
      denyWrite: [...hidden, ...fixed],
    },
  };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
