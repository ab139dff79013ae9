/** The embedded default model for tests, pulled when it is not there yet. */

import type { TestContext } from 'node:test';
import { EMBEDDED_DEFAULT, modelsDirectory } from '../../src/models/catalogue.ts';
import { createLocalModel } from '../../src/models/local.ts';
import { pullModel } from '../../src/models/pull.ts';
import type { ChatModel } from '../../src/models/types.ts';

/** The caller closes it. Where it cannot be had the test is skipped with the reason; in CI that is a failure. */
export async function embeddedModel(context: TestContext): Promise<ChatModel | undefined> {
  try {
    const file = await pullModel(EMBEDDED_DEFAULT, { directory: modelsDirectory() });
    return createLocalModel({ name: EMBEDDED_DEFAULT.name, file, contextTokens: 2048 });
  } catch (error) {
    if (process.env.CI === 'true') throw error;
    context.skip(`the embedded model cannot be had here: ${(error as Error).message}`);
    return undefined;
  }
}
