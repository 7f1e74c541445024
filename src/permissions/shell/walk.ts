import {
  type Command,
  forEachChild,
  type ParsedScript,
  type Redirection,
  type SyntaxNode,
  type Word,
} from 'unbash';
import { assignedNames, faultOfArithmetic, surelyAssigned } from './arithmetic.ts';
import { type Dialect, faultOfPosix } from './dialect.ts';
import { findTargets, union } from './directories.ts';
import { faultOfNode, mayFailAt } from './expansions.ts';
import { namesListed } from './names.ts';
import {
  type AssignmentNode,
  givesInput,
  isWhole,
  type Reading,
  readCommand,
  wordContext,
} from './read-command.ts';
import { readLine } from './read-variables.ts';
import { readWord } from './read-word.ts';
import { faultOfInput } from './shared-input.ts';
import { State } from './state.ts';
import { changesOf, isNumberText, isNumberWord, surveyScript } from './survey.ts';
import { literalValue, type ShellWord, type SimpleCommand, type Sweep, type Value } from './types.ts';
import { type Nesting, unwrap } from './unwrap.ts';
import { isHarmlessName } from './variables.ts';

export interface Surroundings {
  readonly home: string;
  readonly directories: readonly string[];
  readonly takesNames: Sweep | undefined;
  readonly dialect: Dialect;
  readonly depth: number;
  /** Parses a script that a command holds as text. */
  nested(text: string, from: SimpleCommand, walker: Walker, how: Nesting): SimpleCommand[];
}

const mostNested = 16;

/**
 * Goes once through a script, in the order in which it runs, and keeps every command that could run, with what is
 * proved of variables and directories where it stands. What cannot be proved becomes a problem of the whole script.
 */
export class Walker {
  readonly commands: SimpleCommand[] = [];
  readonly problems = new Set<string>();
  isUnread = false;
  runsUnseen = false;
  readonly #state: State;
  #source: string;
  #depth = 0;

  constructor(
    source: string,
    readonly around: Surroundings,
  ) {
    this.#source = source;
    this.#state = new State(around.directories, around.takesNames);
  }

  visit(node: SyntaxNode): void {
    this.#check(node);
    switch (node.type) {
      case 'Script':
        this.#visitScript(node);
        return;
      case 'Statement':
        this.#visitStatement(node);
        return;
      case 'AndOr':
        this.#visitChain(node);
        return;
      case 'Pipeline':
        this.#visitPipeline(node);
        return;
      case 'Command':
        this.#visitCommand(node);
        return;
      case 'Redirected':
        this.#visitRedirected(node);
        return;
      case 'Subshell':
        this.#state.inSubshell(() => this.#visitChildren(node));
        return;
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion':
        this.#visitSubstitution(node);
        return;
      case 'If': {
        this.visit(node.clause);
        const branches = [node.then, ...node.elif, ...(node.else ? [node.else] : [])];
        this.#visitBranches(branches);
        return;
      }
      case 'Case':
        this.visit(node.word);
        this.#visitBranches(node.items);
        return;
      case 'For':
        this.#visitFor(node);
        return;
      case 'While':
        this.#visitWhile(node);
        return;
      case 'ArithmeticFor':
        this.#visitArithmeticFor(node);
        return;
      case 'Select':
      case 'Function':
      case 'Coproc':
        this.#state.repeatedly(changesOf(node), () => this.#visitChildren(node));
        return;
      case 'ArithmeticCommand':
      case 'ArithmeticExpansion':
        this.#visitChildren(node);
        this.#assignNumbers(node.expression);
        return;
      default:
        this.#visitChildren(node);
        return;
    }
  }

  addUnread(problem: string): void {
    this.isUnread = true;
    this.problems.add(problem);
  }

  #check(node: SyntaxNode): void {
    const fault = faultOfNode(node, this.#state.variables);
    if (fault) {
      this.problems.add(fault);
      this.runsUnseen = true;
    }
    if (mayFailAt(node)) this.#state.doubt();
    const foreign = this.around.dialect === 'sh' ? faultOfPosix(node) : undefined;
    if (foreign) {
      this.problems.add(foreign);
      this.runsUnseen = true;
    }
  }

  #visitChildren(node: SyntaxNode): void {
    forEachChild(node, (child) => this.visit(child));
  }

  #visitScript(script: ParsedScript): void {
    const error = script.errors?.[0];
    if (error) this.addUnread(`it is not a script that can be read (${error.message})`);
    const outer = this.#source;
    // Backticks with escapes in them are a text of their own.
    this.#source = script.source ?? outer;
    this.#state.survey = surveyScript(script, this.#state.survey);
    for (const disturbance of this.#state.survey.disturbances) {
      this.problems.add(disturbance.fault);
      this.runsUnseen ||= disturbance.runsUnseen;
      this.#state.disturb(disturbance);
    }
    for (const statement of script.commands) this.visit(statement);
    this.#source = outer;
  }

  /** A `cd` may fail, and what follows runs all the same. */
  #visitStatement(node: Extract<SyntaxNode, { type: 'Statement' }>): void {
    if (node.background) {
      this.#state.inSubshell(() => this.visit(node.command));
      return;
    }
    const before = this.#state.directories;
    this.visit(node.command);
    this.#state.directories = union(before, this.#state.directories);
  }

  /** Each level is read anew by the parser, so what is broken or nested beyond reason is not followed. */
  #visitSubstitution(node: Extract<SyntaxNode, { script: unknown }>): void {
    if (this.isUnread) return;
    if (!node.script || this.#depth >= mostNested) {
      this.addUnread('it holds a substitution that cannot be read, or too many inside each other');
      return;
    }
    this.#depth++;
    this.#state.inSubshell(() => this.#visitChildren(node));
    this.#depth--;
  }

  /** As long as nothing but `&&` came, all that stands before has succeeded. */
  #visitChain({ commands, operators }: Extract<SyntaxNode, { type: 'AndOr' }>): void {
    const [first, ...rest] = commands;
    if (!first) return;
    let seen = this.#state.directories;
    const look = (command: SyntaxNode) => {
      this.visit(command);
      seen = union(seen, this.#state.directories);
    };
    look(first);
    const names = new Set<string>();
    let isSequence = true;
    this.#state.perhaps(names, () => {
      for (const [index, command] of rest.entries()) {
        isSequence &&= operators[index] === '&&';
        if (!isSequence) {
          this.#state.forget(names);
          this.#state.directories = seen;
        }
        look(command);
        for (const name of changesOf(command).names) names.add(name);
      }
    });
    this.#state.directories = seen;
  }

  #visitPipeline(node: Extract<SyntaxNode, { type: 'Pipeline' }>): void {
    for (const prefix of node.prefixes) this.#check(prefix);
    const [only] = node.commands;
    if (node.commands.length === 1 && only) {
      // Behind `!` the rest of a chain runs when this has failed.
      const before = this.#state.directories;
      this.visit(only);
      if (node.prefixes.length > 0) this.#state.directories = union(before, this.#state.directories);
      return;
    }
    let takesNames = this.#state.takesNames;
    for (const [index, command] of node.commands.entries()) {
      const before = this.commands.length;
      this.#state.inSubshell(() => {
        this.#state.takesNames = takesNames;
        this.visit(command);
      });
      const fault = takesNames
        ? faultOfInput(this.commands.slice(before), takesNames, command.type !== 'Command')
        : undefined;
      if (fault) this.problems.add(fault);
      const [last] = this.commands.slice(-1);
      // Messages hold whatever the command was given.
      const isPlain = command.type === 'Command' && node.operators[index] !== '|&';
      takesNames = isPlain && last ? namesListed(last) : undefined;
    }
    // Some shells run the last part themselves.
    this.#state.forget(changesOf(node).names);
  }

  /** Where a file cannot be opened, nothing of it runs. */
  #visitRedirected(node: Extract<SyntaxNode, { type: 'Redirected' }>): void {
    this.#addRedirects(node.redirects);
    for (const redirect of node.redirects) this.visit(redirect);
    const { takesNames } = this.#state;
    // What comes in is then not what the pipe brings.
    if (node.redirects.some(givesInput)) this.#state.takesNames = undefined;
    this.#state.perhaps(changesOf(node.command).names, () => this.visit(node.command));
    this.#state.takesNames = takesNames;
  }

  /** Of branches one runs, or none. */
  #visitBranches(branches: readonly SyntaxNode[]): void {
    for (const branch of branches) this.#state.perhaps(changesOf(branch).names, () => this.visit(branch));
  }

  #visitFor(node: Extract<SyntaxNode, { type: 'For' }>): void {
    const name = node.name.value;
    if (!isHarmlessName(name)) this.problems.add(`the loop sets ${name}`);
    for (const word of node.wordlist ?? []) this.visit(word);
    const context = wordContext(this.#emptyCommand(), this.#reading());
    const words = (node.wordlist ?? []).map((word) => readWord(word, { ...context, directory: undefined }));
    const isKnown = node.wordlist !== undefined && words.every((word) => word.values !== undefined);
    const values = words.flatMap((word) => word.values ?? []).map(asOneName);
    const isNumber = isKnown && values.every(({ text }) => isNumberText(text));
    const isOwn = !changesOf(node.body).names.has(name);
    this.#state.repeatedly(changesOf(node), () => {
      this.#state.define(name, isOwn ? { isNumber, ...(isKnown ? { values } : {}) } : undefined);
      this.visit(node.body);
    });
  }

  #visitWhile(node: Extract<SyntaxNode, { type: 'While' }>): void {
    this.#state.repeatedly(changesOf(node), () => {
      this.visit(node.clause);
      const [last] = this.commands.slice(-1);
      const end = node.clause.commands.at(-1);
      // The body runs only after `read` has got a line.
      const isReading = node.kind === 'while' && end?.command.type === 'Command' && !end.background;
      const line = isReading && last ? readLine(last) : undefined;
      if (line && !changesOf(node.body).names.has(line.name))
        this.#state.define(line.name, { isNumber: false, values: [line.value] });
      this.visit(node.body);
    });
  }

  #visitArithmeticFor(node: Extract<SyntaxNode, { type: 'ArithmeticFor' }>): void {
    const check = (part: typeof node.test) => {
      const fault = faultOfArithmetic(part, this.#state.variables);
      if (fault) {
        this.problems.add(fault);
        this.runsUnseen = true;
      }
    };
    check(node.initialize);
    this.#assignNumbers(node.initialize);
    this.#state.repeatedly(changesOf(node), () => {
      check(node.test);
      check(node.update);
      this.#visitChildren(node);
    });
  }

  #visitCommand(node: Command): void {
    if (!isWhole(node, this.#source)) this.addUnread('a parenthesis stands where none belongs');
    for (const child of [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix]) {
      this.#check(child);
      this.#visitChildren(child);
    }
    const read = readCommand(node, this.#emptyCommand(), {
      ...this.#reading(),
      assign: (one, word) => this.#assign(node, one, word),
    });
    const command = unwrap(read, {
      dialect: this.around.dialect,
      nested: (text, from, how) => this.around.nested(text, from, this, how),
    });
    this.commands.push(command);
    this.#state.forget(changesOf(node).names.size > 0 && node.name ? changesOf(node).names : []);
    if (command.isAstray || (command.directories.length === 0 && command.words.length > 0))
      this.problems.add('the directory that it runs in is not known');
    const targets = findTargets(command, this.around.home);
    if (targets) this.#state.move(targets);
  }

  #reading(): Reading {
    return {
      variables: this.#state.variables,
      survey: this.#state.survey,
      home: this.around.home,
      looksInside: true,
      problem: (text) => {
        this.problems.add(text);
        this.runsUnseen = true;
      },
    };
  }

  #addRedirects(redirects: readonly Redirection[]): void {
    const empty = this.#emptyCommand();
    const node = { prefix: [], suffix: [], name: undefined, redirects } as unknown as Command;
    this.commands.push(readCommand(node, empty, this.#reading()));
  }

  #emptyCommand(): SimpleCommand {
    return {
      words: [],
      assignments: [],
      redirects: [],
      directories: this.#state.directories,
      ...(this.#state.isAstray ? { isAstray: true as const } : {}),
      takesNames: this.#state.takesNames,
      inner: [],
    };
  }

  /** What is set for one command only, or beside a file that may not open, is not known to the rest. */
  #assign(node: Command, one: AssignmentNode, word: ShellWord | undefined): void {
    if (node.name) return;
    const isNumber = word !== undefined && one.value.type === 'Word' && isNumberWord(one.value);
    const value = word && one.value.type === 'Word' ? assignedValue(one.value, word) : undefined;
    const isKnown = node.redirects.length === 0 && (value !== undefined || isNumber);
    this.#state.define(one.name, isKnown ? { isNumber, ...(value ? { values: [value] } : {}) } : undefined);
  }

  #assignNumbers(expression: Parameters<typeof assignedNames>[0]): void {
    const names = assignedNames(expression);
    const odd = names.find((name) => !isHarmlessName(name));
    if (odd !== undefined) this.problems.add(`arithmetic sets ${odd}`);
    this.#state.forget(names);
    for (const name of surelyAssigned(expression)) this.#state.define(name, { isNumber: true });
  }
}

/** A star in an assignment is text; names of files that another variable holds stay names. */
function assignedValue({ parts = [] }: Word, { values, single }: ShellWord): Value | undefined {
  const [value, ...more] = values ?? [];
  if (!value || more.length > 0) return undefined;
  if (!value.isPattern) return single ? value : undefined;
  const isText = parts.every(({ type }) => /^(?:Literal|Glob|SingleQuoted)$/.test(type));
  if (isText) return literalValue(value.text);
  return parts.some(({ type }) => type === 'Glob') ? undefined : value;
}

/** Of many names a loop takes one at a time, and does not run where there is none. */
function asOneName<T extends { sweep?: Sweep }>(value: T): T {
  if (!value.sweep?.mayBeEmpty) return value;
  const { mayBeEmpty: _, ...sweep } = value.sweep;
  return { ...value, sweep };
}
