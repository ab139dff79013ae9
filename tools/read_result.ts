/** Reads on in a result that was too long to be shown whole. Its code is part of the result pipeline. */

export { readResult as default } from '../src/tools/shape/read-result.ts';
