import type { Sweep } from '../grammar/types.ts';
import { union } from './directories.ts';
import type { Disturbance } from './state-builtins.ts';
import { emptySurvey, type Survey } from './survey.ts';
import { type Variable, Variables } from './variables.ts';

/** Proved facts about the shell that runs a script, at one point of it. */
export class State {
  variables = new Variables();
  survey: Survey = emptySurvey;
  /** One of exactly these; empty when unknown. Only a guess, for refusing rules, once it went astray. */
  directories: readonly string[];
  takesNames: Sweep | undefined;
  /** False once a line may have been left in the middle, or something could have changed anything. */
  #isSure = true;
  #isAstray = false;
  /** The next `cd` leads to an unknown place: variables that it uses may have been set. */
  #movesAstray = false;

  constructor(directories: readonly string[], takesNames: Sweep | undefined) {
    this.directories = directories;
    this.takesNames = takesNames;
  }

  define(name: string, variable: Variable | undefined): void {
    if (this.#isSure && variable) this.variables.define(name, variable);
    else this.forget([name]);
  }

  forget(names: Iterable<string>): void {
    this.variables.forget(names, this.survey.texts);
  }

  get isAstray(): boolean {
    return this.#isAstray;
  }

  /** After a `cd` that succeeds. */
  move(targets: readonly string[]): void {
    this.#isAstray ||= this.#movesAstray;
    this.directories = this.#isAstray ? union(this.directories, targets) : targets;
  }

  /** An expansion may fail here, and the rest of the line be skipped. */
  doubt(): void {
    this.#isSure = false;
  }

  disturb({ reach }: Disturbance): void {
    this.#isSure = false;
    this.variables = new Variables();
    if (reach === 'everything') this.#isAstray = true;
    else this.#movesAstray = true;
  }

  /** Runs in a separate process: nothing of it is left. */
  inSubshell(run: () => void): void {
    const { variables, survey, directories, takesNames } = this;
    const [isSure, isAstray, movesAstray] = [this.#isSure, this.#isAstray, this.#movesAstray];
    this.variables = new Variables(variables);
    run();
    Object.assign(this, { variables, survey, directories, takesNames });
    [this.#isSure, this.#isAstray, this.#movesAstray] = [isSure, isAstray, movesAstray];
  }

  /** May run or not: what it sets is unknown afterwards, and it may have moved. */
  perhaps(names: Iterable<string>, run: () => void): void {
    const { variables, directories } = this;
    this.variables = new Variables(variables);
    run();
    this.variables = variables;
    this.directories = union(directories, this.directories);
    this.forget(names);
  }

  /** May run any number of times: what it sets is unknown at its beginning too. */
  repeatedly(changes: { names: ReadonlySet<string>; moves: boolean }, run: () => void): void {
    this.forget(changes.names);
    if (changes.moves) this.#isAstray = true;
    this.perhaps(changes.names, run);
  }
}
