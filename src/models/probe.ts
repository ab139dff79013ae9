/** Asks a server on this machine which models it serves. */

/**
 * The ids of GET BASE/models, embedding models left out; undefined when nothing there answers like a model server
 * within `timeoutMs`. Never throws. No proxy is used: this is for loopback addresses.
 */
export function servedModels(baseURL: string, timeoutMs: number): Promise<string[] | undefined> {
  const { get } = process.getBuiltinModule('node:http');
  return new Promise((resolve) => {
    const request = get(`${baseURL}/models`, { agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
        if (text.length > 2 ** 20) request.destroy();
      });
      response.on('end', () => end(response.statusCode === 200 ? modelIds(text) : undefined));
      response.on('error', () => end(undefined));
    });
    const timer = setTimeout(() => end(undefined), timeoutMs);
    request.on('error', () => end(undefined));
    function end(models: string[] | undefined): void {
      clearTimeout(timer);
      request.destroy();
      resolve(models);
    }
  });
}

/** The ids in the body of GET /models, embedding models left out; undefined when it is none. */
export function modelIds(text: string): string[] | undefined {
  try {
    const { data } = JSON.parse(text) as { data?: { id?: unknown }[] };
    return data?.flatMap(({ id }) => (typeof id === 'string' && !/embed/i.test(id) ? [id] : []));
  } catch {
    return undefined; // some other program has this port
  }
}
