/** A PostgreSQL server of its own for a test file: made, started, and gone with it. */

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const VERSIONS = '/usr/lib/postgresql';

function programs(): string | undefined {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(VERSIONS, version, 'bin')).find((folder) => existsSync(join(folder, 'initdb')));
}

/** Why there is none here; undefined = it can be started. In CI it has to be there. */
export function noPostgres(): string | undefined {
  if (programs()) return undefined;
  const why = 'PostgreSQL is not installed: sudo apt-get install -y postgresql';
  if (process.env.CI === 'true') throw new Error(why);
  return why;
}

export async function startPostgres(): Promise<{ url(role: string, database?: string): string; port: number; stop(): void }> {
  const bin = programs()!;
  const folder = mkdtempSync(join(tmpdir(), 'hermes-postgres-'));
  const isRoot = process.getuid?.() === 0;
  chmodSync(folder, 0o777);
  const data = join(folder, 'data');
  const port = await freePort();
  // initdb and the server refuse to run as root.
  const run = (program: string, ...args: string[]) => {
    const command = [join(bin, program), ...args];
    const [file, ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    execFileSync(file!, rest, { stdio: 'ignore', cwd: '/' });
  };
  run('initdb', '-D', data, '-A', 'scram-sha-256', '-U', 'postgres', '--no-sync', '-E', 'UTF8', '--pwfile', passwordFile(folder));
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c fsync=off`;
  run('pg_ctl', '-D', data, '-l', join(folder, 'log'), '-w', '-o', options, 'start');
  return {
    port,
    url: (role, database = 'postgres') => `postgres://${role}@127.0.0.1:${port}/${database}`,
    stop() {
      run('pg_ctl', '-D', data, '-m', 'immediate', 'stop');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function passwordFile(folder: string): string {
  const file = join(folder, 'password');
  spawnSync('sh', ['-c', `printf secret > ${file} && chmod 644 ${file}`]);
  return file;
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
