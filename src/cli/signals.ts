/** Ctrl-C and the end that others ask for: once stops what is going on in good order, twice ends the program at once. */

export interface Signals {
  /** What the program ends with after a signal. */
  readonly status: 130 | 143;
  end(): void;
}

/** SIGHUP (the terminal was closed) counts as SIGTERM. */
export function onSignals(stop: (signal: 'SIGINT' | 'SIGTERM') => void): Signals {
  let received = 0;
  let status: 130 | 143 = 130;
  const take = (signal: NodeJS.Signals) => {
    status = signal === 'SIGINT' ? 130 : 143;
    if (++received > 1) process.exit(status);
    stop(signal === 'SIGINT' ? 'SIGINT' : 'SIGTERM');
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, take);
  return {
    get status() {
      return status;
    },
    end: () => {
      for (const signal of signals) process.off(signal, take);
    },
  };
}
