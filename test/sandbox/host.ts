/** A program that runs a command in the sandbox; a test kills it. Arguments: workspace, command. */

import { run } from './world.ts';

const [folder, command] = process.argv.slice(2);
console.log(JSON.stringify(await run(folder!, command!)));
