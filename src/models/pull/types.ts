/** What a pull needs and tells. */

import type { Timeouts } from '../http.ts';

/** Bytes so far in this part of the work; without `total` nobody knows how many it will be. */
export interface PullProgress {
  part: 'download' | 'unpack';
  bytes: number;
  total?: number;
}
export interface PullOptions {
  /** The models directory; made when it is not there. */
  directory: string;
  /** Where endpoints, keys and proxies are read; default process.env. */
  env?: NodeJS.ProcessEnv;
  onProgress?: (progress: PullProgress) => void;
  signal?: AbortSignal | undefined;
  timeouts?: Partial<Timeouts> | undefined;
  /** Milliseconds before a cut download is taken up again, doubled each time; default 1,000. */
  backOff?: number | undefined;
}
