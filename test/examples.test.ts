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
  'orders.ts': [/order_status: 订单 A0001/, /trains: .*G101/, /price \+ tax_rate: .*226/],
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
