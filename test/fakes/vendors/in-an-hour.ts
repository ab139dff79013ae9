/** Asks to come back in an hour: where no words for a used-up quota are documented. */
export const inAnHour = { status: 429, message: 'Rate limit exceeded.', headers: { 'retry-after': '3600' }, expect: 'rate_limited' };
