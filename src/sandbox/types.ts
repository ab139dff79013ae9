/** What a sandboxed command may see and change. */

export interface SandboxPolicy {
  /** Real path of the folder that is writable. */
  workspace: string;
  /** Where the command starts; inside the workspace. */
  folder: string;
  /** Files and folders of the workspace that look empty inside. */
  hidden: readonly string[];
  /** Files and folders of the workspace that cannot be changed inside; those that do not exist are left out. */
  fixed: readonly string[];
  /** Files and folders that a command must not bring into being: when it does, they get another name afterwards. */
  unmade: readonly string[];
  /** Absolute paths outside of the workspace that can be read besides the system's programs. */
  readable: readonly string[];
  /** Hosts that can be reached, as in src/network/hosts.ts; none = no network at all. */
  hosts: readonly string[];
}

/** What has to be started, by whoever watches over processes. */
export interface Prepared {
  argv: string[];
  /** The whole environment of the process. */
  env: Record<string, string>;
  /** When it has ended. Gives the new names of what it made and must not have made. */
  done(): Promise<string[]>;
}

export interface Sandbox {
  /** For people: bubblewrap 0.8.0. */
  name: string;
  prepare(command: string, policy: SandboxPolicy): Promise<Prepared>;
}
