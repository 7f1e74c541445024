import { serveConversion } from './serve.ts';

/** The converting process when there is no compiled program to start again. */
process.exit(await serveConversion());
