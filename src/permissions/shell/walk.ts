import { type Command, forEachChild, type ParsedScript, type Redirection, type SyntaxNode } from 'unbash';
import { assignedNames } from './arithmetic.ts';
import { targetsOf, union } from './directories.ts';
import { faultOfNode } from './expansions.ts';
import { namesListed } from './names.ts';
import { givesInput, isWhole, type Reading, readCommand, wordContext } from './read-command.ts';
import { readVariables } from './read-variables.ts';
import { readWord } from './read-word.ts';
import { faultOfInput } from './shared-input.ts';
import { literalOf, literalValue, type SimpleCommand, type Sweep } from './types.ts';
import { type Nesting, unwrap } from './unwrap.ts';
import { isHarmlessName, Variables } from './variables.ts';

export interface Surroundings {
  readonly home: string;
  readonly directories: readonly string[];
  readonly takesNames: Sweep | undefined;
  readonly depth: number;
  /** Parses a script that a command holds as text. `shared` are the variables of the script around it: `eval`. */
  nested(text: string, from: SimpleCommand, walker: Walker, how: Nesting): SimpleCommand[];
}

const mostNested = 16;

/**
 * Goes through a script in the order of its text and keeps every command that could run. Twice: what a variable
 * may hold is known only after all of its assignments were seen.
 */
export class Walker {
  readonly commands: SimpleCommand[] = [];
  readonly problems = new Set<string>();
  readonly functions = new Set<string>();
  isUnread = false;
  #source: string;
  /** Functions that a function calls: what they do together is not in the text. */
  readonly #calledInside = new Set<string>();
  #functionDepth = 0;
  #depth = 0;
  #directories: readonly string[];
  #takesNames: Sweep | undefined;

  constructor(
    source: string,
    readonly around: Surroundings,
    readonly variables: Variables,
    /** The first time variables are collected; the second time they are used. */
    readonly collects: boolean,
  ) {
    this.#source = source;
    this.#directories = around.directories;
    this.#takesNames = around.takesNames;
  }

  get directories(): readonly string[] {
    return this.#directories;
  }

  visit(node: SyntaxNode): void {
    const fault = faultOfNode(node, this.variables);
    if (fault) this.problems.add(fault);
    switch (node.type) {
      case 'Script':
        this.#visitScript(node);
        return;
      case 'Statement': {
        const before = this.#directories;
        this.visit(node.command);
        this.#directories = node.background ? before : union(before, this.#directories);
        return;
      }
      case 'AndOr':
        this.#visitChain(node);
        return;
      case 'Pipeline':
        this.#visitPipeline(node);
        return;
      case 'Command':
        this.#visitCommand(node);
        return;
      case 'Redirected': {
        let moved = this.#directories;
        this.#inSubshell(() => this.#addRedirects(node.redirects));
        this.#inSubshell(() => {
          // What comes in is then not what the pipe brings.
          if (node.redirects.some(givesInput)) this.#takesNames = undefined;
          this.visit(node.command);
          moved = this.#directories;
        });
        this.#directories = moved;
        for (const redirect of node.redirects) forEachChild(redirect, (child) => this.visit(child));
        return;
      }
      case 'Subshell':
        this.#inSubshell(() => this.#visitChildren(node));
        return;
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion':
        this.#visitSubstitution(node);
        return;
      case 'Function':
        this.#visitFunction(node);
        return;
      case 'For':
        this.#assignLoop(node.name.value, node.wordlist);
        this.#apart(() => this.#visitChildren(node));
        return;
      case 'While':
      case 'ArithmeticFor':
        if (node.type === 'ArithmeticFor')
          this.#assignNumbers([node.initialize, node.test, node.update].flatMap(assignedNames));
        this.#apart(() => this.#visitChildren(node));
        return;
      case 'ArithmeticCommand':
      case 'ArithmeticExpansion':
        this.#assignNumbers(assignedNames(node.expression));
        this.#visitChildren(node);
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

  #visitChildren(node: SyntaxNode): void {
    forEachChild(node, (child) => this.visit(child));
  }

  #visitScript(script: ParsedScript): void {
    const error = script.errors?.[0];
    if (error) this.addUnread(`it is not a script that can be read (${error.message})`);
    const outer = this.#source;
    // Backticks with escapes in them are a text of their own.
    this.#source = script.source ?? outer;
    for (const statement of script.commands) this.visit(statement);
    this.#source = outer;
  }

  #visitFunction(node: Extract<SyntaxNode, { type: 'Function' }>): void {
    this.functions.add(node.name.value);
    this.#functionDepth++;
    this.#apart(() => this.visit(node.body));
    this.#functionDepth--;
  }

  /** To be asked when all was visited. */
  checkFunctions(): void {
    const name = [...this.#calledInside].find((one) => this.functions.has(one));
    if (name !== undefined) this.problems.add(`${name} is called by a function of the script itself`);
  }

  /** Each level is read anew by the parser, so what is broken or nested beyond reason is not followed. */
  #visitSubstitution(node: Extract<SyntaxNode, { script: unknown }>): void {
    if (this.isUnread) return;
    if (!node.script || this.#depth >= mostNested) {
      this.addUnread('it holds a substitution that cannot be read, or too many inside each other');
      return;
    }
    this.#depth++;
    this.#inSubshell(() => this.#visitChildren(node));
    this.#depth--;
  }

  #visitChain(node: Extract<SyntaxNode, { type: 'AndOr' }>): void {
    let seen = this.#directories;
    node.commands.forEach((command, index) => {
      const before = this.#directories;
      this.visit(command);
      seen = union(seen, this.#directories);
      // After `&&` the change of directory has happened; after `||` perhaps.
      if (node.operators[index] !== '&&') this.#directories = union(before, this.#directories);
    });
    this.#directories = seen;
  }

  #visitPipeline(node: Extract<SyntaxNode, { type: 'Pipeline' }>): void {
    if (node.commands.length === 1) {
      this.#visitChildren(node);
      return;
    }
    let takesNames = this.#takesNames;
    for (const [index, command] of node.commands.entries()) {
      const before = this.commands.length;
      this.#inSubshell(() => {
        this.#takesNames = takesNames;
        this.visit(command);
      });
      const fault =
        takesNames && !this.collects
          ? faultOfInput(this.commands.slice(before), takesNames, command.type !== 'Command', this.functions)
          : undefined;
      if (fault) this.problems.add(fault);
      const [last] = this.commands.slice(-1);
      // Messages hold whatever the command was given.
      const isPlain = command.type === 'Command' && node.operators[index] !== '|&';
      takesNames = isPlain && last ? namesListed(last) : undefined;
    }
  }

  #visitCommand(node: Command): void {
    if (!isWhole(node, this.#source)) this.addUnread('a parenthesis stands where none belongs');
    for (const child of [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix])
      forEachChild(child, (inside) => this.visit(inside));
    const command = readCommand(node, this.#emptyCommand(), this.#reading());
    const unwrapped = unwrap(command, {
      nested: (text, from, how) => this.around.nested(text, from, this, how),
    });
    this.commands.push(unwrapped);
    if (this.#functionDepth > 0) this.#calledInside.add(literalOf(unwrapped.words[0]) ?? '');
    this.#keepAssignments(node, unwrapped);
    this.#changeDirectory(unwrapped);
  }

  #reading(): Reading {
    return {
      variables: this.collects ? noVariables : this.variables,
      home: this.around.home,
      looksInside: true,
      problem: (text) => this.problems.add(text),
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
      directories: this.#directories,
      takesNames: this.#takesNames,
      inner: [],
    };
  }

  #keepAssignments(node: Command, command: SimpleCommand): void {
    if (!this.collects) return;
    for (const one of [...node.prefix, ...node.suffix]) {
      if (one.type !== 'Assignment') continue;
      const word = command.assignments.find((assignment) => assignment.name === one.name)?.word;
      const isNumber = one.value.type === 'Word' && /^\$\(\([^$`]*\)\)$/.test(one.value.text);
      const [value] = word?.values ?? [];
      const isText = word?.values?.length === 1 && value && (word.single || value.isPattern);
      this.variables.assign(one.name, isText ? [literalValue(value.text)] : undefined, {
        number: isNumber,
        environment: word === undefined || word.environment === true,
      });
    }
    for (const { name, values } of readVariables(command)) this.variables.assign(name, values);
  }

  #assignLoop(name: string, wordlist: Extract<SyntaxNode, { type: 'For' }>['wordlist']): void {
    if (!isHarmlessName(name)) this.problems.add(`the loop sets ${name}`);
    if (!this.collects) return;
    const context = wordContext(this.#emptyCommand(), this.#reading());
    const words = (wordlist ?? []).map((word) => readWord(word, { ...context, directory: undefined }));
    const isKnown = wordlist !== undefined && words.every((word) => word.values !== undefined);
    this.variables.assign(name, isKnown ? words.flatMap((word) => word.values ?? []) : undefined, {
      environment: words.some((word) => word.environment),
    });
  }

  #assignNumbers(names: readonly string[]): void {
    for (const name of names) {
      if (!isHarmlessName(name)) this.problems.add(`arithmetic sets ${name}`);
      else if (this.collects) this.variables.assign(name, undefined, { number: true });
    }
  }

  #changeDirectory(command: SimpleCommand): void {
    const [name, target, more] = command.words;
    if (literalOf(name) !== 'cd') return;
    const path = target === undefined ? this.around.home : literalOf(target);
    const isKnown = more === undefined && path !== undefined && !path.startsWith('-') && path !== '';
    this.#directories = isKnown ? command.directories.flatMap((from) => targetsOf(from, path)) : [];
  }

  /** What moves inside does not move what comes after. */
  #inSubshell(run: () => void): void {
    const [directories, takesNames] = [this.#directories, this.#takesNames];
    run();
    [this.#directories, this.#takesNames] = [directories, takesNames];
  }

  /** A body that may run any number of times: when it moves, nobody knows where to. */
  #apart(run: () => void): void {
    const before = this.#directories;
    run();
    if (
      !before.every((one) => this.#directories.includes(one)) ||
      before.length !== this.#directories.length
    ) {
      this.#directories = [];
      this.problems.add('it changes the directory in a loop or a function');
    }
  }
}

const noVariables = new Variables();
