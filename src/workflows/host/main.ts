import { serveScript } from './serve.ts';

/** The process of a script when there is no compiled program to start again. */
process.exit(await serveScript());
