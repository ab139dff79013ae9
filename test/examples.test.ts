/** Every example runs as its README says, and says what it is there to show. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '..');
const expected: Record<string, RegExp[]> = {
  'calculator.ts': [/1\. run\.start/, /tool\.end/, /run\.end/, /结果是 160/],
  'umbrella.ts': [/weather .*"city":"上海, 中国".*"will_rain":true/, /current_time -> weather/, /今天是 \d{4}-\d\d-\d\d。.*记得带伞/],
  'orders.ts': [
    /order_status: 订单 A0001.*\(2 steps\)/,
    /trains: .*G101/,
    /services at the same time: 2\nasked: notify .*王芳/,
    /price \+ tax_rate \+ notify: .*226.*\(3 steps\)/,
    /(?:0 calls: .*\(1 step\)\n){3}/,
  ],
  'research.ts': [
    /asked: send_email\n[\s\S]*li@example\.com[\s\S]*\| Beta X \| 999 \| 9 \|/,
    /^web_search -> web_fetch -> web_fetch -> send_email$/m,
    /^1 mail: To: li@example\.com$/m,
  ],
  'approval.ts': [/asked: send_mail .*everybody/, /^sent: liu@example\.com: 会议改到三点$/m],
  'break-in.ts': [/example:quick: Page 1/, /cancelled after 3 calls/],
  'fork-and-replay.ts': [/the last one is run\.end/, /forked at event \d+: 四点！/],
  'sub-agent.ts': [/ask_bank: 100 美元是 710/],
};

test('no example is forgotten', async () => {
  const files = (await readdir(join(root, 'examples'))).filter((name) => name.endsWith('.ts'));
  assert.deepEqual(files.sort(), Object.keys(expected).sort());
});

for (const [file, patterns] of Object.entries(expected)) {
  test(`examples/${file}`, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=hermes-source', join(root, 'examples', file)], {
      timeout: 30_000,
    });
    for (const pattern of patterns) assert.match(stdout, pattern);
  });
}
