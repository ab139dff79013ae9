/** Searches the web by the service that the user has set up: SearXNG, Brave, Tavily or Bocha. */

import { HermesError } from '../src/kernel/errors.ts';
import type { JsonObject } from '../src/kernel/types.ts';
import { tool } from '../src/tools/define.ts';
import { badSetting } from '../src/tools/needs.ts';
import { SERVICES, type SearchService, type ServiceName, search } from '../src/web/search.ts';

const COUNT = 5;
const MOST = 10;

export default tool({
  name: 'web_search',
  description:
    'Searches the web and gives titles, addresses and snippets of the best pages. Use it for what is new, may have changed or is not known, ' +
    'in the words a person would search with; not for the weather or a known address (web_fetch), and snippets are no proof: read the page.',
  level: 'read',
  untrusted: true,
  outward: true,
  idempotent: true,
  timeoutMs: 30_000,
  resultCharacters: 6_000,
  needs: [['url', 'BRAVE_API_KEY', 'TAVILY_API_KEY', 'BOCHA_API_KEY']],
  settingNames: ['provider', 'allow_hosts', 'trusted_hosts'],
  input: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'a few words, such as: train strike Berlin October', minLength: 1, maxLength: 400 },
      count: { type: 'integer', description: 'how many results', minimum: 1, maximum: MOST, default: COUNT },
    },
    required: ['query'],
    additionalProperties: false,
  },
  output: {
    type: 'object',
    properties: {
      results: {
        type: 'array',
        items: {
          type: 'object',
          properties: { title: { type: 'string' }, url: { type: 'string' }, snippet: { type: 'string' }, date: { type: 'string' } },
        },
      },
      note: { type: 'string' },
    },
  },
  aliases: { q: 'query', question: 'query', search: 'query', keywords: 'query', max_results: 'count', limit: 'count', 关键词: 'query' },
  keywords: 'search web online find look up news internet google latest recent 搜索 搜 搜一下 上网 网上 新闻 最新 最近 百度 资料',
  examples: [
    {
      request: 'Search the web for the opening of the new harbour bridge',
      arguments: { query: 'the opening of the new harbour bridge' },
      result: { results: [{ title: 'Bridge opens in May', url: 'https://example.com/bridge', snippet: 'The bridge opens on 3 May.' }] },
      answer: 'It opens on 3 May (https://example.com/bridge).',
    },
    {
      request: '上网搜一下故宫最新的开放时间',
      arguments: { query: '故宫最新的开放时间' },
      result: { results: [{ title: '开放时间', url: 'https://example.com/hours', snippet: '周一闭馆，其余 8:30 开馆。' }] },
      answer: '故宫周一闭馆，其余日子 8:30 开馆（https://example.com/hours）。',
    },
  ],
  async execute({ query, count }, { fetch, context }) {
    const service = serviceOf(context.settings, context.env);
    const results = await search(service, query, count, fetch);
    return {
      results: results.map((one) => ({ ...one })),
      ...(results.length === 0 ? { note: 'nothing was found; try fewer or other words' } : {}),
    };
  },
});

/** [tools.web_search] provider decides; else a url means SearXNG; else the first whose key is there. */
function serviceOf(settings: JsonObject, env: Readonly<Record<string, string>>): SearchService {
  const { provider, url } = settings;
  const names = Object.keys(SERVICES) as ServiceName[];
  const name = provider ?? (url === undefined ? names.find((one) => env[SERVICES[one].variable ?? '']) : 'searxng');
  if (!names.includes(name as ServiceName)) throw badSetting('web_search', 'provider', `one of ${names.join(', ')}`, provider);
  const { url: usual, variable } = SERVICES[name as ServiceName];
  const address = url ?? usual;
  if (typeof address !== 'string' || !URL.canParse(address)) throw badSetting('web_search', 'url', 'the address of the service', address);
  const key = variable === undefined ? undefined : env[variable];
  if (variable !== undefined && !key) {
    throw new HermesError('no_key', `${variable} is not set, which web_search needs for ${name}`, {
      kind: 'tool',
      next: 'tell the user to set it',
    });
  }
  return { name: name as ServiceName, url: address.replace(/\/(?:search)?$/, ''), key };
}
