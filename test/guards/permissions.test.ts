import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPermit, exactRule, idleRules, matchesPattern, type PermissionRules } from '../../src/guards/permissions.ts';
import type { Call, JsonObject, Level, State } from '../../src/kernel/types.ts';

function permit(rules: PermissionRules, name: string, args: JsonObject = {}, level?: Level) {
  const call: Call = { id: 'c', name, status: 'prepared', arguments: args, ...(level ? { level } : {}) };
  return createPermit(rules)({} as State, call);
}

test('without a rule the level decides; an unknown level is dangerous', () => {
  assert.deepEqual(permit({}, 'look', {}, 'read'), { decision: 'allow', reason: 'reading tools are allowed' });
  assert.deepEqual(permit({}, 'save', {}, 'write'), { decision: 'ask', reason: 'writing tools ask' });
  assert.equal(permit({}, 'send', {}, 'dangerous').decision, 'ask');
  assert.equal(permit({}, 'what').decision, 'ask');
});

test('deny wins over ask, ask over allow; the most specific rule is named', () => {
  const rules = { allow: ['save'], ask: ['save:*.md'], deny: ['s*', 'save:*secret*'] };
  assert.deepEqual(permit(rules, 'save', { path: 'my-secret.md' }), { decision: 'deny', reason: 'the rule deny "save:*secret*"' });
  assert.deepEqual(permit({ ...rules, deny: [] }, 'save', { path: 'a.md' }), { decision: 'ask', reason: 'the rule ask "save:*.md"' });
  assert.deepEqual(permit({ ...rules, deny: [] }, 'save', { path: 'a.txt' }), { decision: 'allow', reason: 'the rule allow "save"' });
  assert.equal(permit({ deny: ['look'] }, 'look', {}, 'read').decision, 'deny');
});

test('a refusal looks at every argument, a permission only at what the call is about', () => {
  const subject = () => 'path';
  const write = { path: 'x.sh', content: 'notes/a' };
  assert.equal(permit({ deny: ['write:*/etc/*'] }, 'write', { a: { b: ['cat /etc/passwd'] } }).decision, 'deny');
  assert.equal(permit({ deny: ['write:*"n":5*'] }, 'write', { n: 5 }).decision, 'deny');
  assert.equal(permit({ allow: ['write:notes/*'] }, 'write', write, 'write').decision, 'ask');
  assert.equal(permit({ allow: ['write:notes/*'], subject }, 'write', write, 'write').decision, 'ask');
  assert.equal(permit({ allow: ['write:notes/*'], subject }, 'write', { path: 'notes/计划.md', content: 'x' }, 'write').decision, 'allow');
  assert.equal(permit({ allow: ['write:path=notes/*'] }, 'write', { path: 'notes/a', content: 'x' }, 'write').decision, 'allow');
  assert.equal(permit({ allow: ['write:path=notes/*'] }, 'write', write, 'write').decision, 'ask');
  assert.equal(permit({ allow: ['shell:git status'] }, 'shell', { command: 'git status' }, 'dangerous').decision, 'allow');
  assert.equal(permit({ allow: ['shell:git status'] }, 'shell', { command: 'git status; rm x' }, 'dangerous').decision, 'ask');
  assert.equal(permit({ allow: ['write:path=notes/*'] }, 'write', { path: 'notes/../.env', content: '' }, 'write').decision, 'ask');
});

test('the white list leaves only what it names', () => {
  assert.equal(permit({ white_list: ['notes_*', 'calculator'] }, 'notes_get', {}, 'read').decision, 'allow');
  const refused = permit({ white_list: ['notes_*'], allow: ['*'] }, 'calculator', {}, 'read');
  assert.deepEqual(refused, { decision: 'deny', reason: 'calculator is not in the white list of tools' });
});

test('a rule that is none is an error that shows one', () => {
  for (const rule of ['', ':x', 'tool:', '  ', 'foo bar(', 'foo bar(:x', 'Bash(git:*)', 'notes.*', '写文件']) {
    assert.throws(
      () => createPermit({ deny: [rule] }),
      { code: 'bad_permission', message: /permissions\.deny: expected TOOL, TOOL:PATTERN/ },
      rule,
    );
  }
});

test('patterns: * is any characters, everything else itself; linear in the text', () => {
  const yes = [
    ['*', ''],
    ['a*', 'a'],
    ['*a*b*', 'xxaxxbxx'],
    ['a.b', 'a.b'],
    ['文件*', '文件夹'],
    ['a*a', 'aa'],
    ['a**c', 'abc'],
  ] as const;
  const no = [
    ['a*', 'ba'],
    ['a.b', 'axb'],
    ['a*a', 'a'],
    ['ab*ba', 'aba'],
    ['', 'a'],
    ['*a*b', 'ba'],
  ] as const;
  for (const [pattern, text] of yes) assert.ok(matchesPattern(pattern, text), `${pattern} ~ ${text}`);
  for (const [pattern, text] of no) assert.ok(!matchesPattern(pattern, text), `${pattern} !~ ${text}`);
  const began = performance.now();
  assert.ok(!matchesPattern(`${'*a'.repeat(20)}*b`, 'a'.repeat(1_000_000)));
  assert.ok(performance.now() - began < 1000);
});

test('a refusal is not evaded by another spelling of the same path', () => {
  const rules = { deny: ['read_file:private/*', 'read_file:/etc/*'] };
  for (const path of ['private/key', './private/key', 'a/../private/key', 'private//key', '/etc/passwd', '/usr/../etc/passwd']) {
    assert.equal(permit(rules, 'read_file', { path }, 'read').decision, 'deny', path);
  }
  for (const path of ['public/key', 'a/private/key', '../private/key']) {
    assert.equal(permit(rules, 'read_file', { path }, 'read').decision, 'allow', path);
  }
});

test('the rule of "always" allows just this again; none where no rule can say so', () => {
  const again = (name: string, args: JsonObject, subject?: string) => {
    const rule = exactRule({ name, arguments: args }, subject);
    if (rule !== undefined) assert.equal(permit({ allow: [rule] }, name, args, 'dangerous').decision, 'allow', rule);
    return rule;
  };
  assert.equal(again('shell', { command: 'git status\n--short' }), 'shell:command=git status\n--short');
  assert.equal(again('write_file', { path: '笔记/a=b.md', content: 'x' }, 'path'), 'write_file:path=笔记/a=b.md');
  assert.equal(again('backup', {}), 'backup');
  for (const command of ['rm *', '../x', '\ud800']) assert.equal(again('shell', { command }), undefined, command);
  assert.equal(again('mail', { to: 'a', body: 'b' }), undefined, 'what the call is about is not known');
  const rule = exactRule({ name: 'shell', arguments: { command: 'git push' } })!;
  for (const command of ['git push --force', 'git pus', 'x git push'])
    assert.equal(permit({ allow: [rule] }, 'shell', { command }).decision, 'ask', command);
});

test('rules that can decide nothing are found, with the reason', () => {
  const schema = (...names: string[]) => ({ type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) });
  const tools = [
    { name: 'write_file', input_schema: schema('path', 'content') },
    { name: 'now', input_schema: schema() },
  ];
  const rules = {
    white_list: ['*', 'write_fiel'],
    deny: ['write_file:path=private/*', 'wirte_file', 'now'],
    ask: ['write_file:*.sh', 'write_file:to=x'],
    allow: ['write_file:notes/*', 'write_file:../*', 'now:x', 'now'],
  };
  assert.deepEqual(
    idleRules(rules, tools).map(({ list, rule, why, by }) => [list, rule, why, ...(by ? [by] : [])]),
    [
      ['white_list', 'write_fiel', 'no_tool'],
      ['deny', 'wirte_file', 'no_tool'],
      ['ask', 'write_file:to=x', 'no_argument'],
      ['allow', 'write_file:../*', 'climbs'],
      ['allow', 'now:x', 'overruled', 'deny "now"'],
      ['allow', 'now', 'overruled', 'deny "now"'],
    ],
  );
  assert.throws(() => createPermit({ white_list: ['write_file:path=x'] }), { code: 'bad_permission', message: /holds names/ });
  assert.throws(() => createPermit({ white_list: ['foo bar('] }), { code: 'bad_permission', message: /"foo bar\("/ });
});

test('a rule of "always" for a tool from a file allows it as long as its code is the same; it refuses whatever the code is', () => {
  const deploy = { id: '1', name: 'deploy', status: 'prepared', level: 'dangerous', arguments: { to: 'li@example.com' } } as const;
  const decided = (rules: PermissionRules, code?: string) => createPermit({ ...rules, code: () => code })({} as State, deploy).decision;
  const rule = exactRule(deploy, 'to', 'c0de')!;
  assert.equal(rule, 'deploy@c0de:to=li@example.com');
  assert.deepEqual(
    [decided({ allow: [rule] }, 'c0de'), decided({ allow: [rule] }, 'other'), decided({ allow: [rule] })],
    ['allow', 'ask', 'ask'],
  );
  assert.equal(exactRule({ name: 'deploy', arguments: {} }, undefined, 'c0de'), 'deploy@c0de');
  assert.equal(decided({ allow: ['deploy'], deny: [rule] }, 'other'), 'deny');
  const tools = [{ name: 'deploy', input_schema: { properties: { to: {} } } }];
  const idle = (code: string) => idleRules({ allow: [rule], code: () => code }, tools).map(({ why }) => why);
  assert.deepEqual([idle('c0de'), idle('other')], [[], ['other_code']]);
});
