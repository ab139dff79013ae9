/** Whether an endpoint can be reached, by the way that requests take: its proxy, its TLS. */

import { baseOf, proxySetting } from './http.ts';

/** Opens and closes a connection; asks nothing. The error's code and place, or undefined: it can. */
export function reachProblem(url: URL, env: NodeJS.ProcessEnv, timeoutMs: number): Promise<string | undefined> {
  const secure = url.protocol === 'https:';
  const { Agent, request } = process.getBuiltinModule(secure ? 'node:https' : 'node:http');
  const agent = new Agent(proxySetting(env));
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const asked = request({ ...baseOf(url), agent });
  const timer = setTimeout(() => resolve('ETIMEDOUT'), timeoutMs);
  asked.on('error', (error: NodeJS.ErrnoException & { address?: string; port?: number }) => {
    const place = error.address === undefined ? '' : ` ${error.address}:${error.port}`;
    resolve(`${error.code ?? error.message}${place}`);
  });
  asked.on('socket', (socket) => {
    if (socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', () => resolve(undefined));
    else resolve(undefined); // a tunnel that stands
  });
  return promise.finally(() => {
    clearTimeout(timer);
    asked.destroy();
    agent.destroy();
  });
}
