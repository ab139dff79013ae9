/** Among all tools that are shipped, the everyday requests still find theirs, and small talk finds none. */

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import type { ToolInfo } from '../../src/kernel/types.ts';
import { selectTools } from '../../src/tools/select.ts';

const folder = new URL('../../tools/', import.meta.url);
const tools: ToolInfo[] = [];
for (const name of readdirSync(folder).filter((file) => file.endsWith('.ts'))) {
  const { default: tool } = (await import(new URL(name, folder).href)) as { default: { info: ToolInfo } };
  tools.push(tool.info);
}

test('the tool that is meant comes first, in English and in Chinese', () => {
  const wanted: Record<string, string> = {
    '(13+27)*4 = ?': 'calculator',
    '计算 (13+27) * 4 的结果，并用一句话说明运算顺序。': 'calculator',
    'What is 15% of 240?': 'calculator',
    'What time is it in Tokyo?': 'current_time',
    '东京现在几点？': 'current_time',
    '今天星期几？': 'current_time',
    'Note that the wifi password is banana42': 'notes_set',
    '记一下：周五交房租': 'notes_set',
    'What have you noted?': 'notes_get',
    '我让你记了什么？': 'notes_get',
    '我记了哪些笔记？': 'notes_get',
    'List the files in this folder': 'list_files',
    '这个文件夹里有哪些文件？': 'list_files',
    'Read notes.txt': 'read_file',
    '读一下 会议.txt': 'read_file',
    'Will it rain in Oslo tomorrow?': 'weather',
    '上海明天会下雨吗？': 'weather',
    搜索一下最新的新闻: 'web_search',
    查一下数据库有几张表: 'sql_query',
    'Send an email to a@example.com': 'send_email',
  };
  const missed = Object.entries(wanted).map(([request, tool]) => [request, tool, selectTools(request, tools)[0]!.tool.name] as const);
  assert.deepEqual(
    missed.filter(([, tool, found]) => tool !== found),
    [],
  );
});

test('small talk and plain knowledge point to no shipped tool', () => {
  for (const request of [
    'hello',
    '你好',
    '你是谁',
    '谢谢',
    'What is the capital of France?',
    '法国的首都是哪里？',

    'Tell me a joke',
  ]) {
    const best = selectTools(request, tools)[0]!;
    assert.ok(best.matches === 0, `${request}: ${best.tool.name}`);
  }
});
