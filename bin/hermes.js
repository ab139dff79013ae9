#!/usr/bin/env node
/**
 * Starts the installed program, which needs Node 24. This file itself parses on every Node since 6: under an older one it goes on
 * under HERMES_NODE, or under the node-<os>-<arch> package when one is installed, and else ends with one clear line.
 */

const NEEDED = 24;
const GUARD = 'HERMES_REEXECUTED';

if (majorOf(process.version) >= NEEDED) {
  delete process.env[GUARD];
  require('../dist/src/cli/main.js');
} else if (process.env[GUARD]) fail();
else goOnUnder(process.env.HERMES_NODE || installedNode());

function majorOf(version) {
  return Number(version.slice(1).split('.')[0]);
}

function installedNode() {
  const file = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node';
  try {
    return require.resolve(`node-${process.platform}-${process.arch}/${file}`);
  } catch (_notInstalled) {
    return undefined;
  }
}

function goOnUnder(node) {
  if (!node) return fail();
  const args = process.argv.slice(1);
  const env = Object.assign({}, process.env, { [GUARD]: '1' });
  try {
    // module.require without the node: prefix, which the oldest do not know. A failing execve would abort the process.
    module.require('fs').accessSync(node, 1);
  } catch (error) {
    return fail(error);
  }
  if (process.execve) process.execve(node, [node].concat(args), env);
  const child = module.require('child_process').spawn(node, args, { stdio: 'inherit', env });
  // Ctrl-C reaches the child by itself (same terminal); this process only has to outlive it.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', fail);
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail(error) {
  const locale = process.env.LC_ALL || process.env.LC_MESSAGES || process.env.LANG || '';
  const found = process.version + (error ? ` (${error.message})` : '');
  console.error(
    locale.startsWith('zh')
      ? `hermes：需要 Node ${NEEDED} 或更新的版本，当前是 ${found}。请从 https://nodejs.org 安装，或用 HERMES_NODE 指定它的路径。`
      : `hermes: needs Node ${NEEDED} or newer, this is ${found}. Install it from https://nodejs.org, or set HERMES_NODE to its path.`,
  );
  process.exit(2);
}
