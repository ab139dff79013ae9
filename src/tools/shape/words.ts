/** The words that stand around shown parts of results, in both languages. */

export type Language = 'zh' | 'en';

export const TEXT = {
  en: {
    part: (handle: string, size: string) =>
      `[${handle}: a part of ${size} characters; read_result with "result": "${handle}" reads the rest, by lines or by a search]`,
    cut: (size: string) => `[a part of ${size} characters; the rest is not shown]`,
    summary: '[summary by a model]',
    leftOut: (size: string) => `[... ${size} characters left out ...]`,
    log: (lines: string, errors: string, warnings: string) => `log: ${lines} lines, ${errors} with errors, ${warnings} with warnings`,
    end: '[... its end:]',
    table: (rows: string, columns: number) => `table: ${rows} rows, ${columns} columns`,
    more: '[...]',
    items: (all: string, shown: number, keys: string) => `[${all} items, ${shown} shown${keys && `; keys: ${keys}`}]`,
    keys: (more: number) => `${more} more keys`,
    title: 'title',
    links: (all: string) => `links (${all}):`,
  },
  zh: {
    part: (handle: string, size: string) =>
      `[${handle}：全文 ${size} 字符，此处只是一部分；用 read_result（"result": "${handle}"）可按行或搜索读取其余内容]`,
    cut: (size: string) => `[全文 ${size} 字符，此处只是一部分]`,
    summary: '[模型摘要]',
    leftOut: (size: string) => `[……省略 ${size} 字符……]`,
    log: (lines: string, errors: string, warnings: string) => `日志：共 ${lines} 行，错误 ${errors} 行，警告 ${warnings} 行`,
    end: '[……末尾：]',
    table: (rows: string, columns: number) => `表格：${rows} 行，${columns} 列`,
    more: '[……]',
    items: (all: string, shown: number, keys: string) => `[共 ${all} 项，显示 ${shown} 项${keys && `；字段：${keys}`}]`,
    keys: (more: number) => `另有 ${more} 个字段`,
    title: '标题',
    links: (all: string) => `链接（${all}）：`,
  },
} as const;
