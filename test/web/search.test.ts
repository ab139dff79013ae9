/** web_search against servers that speak as SearXNG, Brave, Tavily and Bocha document it, and against those that do not. */

import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../src/kernel/types.ts';
import webSearch from '../../tools/web_search.ts';
import { bodyOf, call, judged, sendJson, serve } from './rig.ts';

interface Asked {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

async function service(t: TestContext, answer: unknown, status = 200): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const host = await serve(t, async (request, response) => {
    asked.push({ method: request.method!, url: request.url!, headers: request.headers, body: await bodyOf(request) });
    if (typeof answer === 'string') response.writeHead(status, { 'content-type': 'text/html' }).end(answer);
    else sendJson(response, answer, status);
  });
  return { url: `http://${host}`, asked };
}

const page = 'https://example.com/hours';
const query = '故宫 opening hours';

test('SearXNG', async (t) => {
  const results = [
    {
      url: page,
      title: '开放时间 &amp; hours',
      content: 'Closed on <b>Mondays</b>.',
      publishedDate: '2026-03-01T00:00:00',
      engine: 'x',
      score: 1,
    },
    { url: 'javascript:alert(1)', title: 'bad' },
    { url: 'https://example.com/2', title: '', content: null, publishedDate: null },
  ];
  const { url, asked } = await service(t, { query, number_of_results: 2, results, answers: [], unresponsive_engines: [] });
  const { data, untrusted, from } = await call(webSearch, { q: query }, { own: { url: `${url}/` } });
  assert.deepEqual(data, {
    results: [
      { title: '开放时间 & hours', url: page, snippet: 'Closed on Mondays.', date: '2026-03-01T00:00:00' },
      { title: 'https://example.com/2', url: 'https://example.com/2', snippet: '' },
    ],
  });
  assert.deepEqual(
    [asked[0]!.method, new URL(asked[0]!.url, url).pathname, new URL(asked[0]!.url, url).searchParams.get('q')],
    ['GET', '/search', query],
  );
  assert.equal(new URL(asked[0]!.url, url).searchParams.get('format'), 'json');
  assert.deepEqual([untrusted, from, webSearch.info.outward], [true, `${url}/search`, true]);
});

test('Brave', async (t) => {
  const results = [
    {
      title: '<strong>Hours</strong>',
      url: page,
      description: 'Closed &#39;Monday&#39;',
      age: '2 days ago',
      page_age: '2026-03-01T10:00:00',
      type: 'search_result',
    },
  ];
  const { url, asked } = await service(t, { type: 'search', query: { original: query }, web: { type: 'search', results } });
  const { data } = await call(webSearch, { query, count: 3 }, { own: { provider: 'brave', url }, env: { BRAVE_API_KEY: 'b-key' } });
  assert.deepEqual(data!.results, [{ title: 'Hours', url: page, snippet: "Closed 'Monday'", date: '2026-03-01T10:00:00' }]);
  const target = new URL(asked[0]!.url, url);
  assert.deepEqual([target.pathname, target.searchParams.get('q'), target.searchParams.get('count')], ['/res/v1/web/search', query, '3']);
  assert.equal(asked[0]!.headers['x-subscription-token'], 'b-key');
});

test('Tavily', async (t) => {
  const results = [
    { title: 'Hours', url: page, content: '周一闭馆', score: 0.9, published_date: 'Mon, 02 Mar 2026 08:00:00 GMT', raw_content: null },
  ];
  const { url, asked } = await service(t, { query, answer: null, images: [], results, response_time: 1.2 });
  const { data } = await call(webSearch, { query }, { own: { provider: 'tavily', url }, env: { TAVILY_API_KEY: 't-key' } });
  assert.deepEqual(data!.results, [{ title: 'Hours', url: page, snippet: '周一闭馆', date: 'Mon, 02 Mar 2026 08:00:00 GMT' }]);
  assert.deepEqual([asked[0]!.method, asked[0]!.url, asked[0]!.headers.authorization], ['POST', '/search', 'Bearer t-key']);
  assert.deepEqual(JSON.parse(asked[0]!.body), { query, max_results: 5 });
});

test('Bocha', async (t) => {
  const value = [
    {
      id: 'x',
      name: '开放时间',
      url: page,
      snippet: '短',
      summary: '周一闭馆，其余开放。',
      siteName: '例',
      datePublished: '2026-03-01T08:00:00+08:00',
    },
  ];
  const answer = { code: 200, log_id: 'l', msg: null, data: { _type: 'SearchResponse', webPages: { totalEstimatedMatches: 1, value } } };
  const { url, asked } = await service(t, answer);
  const { data } = await call(webSearch, { query }, { own: { provider: 'bocha', url }, env: { BOCHA_API_KEY: 'c-key' } });
  assert.deepEqual(data!.results, [{ title: '开放时间', url: page, snippet: '周一闭馆，其余开放。', date: '2026-03-01T08:00:00+08:00' }]);
  assert.deepEqual([asked[0]!.url, asked[0]!.headers.authorization], ['/v1/web-search', 'Bearer c-key']);
  assert.deepEqual(JSON.parse(asked[0]!.body), { query, count: 5, summary: true });
});

test('which service: the named one, a url alone is SearXNG, else the first key; none is told in one line', async () => {
  assert.match(
    String((await judged(webSearch, { query })).message),
    /^web_search is not set up: set \[tools\.web_search\] url or BRAVE_API_KEY or TAVILY_API_KEY or BOCHA_API_KEY$/,
  );
  const own = { provider: 'tavily', url: 'http://127.0.0.1:1/' };
  const keyless = await call(webSearch, { query }, { own, env: { BOCHA_API_KEY: 'x' } });
  assert.deepEqual([keyless.code, /TAVILY_API_KEY is not set/.test(keyless.message!)], ['no_key', true]);
  assert.match(
    (await call(webSearch, { query }, { own: { provider: 'bing', url: 'http://x' } })).message!,
    /provider: expected one of searxng, brave, tavily, bocha, got "bing"/,
  );
  assert.match(
    (await call(webSearch, { query }, { own: { url: 'here' } })).message!,
    /url: expected the address of the service, got "here"/,
  );
});

test('answers that are none: a wrong key, nothing found, no JSON, another form, too many requests', async (t) => {
  const tried = async (answer: unknown, status: number, own: JsonObject = {}) => {
    const { url } = await service(t, answer, status);
    return call(webSearch, { query }, { own: { url, ...own }, env: { TAVILY_API_KEY: 't' } });
  };
  const wrongKey = await tried({ detail: { error: 'Unauthorized: invalid API key' } }, 401, { provider: 'tavily' });
  assert.deepEqual(
    [wrongKey.code, /invalid API key/.test(wrongKey.message!), /TAVILY_API_KEY/.test(wrongKey.next!)],
    ['search_refused', true, true],
  );
  assert.deepEqual((await tried({ results: [] }, 200)).data, { results: [], note: 'nothing was found; try fewer or other words' });
  const html = await tried('<html>search</html>', 200);
  assert.deepEqual([html.code, /formats: \[html, json\]/.test(html.next!)], ['bad_answer', true]);
  assert.match((await tried('<html>403 Forbidden</html>', 403)).next!, /formats: \[html, json\]/);
  assert.deepEqual((await tried({ results: [1, null, 'x'] }, 200)).data!.results, []);
  for (const other of [{ results: 'none' }, {}, [], 7, null])
    assert.equal((await tried(other, 200)).code, 'bad_answer', JSON.stringify(other));
  const blocked = await tried(
    {
      results: [],
      unresponsive_engines: [
        ['google', 'Suspended: CAPTCHA'],
        ['bing', 'timeout'],
      ],
    },
    200,
  );
  assert.deepEqual([blocked.code, /google: Suspended: CAPTCHA; bing: timeout/.test(blocked.message!)], ['search_unavailable', true]);
  assert.match(blocked.next!, /do not say that there is nothing/);
  const keys = { BRAVE_API_KEY: 'b', BOCHA_API_KEY: 'c' };
  const other = async (provider: string, answer: JsonObject) => {
    const { url } = await service(t, answer);
    return call(webSearch, { query }, { own: { provider, url }, env: keys });
  };
  assert.deepEqual((await other('brave', { type: 'search', query: { original: query } })).data!.results, []);
  assert.equal((await other('brave', { type: 'ErrorResponse' })).code, 'bad_answer');
  assert.deepEqual((await other('bocha', { code: 200, data: { webPages: null } })).data!.results, []);
  const unpaid = await other('bocha', { code: '403', message: 'You do not have enough money' });
  assert.deepEqual(
    [unpaid.code, unpaid.message, /BOCHA_API_KEY/.test(unpaid.next!)],
    ['search_refused', 'You do not have enough money', true],
  );
  assert.equal((await tried({ error: 'slow down' }, 429)).code, 'too_many_requests');
});
