/** The browser tool on a real Chromium and a site of its own: what it reads, what it asks about, what it cannot reach, what it leaves. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from '../../src/agent/agent.ts';
import type { Fact, JsonObject } from '../../src/kernel/types.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { scanTools } from '../../src/tools/scan.ts';
import { acted, callOf, prepared, stateWith } from '../tools/performing.ts';
import { type Site, startSite } from './site.ts';

const { tools } = await scanTools([{ path: resolve(import.meta.dirname, '../../tools'), trusted: true }]);
const browser = tools.find(({ info }) => info.name === 'browser')!;
const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-browser-')));

function noBrowser(): string | false {
  if (process.platform !== 'linux' || ['chromium', 'chromium-browser', 'google-chrome'].some((name) => existsSync(`/usr/bin/${name}`)))
    return false;
  const why = 'no browser is installed: sudo apt-get install -y chromium';
  if (process.env.CI === 'true') throw new Error(why);
  return why;
}

interface Called {
  data?: JsonObject;
  code?: string;
  message?: string;
  next?: string;
  level?: string;
  preview?: string;
  ms?: number;
}

let settings: JsonObject = {};

async function call(
  args: JsonObject,
  { run = 'run-1', meanwhile }: { run?: string; meanwhile?(): Promise<unknown> } = {},
): Promise<Called> {
  const options = { tools: [browser], workspace, settings: { browser: settings } };
  const state = stateWith({ run_id: run, language: 'en' });
  const fact = await prepared(options, callOf('browser', args), state);
  if (fact.event_type === 'call.reject') return { code: fact.data.code, message: fact.data.message };
  const { level, preview, hash, arguments: ready } = fact.data as Extract<Fact, { event_type: 'call.prepare' }>['data'];
  await meanwhile?.();
  const approved = preview === undefined ? {} : { approved: true as const, preview };
  const { result, ms } = await acted(options, callOf('browser', ready, { level, ...(hash ? { hash } : {}), ...approved }), state);
  const shown = { level, ms, ...(preview === undefined ? {} : { preview }) };
  if (result.success) return { data: result.data as JsonObject, ...shown };
  const { code, message, next } = result.error;
  return { code, message, ...(next === undefined ? {} : { next }), ...shown };
}

/** Processes whose environment carries the mark of a run's browser. */
function alive(run: string): number {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`browser.${run}`);
    } catch {
      return false; // gone, or not ours
    }
  }).length;
}

describe('browser', { skip: noBrowser() }, () => {
  let site: Site;
  let other: Site;
  let home = '';
  before(async () => {
    other = await startSite();
    site = await startSite(other.port);
    home = `http://127.0.0.1:${site.port}`;
    settings = { allow_hosts: [`127.0.0.1:${site.port}`] };
  });
  after(async () => {
    await browser.close?.();
    site.close();
    other.close();
    rmSync(workspace, { recursive: true, force: true });
  });

  test('opens and reads: what a person sees, links, fields, buttons; links are followed without a question', async () => {
    const { data, level } = await call({ action: 'open', url: `${home}/` });
    assert.deepEqual(
      [level, data!.title, (data!.links as JsonObject[])[0]],
      ['read', '订单系统', { text: '关于我们', url: `${home}/about` }],
    );
    assert.match(data!.text as string, /今天有 3 个订单。/);
    assert.doesNotMatch(data!.text as string, /HIDDEN/);
    await sleep(100);
    assert.match((await call({ action: 'read' })).data!.text as string, /made by a script/);
    const orders = await call({ action: 'click', target: 'Orders' });
    assert.ok(orders.data, JSON.stringify(orders));
    assert.deepEqual([orders.level, orders.data!.title, site.asked.some(({ path }) => path === '/tracked')], ['read', 'Orders', false]);
    assert.deepEqual(orders.data!.fields, [
      { label: 'Name', type: 'text' },
      { label: '数量', type: 'text', value: '1' },
      { label: 'PIN', type: 'password' },
      { label: 'Size', type: 'list', value: 'small', options: ['small', 'large'] },
    ]);
    assert.deepEqual(orders.data!.buttons, ['Place order', 'Two', 'Two']);
    assert.equal((await call({ action: 'back' })).data!.title, '订单系统');
  });

  test('types and clicks are dangerous: the question shows the page, the element and the form, without what is secret', async () => {
    await call({ action: 'open', url: `${home}/orders` });
    const typed = await call({ action: 'type', target: 'Name', value: '李雷' });
    assert.equal(typed.level, 'dangerous');
    assert.match(typed.preview!, new RegExp(`^page: ${home}/orders "Orders"\ntype: text "Name"\n→ "李雷"\nform: POST /order `));
    assert.equal((await call({ action: 'type', target: 'Size', value: 'large' })).data!.title, 'Orders');
    const pressed = await call({ action: 'click', target: 'Place order', role: 'button' });
    assert.match(pressed.preview!, /click: submit "Place order"\nform: POST \/order name=李雷, count=1, pin=\(hidden\), size=large$/);
    assert.match(pressed.data!.text as string, /已下单/);
    const sent = new URLSearchParams(site.asked.findLast(({ path }) => path === '/order')!.body);
    assert.deepEqual([sent.get('name'), sent.get('size')], ['李雷', 'large']);
  });

  test('a wrong element is told with those that are there, before anybody is asked', async () => {
    await call({ action: 'open', url: `${home}/orders` });
    assert.match((await call({ action: 'click', target: 'Buy' })).message!, /nothing visible fits "Buy"/);
    assert.equal((await call({ action: 'click', target: 'Two' })).code, 'not_unique');
    assert.equal((await call({ action: 'click', selector: '((' })).code, 'bad_selector');
    assert.equal((await call({ action: 'type', target: 'Name' })).code, 'missing_argument');
    assert.equal((await call({ action: 'click', target: 'x' }, { run: 'run-none' })).code, 'no_page');
  });

  const opened = (path: string, run?: { run: string }) => call({ action: 'open', url: `${home}${path}` }, run);
  const notesOf = ({ data, code, message }: Called) => (data?.notes as string[] | undefined)?.join('\n') ?? `${code}: ${message}`;

  test('dialogs are answered and told: what asks gets Cancel, leaving is never asked about', async () => {
    await opened('/dialogs');
    const told = await call({ action: 'click', target: 'Tell' });
    assert.match(told.data!.text as string, /^told/);
    assert.match(notesOf(told), /the page says "已保存 saved"/);
    const asked = await call({ action: 'click', target: 'Delete' });
    assert.match(asked.data!.text as string, /^answer: false/);
    assert.match(notesOf(asked), /the page asked "真的删除\? Really\?" and was answered with Cancel/);
    await call({ action: 'click', target: 'Stay' });
    const left = await opened('/about');
    assert.deepEqual([left.data?.title, left.data?.notes], ['/about', undefined]);
  });

  test('a new window is told; back closes it, and what was typed before is still there', async () => {
    await opened('/windows');
    await call({ action: 'type', target: 'Note', value: '备注' });
    const window = await call({ action: 'click', target: 'Open' });
    assert.deepEqual([window.data?.title, /new window; back closes it/.test(notesOf(window))], ['/about', true]);
    const back = await call({ action: 'back' });
    assert.deepEqual(back.data?.fields, [{ label: 'Note', type: 'text', value: '备注' }]);
  });

  test('files are not downloaded, and that is told; so is what shows nothing', async () => {
    await opened('/files');
    const followed = await call({ action: 'click', target: 'Report' });
    assert.deepEqual([followed.code, /a file to be downloaded/.test(followed.message!)], ['is_download', true]);
    assert.match(notesOf(await call({ action: 'click', target: 'Save report' })), /report\.bin was not downloaded/);
    assert.match(notesOf(await opened('/paper')), /this is application\/pdf, no page/);
    assert.equal((await opened('/nothing')).code, 'no_content');
    const gone = await opened('/gone');
    assert.deepEqual([gone.data?.text, gone.data?.notes], ['no such page', ['the server answers with status 404']]);
  });

  test('a frame that can be seen is read and used as the page is, and the question names it', async () => {
    const { data } = await opened('/framed');
    assert.match(data!.text as string, new RegExp(`^Outer\n\n\\[frame ${home}/pay\\]\n付款 in a frame\n\nCard +Pay$`));
    assert.deepEqual([data!.fields, data!.buttons], [[{ label: 'Card', type: 'text' }], ['Pay']]);
    await call({ action: 'type', target: 'Card', value: '4111' });
    const paid = await call({ action: 'click', target: 'Pay' });
    assert.match(paid.preview!, new RegExp(`\nframe: ${home}/pay\nclick: submit "Pay"\nform: POST /order card=4111$`));
    assert.match(paid.data!.text as string, /已下单/);
  });

  test('boxes and lists are told as they stand; what a field does not take is told with what it takes', async () => {
    const { data } = await opened('/choices');
    assert.deepEqual((data!.fields as JsonObject[]).slice(0, 4), [
      { label: 'I agree 同意', type: 'checkbox', checked: false },
      { label: 'Red', type: 'radio', checked: false },
      { label: 'Blue', type: 'radio', checked: false },
      { label: 'Size', type: 'list', value: 'small', options: ['small', '大号'] },
    ]);
    const agreed = await call({ action: 'click', target: 'I agree 同意' });
    assert.match(agreed.preview!, /form: POST \/order size=s$/, 'what is not chosen is not sent');
    await call({ action: 'click', target: 'Blue' });
    assert.equal((await call({ action: 'type', target: 'Size', value: '大号' })).code, undefined);
    await call({ action: 'type', target: 'Remarks', value: '你好' });
    const before: [JsonObject, string, RegExp][] = [
      [{ action: 'type', target: 'Size', value: 'huge' }, 'no_option', /has no "huge"; it has: small \| 大号/],
      [{ action: 'type', target: 'Red', value: 'yes' }, 'not_typed', /click it/],
      [{ action: 'type', target: 'Photo', value: '/etc/passwd' }, 'not_typed', /gives none away/],
      [{ action: 'click', target: 'Later' }, 'disabled', /switched off/],
    ];
    for (const [args, code, message] of before) {
      const refused = await call(args);
      assert.deepEqual([refused.code, refused.level, message.test(refused.message!)], [code, undefined, true], refused.message);
    }
    for (const [target, value, next] of [
      ['Day', 'March 1', 'write it as 2026-03-01'],
      ['Count', 'many', 'write it as 12.5'],
    ] as const) {
      const refused = await call({ action: 'type', target, value });
      assert.deepEqual([refused.code, refused.next], ['not_typed', next], refused.message);
    }
    await call({ action: 'click', target: 'Send' });
    const sent = new URLSearchParams(site.asked.findLast(({ path }) => path === '/order')!.body);
    assert.deepEqual([sent.get('agree'), sent.get('c'), sent.get('size')], ['on', 'b', 'l']);
  });

  test('what lies over an element is named; shadow roots and what scripts bring are read', async () => {
    await opened('/covered');
    const covered = await call({ action: 'click', target: 'Below' });
    assert.deepEqual([covered.code, /something lies over button "Below": <div.*cookies\?/.test(covered.message!)], ['covered', true]);
    const { data } = await opened('/shadow');
    assert.deepEqual([data!.text, data!.buttons], ['in the shadow\nShadowed', ['Shadowed']]);
    assert.equal((await opened('/late')).data!.text, 'loaded 已加载');
  });

  test('a page that never loads is told as that, and one that loads in part is read so far', { timeout: 60_000 }, async () => {
    await opened('/about', { run: 'run-never' });
    const [never, slow] = await Promise.all([opened('/never', { run: 'run-never' }), opened('/slow', { run: 'run-slow' })]);
    assert.deepEqual([never.code, /did not answer within 20 s/.test(never.message!)], ['not_reached', true], never.message);
    assert.equal((await call({ action: 'read' }, { run: 'run-never' })).data?.title, '/about', 'the page before is still there');
    assert.deepEqual([slow.data?.text, /not whole after 10 s/.test(notesOf(slow))], ['there', true]);
    for (const run of ['run-never', 'run-slow']) await call({ action: 'close' }, { run });
  });

  test('what is not reached is told by its own reason, never by an errand of the browser', async () => {
    const closed = await startSite();
    closed.close();
    settings = { allow_hosts: [`127.0.0.1:${site.port}`, `127.0.0.1:${closed.port}`] };
    const dead = await call({ action: 'open', url: `http://127.0.0.1:${closed.port}/` }, { run: 'run-dead' });
    assert.deepEqual([dead.code, dead.message?.includes('the connection failed')], ['not_reached', true], dead.message);
    const there = await opened('/about', { run: 'run-dead' });
    assert.deepEqual(there.data?.refused, undefined);
    await call({ action: 'close' }, { run: 'run-dead' });
    settings = { allow_hosts: [`127.0.0.1:${site.port}`] };
  });

  test('a yes is for the page that was shown', async () => {
    await call({ action: 'open', url: `${home}/changing` });
    const meanwhile = () => call({ action: 'open', url: `${home}/orders` });
    const { code } = await call({ action: 'click', target: 'Go' }, { meanwhile });
    assert.equal(code, 'approval_outdated');
    assert.ok(!site.asked.some(({ path }) => path === '/changed'));
  });

  test('no private address, other port, file or data is reached: by address, redirect, script, frame, image or socket', async () => {
    const refused = {
      [`http://127.0.0.1:${other.port}/`]: 'address_refused',
      [`http://localhost:${other.port}/`]: 'address_refused',
      'http://169.254.169.254/latest/meta-data': 'address_refused',
      'http://10.0.0.1/': 'address_refused',
      'https://192.168.1.1/': 'address_refused',
      [`${home}/redirect`]: 'address_refused',
    };
    for (const [url, code] of Object.entries(refused)) assert.equal((await call({ action: 'open', url })).code, code, url);
    for (const url of ['file:///etc/passwd', 'data:text/html,x', 'javascript:1', 'chrome://version', 'view-source:http://example.com'])
      assert.equal((await call({ action: 'open', url })).code, 'scheme_refused', url);
    await call({ action: 'open', url: `${home}/spy` });
    await sleep(500);
    const spied = (await call({ action: 'read' })).data!;
    assert.ok(
      (spied.refused as string[]).some((line) => line.startsWith('10.0.0.1: 10.0.0.1 is refused: private address')),
      JSON.stringify(spied),
    );
    assert.match(spied.text as string, /socket refused/);
    assert.deepEqual(other.asked, []);
  });

  test('screenshots, and the page of a failure, are kept beside the log', async () => {
    await call({ action: 'open', url: `${home}/` });
    const { data } = await call({ action: 'screenshot' });
    assert.match(data!.file as string, /^\.hermes\/browser\/run-1\/\d+\.png$/);
    assert.ok(
      readFileSync(join(workspace, data!.file as string))
        .subarray(1, 4)
        .equals(Buffer.from('PNG')),
    );
    await call({ action: 'open', url: `${home}/orders` });
    const failed = await call({ action: 'open', url: 'http://10.0.0.1/' });
    const [, html, png] = /kept for people: (\S+\.html), (\S+\.png)/.exec(failed.message!) ?? [];
    assert.ok(existsSync(join(workspace, html!)) && existsSync(join(workspace, png!)), failed.message);
  });

  test('a page that never answers costs its own time only; close ends every process', async () => {
    await call({ action: 'open', url: `${home}/` }, { run: 'run-2' });
    assert.ok(alive('run-2') > 0);
    await call({ action: 'open', url: `${home}/hang` }, { run: 'run-2' });
    // Until its script has begun to turn for ever the page can still be read.
    let hung = await call({ action: 'read' }, { run: 'run-2' });
    for (let look = 0; look < 20 && hung.code === undefined; look++) {
      await sleep(200);
      hung = await call({ action: 'read' }, { run: 'run-2' });
    }
    assert.equal(hung.code, 'page_hangs');
    assert.deepEqual((await call({ action: 'close' }, { run: 'run-2' })).data, { closed: true });
    assert.equal(alive('run-2'), 0);
  });

  test("it ends with its agent's run; text of pages makes the run ask before it acts", async () => {
    const open = { calls: [{ name: 'browser', arguments: { action: 'open', url: `${home}/orders` } }] };
    const press = { calls: [{ name: 'browser', arguments: { action: 'click', target: 'Place order' } }] };
    let asked = 0;
    const results: unknown[] = [];
    const agent = new Agent({
      model: scriptedModel([open, press, '页面上有一个订单表单。']),
      tools: [browser],
      toolSettings: { browser: settings },
      workspace,
      permissions: { allow: ['browser'] },
      onApproval: async ({ calls }) => {
        asked += 1;
        return { decision: calls[0]!.preview?.includes('Place order') ? 'approve' : 'deny' };
      },
    });
    const outcome = await agent.run(`Open ${home}/orders and press the button`, {
      onEvent: (event) => {
        if (event.event_type === 'tool.end' || event.event_type === 'call.reject') results.push(event.data);
      },
    });
    assert.deepEqual(
      [outcome.status, asked, outcome.toolCalls.map(({ success }) => success)],
      ['success', 1, [true, true]],
      JSON.stringify(results),
    );
    assert.equal(alive(outcome.runId), 0);
  });

  test('nothing survives a program that is killed', async () => {
    const file = resolve(import.meta.dirname, 'killed.ts');
    const child = spawn(process.execPath, [file, workspace, `${home}/`], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    assert.ok(alive('run-killed') > 0);
    child.kill('SIGKILL');
    for (let wait = 0; wait < 100 && alive('run-killed') > 0; wait++) await sleep(50);
    assert.equal(alive('run-killed'), 0);
  });

  test('a browser that is not there is named with the command', async () => {
    settings = { ...settings, executable: '/nowhere/chromium' };
    const { code, next } = await call({ action: 'open', url: `${home}/` }, { run: 'run-3' });
    assert.deepEqual([code, /apt-get install -y chromium/.test(next!)], ['browser_missing', true]);
  });
});
