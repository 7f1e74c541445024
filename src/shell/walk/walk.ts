import { type Command, forEachChild, type ParsedScript, type Redirection, type SyntaxNode } from 'unbash';
import { isCount, surelyAssigned } from '../grammar/arithmetic.ts';
import { assignedValue } from '../grammar/assigned-value.ts';
import { expandPart } from '../grammar/brace-words.ts';
import { findPosixFault, hasPlainEnd, type ShellDialect } from '../grammar/dialect.ts';
import { findNodeFault, mayFailAt } from '../grammar/expansions.ts';
import {
  type AssignmentNode,
  givesInput,
  isWhole,
  readCommand,
  type ScriptReading,
} from '../grammar/read-command.ts';
import { literalWord, type ShellWord, type SimpleCommand, type Sweep } from '../grammar/types.ts';
import { visitChain } from './chains.ts';
import { findTargets, union } from './directories.ts';
import { assignNumbers, visitArithmeticFor, visitFor, visitWhile } from './loops.ts';
import { visitPipeline } from './pipelines.ts';
import { RunOrder } from './run-order.ts';
import { State } from './state.ts';
import type { Steps } from './steps.ts';
import { findChanges, isNumberWord, surveyScript } from './survey.ts';
import { type Nesting, unwrap } from './unwrap.ts';

export interface WalkSurroundings {
  readonly home: string;
  findHome(user: string): string | undefined;
  readonly directories: readonly string[];
  readonly takesNames: Sweep | undefined;
  readonly dialect: ShellDialect;
  readonly depth: number;
  /** Shared by all scripts of a line. Once they are spent, the rest is not read. */
  readonly steps: Steps;
  /** Parses a script that a command contains as text. */
  nested(text: string, from: SimpleCommand, walker: Walker, how: Nesting): SimpleCommand[];
}

const maxNested = 16;

/**
 * Walks a script once, in the order in which it runs, and keeps every command that could run, with what is proved about
 * variables and directories at that point. Anything that cannot be proved becomes a problem of the whole script.
 */
export class Walker {
  readonly commands: SimpleCommand[] = [];
  readonly order = new RunOrder(this.commands);
  readonly problems = new Set<string>();
  isUnread = false;
  runsUnseen = false;
  readonly state: State;
  #source: string;
  #depth = 0;

  constructor(
    source: string,
    readonly around: WalkSurroundings,
  ) {
    this.#source = source;
    this.state = new State(around.directories, around.takesNames);
  }

  visit(node: SyntaxNode): void {
    if (this.around.steps.areSpent) return;
    this.#check(node);
    switch (node.type) {
      case 'Script':
        this.#visitScript(node);
        return;
      case 'Statement':
        this.#visitStatement(node);
        return;
      case 'AndOr':
        visitChain(this, node);
        return;
      case 'Pipeline':
        for (const prefix of node.prefixes) this.#check(prefix);
        visitPipeline(this, node);
        return;
      case 'Command':
        this.#visitCommand(node);
        return;
      case 'Redirected':
        this.#visitRedirected(node);
        return;
      case 'Subshell':
        this.state.inSubshell(() => this.visitChildren(node));
        return;
      case 'ProcessSubstitution':
        this.order.readLeft(() => this.#visitSubstitution(node));
        return;
      case 'CommandExpansion':
      case 'ArithmeticCommandExpansion':
        this.#visitSubstitution(node);
        return;
      case 'BraceExpansion':
        this.#visitBraces(node.text);
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
        this.order.readLoop('again', () => visitFor(this, node));
        return;
      case 'While':
        this.order.readLoop('endless', () => visitWhile(this, node));
        return;
      case 'ArithmeticFor':
        this.order.readLoop('endless', () => visitArithmeticFor(this, node));
        return;
      case 'Select':
      case 'Function':
      case 'Coproc':
        this.order.readLeft(() => this.state.repeatedly(findChanges(node), () => this.visitChildren(node)));
        return;
      case 'ArithmeticCommand':
        this.visitChildren(node);
        assignNumbers(this, node.expression);
        for (const name of surelyAssigned(node.expression)) this.state.define(name, { isNumber: true });
        return;
      case 'ArithmeticExpansion':
        this.visitChildren(node);
        assignNumbers(this, node.expression);
        return;
      default:
        this.visitChildren(node);
        return;
    }
  }

  addProblem(problem: string): void {
    this.problems.add(problem);
  }

  addUnseen(problem: string): void {
    this.problems.add(problem);
    this.runsUnseen = true;
  }

  addUnread(problem: string): void {
    this.isUnread = true;
    this.problems.add(problem);
  }

  #check(node: SyntaxNode): void {
    if (node.type === 'HereDoc' && !hasPlainEnd(node))
      this.addUnread(`the end of the here-document << ${node.delimiter?.text ?? ''} is unclear`);
    const fault = findNodeFault(node, this.state.variables);
    if (fault) this.addUnseen(fault);
    if (mayFailAt(node)) this.state.doubt();
    const foreign = this.around.dialect === 'sh' ? findPosixFault(node) : undefined;
    if (foreign) this.addUnseen(foreign);
  }

  visitChildren(node: SyntaxNode): void {
    forEachChild(node, (child) => this.visit(child));
  }

  #visitScript(script: ParsedScript): void {
    const error = script.errors?.[0];
    if (error) this.addUnread(`it cannot be parsed (${error.message})`);
    if (this.around.dialect === 'sh' && /[^\n -~\t]/.test(this.#source))
      this.problems.add('it contains letters that a plain sh may read as special characters');
    const outer = this.#source;
    // Backticks with escapes in them are a separate text.
    this.#source = script.source ?? outer;
    this.state.survey = surveyScript(script, this.state.survey);
    for (const disturbance of this.state.survey.disturbances) {
      this.problems.add(disturbance.fault);
      this.runsUnseen ||= disturbance.runsUnseen;
      this.state.disturb(disturbance);
    }
    for (const statement of script.commands) this.visit(statement);
    this.#source = outer;
  }

  /** A `cd` may fail, and what follows runs all the same. */
  #visitStatement(node: Extract<SyntaxNode, { type: 'Statement' }>): void {
    if (node.background) {
      this.order.readLeft(() => this.state.inSubshell(() => this.visit(node.command)));
      return;
    }
    const before = this.state.directories;
    this.visit(node.command);
    this.state.directories = union(before, this.state.directories);
  }

  /** Each level is parsed again, so broken or excessively nested text is not followed. */
  #visitSubstitution(node: Extract<SyntaxNode, { script: unknown }>): void {
    if (this.isUnread) return;
    if (!node.script || this.#depth >= maxNested) {
      this.addUnread('it contains a substitution that cannot be parsed, or too many nested ones');
      return;
    }
    this.#depth++;
    this.state.inSubshell(() => this.visitChildren(node));
    this.#depth--;
  }

  /** The parser does not parse text between braces. */
  #visitBraces(text: string): void {
    if (!/[$`<>]/.test(text)) return;
    const words = expandPart(text);
    if (!words) this.addUnread('the text between braces cannot be parsed');
    const outer = this.#source;
    for (const { word, source } of words ?? []) {
      this.#source = source;
      this.visitChildren(word);
    }
    this.#source = outer;
  }

  /** If a file cannot be opened, nothing of it runs. */
  #visitRedirected(node: Extract<SyntaxNode, { type: 'Redirected' }>): void {
    this.#addRedirects(node.redirects);
    for (const redirect of node.redirects) this.visit(redirect);
    const { takesNames } = this.state;
    // The input is then not what the pipe brings.
    if (node.redirects.some(givesInput)) this.state.takesNames = undefined;
    this.state.perhaps(findChanges(node.command).names, () => this.visit(node.command));
    this.state.takesNames = takesNames;
  }

  /** One of the branches runs, or none. */
  #visitBranches(branches: readonly SyntaxNode[]): void {
    for (const branch of branches) this.state.perhaps(findChanges(branch).names, () => this.visit(branch));
  }

  #visitCommand(node: Command): void {
    if (!isWhole(node, this.#source)) this.addUnread('a parenthesis is out of place');
    for (const child of [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix]) {
      this.#check(child);
      this.visitChildren(child);
    }
    const read = readCommand(node, this.emptyCommand(), {
      ...this.reading(),
      assign: (one, word) => this.#assign(node, one, word),
    });
    const command = unwrap(read, {
      ...{ dialect: this.around.dialect, steps: this.around.steps, depth: 0 },
      nested: (text, from, how) => this.around.nested(text, from, this, how),
      leaveUnread: (problem) => this.addUnread(problem),
    });
    this.commands.push(command);
    this.state.forget(findChanges(node).names.size > 0 && node.name ? findChanges(node).names : []);
    if (command.isAstray || (command.directories.length === 0 && command.words.length > 0))
      this.problems.add('the directory it runs in is unknown');
    const targets = findTargets(command, this.around.home);
    if (targets) this.state.move(targets);
  }

  reading(): ScriptReading {
    return {
      variables: this.state.variables,
      survey: this.state.survey,
      home: this.around.home,
      dialect: this.around.dialect,
      findHome: this.around.findHome,
      looksInside: true,
      problem: (text) => this.addUnseen(text),
      list: (words) => this.addListed(words),
    };
  }

  /** To expand the patterns among words a shell lists directories, even if the names are not used. */
  addListed(words: readonly ShellWord[]): void {
    const patterns = words.filter((word) => word.pieces || word.values?.some(({ isPattern }) => isPattern));
    if (patterns.length > 0)
      this.#keep({ ...this.emptyCommand(), words: [literalWord('echo'), ...patterns] });
  }

  #addRedirects(redirects: readonly Redirection[]): void {
    const empty = this.emptyCommand();
    const node = { prefix: [], suffix: [], name: undefined, redirects } as unknown as Command;
    this.#keep(readCommand(node, empty, this.reading()));
  }

  #keep(command: SimpleCommand): void {
    this.around.steps.spend(command);
    this.commands.push(command);
  }

  emptyCommand(): SimpleCommand {
    return {
      words: [],
      assignments: [],
      redirects: [],
      directories: this.state.directories,
      ...(this.state.isAstray ? { isAstray: true as const } : {}),
      takesNames: this.state.takesNames,
      inner: [],
    };
  }

  /** A variable set for one command only, or beside a file that may not open, is unknown to the rest. */
  #assign(node: Command, one: AssignmentNode, word: ShellWord | undefined): void {
    if (node.name) return;
    const isNumber = word !== undefined && one.value.type === 'Word' && isNumberWord(one.value);
    const value = word && one.value.type === 'Word' ? assignedValue(one.value, word) : undefined;
    const isPlain = word?.isPlain === true;
    const isCounted = one.value.type === 'Word' && !one.append && !one.index && isCount(one.value.text);
    const isKnown = node.redirects.length === 0 && (value !== undefined || isNumber || isPlain || isCounted);
    const { revisions } = word ?? {};
    const held = { ...(value ? { values: [value] } : {}), ...(revisions ? { revisions } : {}) };
    this.state.define(one.name, isKnown ? { isNumber, isCount: isCounted, isPlain, ...held } : undefined);
  }
}
