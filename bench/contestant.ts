import type { ToolCall } from './steps.ts';

/** A program that can be measured: how to find it, how to start it, what its tools are called. */
export interface Contestant {
  name: string;
  /** The newest thing that is installed, or undefined: then it is left out of the table. */
  find(places: Places): Installed | undefined;
}

/** Where contestants are looked for. */
export interface Places {
  repository: string;
  /** Holds a `node_modules` with the peers. Outside the repository. */
  peers: string;
}

export interface Installed {
  version: string;
  /** Writes what settings it needs into `home`, and says how to start it there. */
  prepare(stage: Stage): Launch;
  read(path: string): ToolCall;
  shell(command: string): ToolCall;
}

export interface Stage {
  /** Private and empty: the contestant's settings and state. */
  home: string;
  /** `http://127.0.0.1:<port>`, no path. */
  baseUrl: string;
}

export interface Launch {
  command: [program: string, ...beforePrompt: string[]];
  environment: Record<string, string>;
  /** How it is started for a person, and what its prompt is known by. */
  screen: { command: [program: string, ...arguments_: string[]]; prompt: RegExp };
}
