import { type Command, CommanderError } from 'commander';
import { completeArgument } from './commands/complete/request.ts';
import { askMeant, asksForAnswer, findMistyped } from './commands/mistyped.ts';
import { buildProgram } from './commands/program.ts';
import { type RunPath, runCommand } from './commands/run.ts';
import { findLaterFlag } from './commands/table/later-flags.ts';
import { convertArgument } from './convert/request.ts';
import { renderValue } from './lib/fields/describe-value.ts';
import { describeFileError } from './lib/files/files.ts';
import { getErrorCode } from './lib/result.ts';
import { visible } from './lib/text/text.ts';
import { installedRipgrep, type RipgrepSource } from './tools/search/ripgrep.ts';
import { scriptArgument } from './workflows/host/frames.ts';

/** Reads the arguments and picks a surface. Everything else is loaded only when it is needed. */
export async function main(given: string[], ripgrep: RipgrepSource): Promise<number> {
  let argv = given;
  if (argv[0] === convertArgument) return await (await import('./convert/serve.ts')).serveConversion();
  if (argv[0] === scriptArgument) return await (await import('./workflows/host/serve.ts')).serveScript();
  if (argv[0] === completeArgument) {
    const { answerShell } = await import('./commands/complete/answer.ts');
    process.stdout.write(await answerShell(argv.slice(1)));
    return 0;
  }
  const mistyped = findMistyped(argv);
  if (mistyped) {
    const meant = await askMeant(mistyped, argv);
    if (typeof meant === 'number') return meant;
    argv = meant;
  }
  let code = 0;
  const program = buildProgram(
    {
      async main(prompt, flags) {
        const { runFromFlags } = await import('./commands/main.ts');
        return runFromFlags(flags, prompt, ripgrep);
      },
      // The flags were read by the table of this command.
      run: (path, words, flags) => runCommand(path as RunPath, words, flags, ripgrep),
    },
    (result) => {
      code = result;
    },
    argv,
  );
  const help = new HelpOutput();
  program.exitOverride().configureOutput({ ...pointToHelp('cadre'), writeOut: help.writeOut });
  passSettingsOn(program, 'cadre');
  // A run with -p opens its streams when it writes, and listens then.
  if (!asksForAnswer(argv)) process.stdout.on('error', () => {});
  // Without these the runtime prints its own message, with pieces of our code.
  process.on('unhandledRejection', (error) => process.stderr.write(visible(describeBug(error, argv))));
  process.on('uncaughtException', (error) => {
    process.stderr.write(visible(describeBug(error, argv)));
    process.exit(1);
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    // As a program ends that the signal about it ends: the reader had enough, and nothing failed.
    return code === 1 && getErrorCode(process.stdout.errored) === 'EPIPE' ? 141 : code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? await help.end() : 2;
    process.stderr.write(visible(describeBug(error, argv)));
    return 1;
  }
}

/** What commander prints. Help that a full disk cut off was not given; a reader that closed its end had enough. */
class HelpOutput {
  readonly #written: Promise<Error | null | undefined>[] = [];

  readonly writeOut = (text: string): void => {
    this.#written.push(new Promise((resolve) => process.stdout.write(text, resolve)));
  };

  async end(): Promise<number> {
    const failed = (await Promise.all(this.#written)).find((error) => error);
    if (!failed || getErrorCode(failed) === 'EPIPE') return 0;
    process.stderr.write(`cadre: ${describeFileError(failed, 'stdout', 'write to').message}\n`);
    return 1;
  }
}

/** Commands copy these from their parents when they are made, which was before they were set. */
function passSettingsOn(parent: Command, path: string): void {
  for (const command of parent.commands) {
    const own = `${path} ${command.name()}`;
    command.exitOverride().copyInheritedSettings(parent).configureOutput(pointToHelp(own));
    // Only a prompt is checked separately, for the command that may have been meant.
    command.allowExcessArguments(false);
    if (command.commands.length > 0) command.helpCommand('help [command]', 'show the help of a command');
    passSettingsOn(command as Command, own);
  }
}

/** Wrong usage of a command points to the help of that command. */
function pointToHelp(command: string): { outputError(text: string, write: (text: string) => void): void } {
  return { outputError: (text, write) => write(visible(explain(text, command))) };
}

function explain(text: string, command: string): string {
  const flag = findLaterFlag(/unknown option '([^']*)'/.exec(text)?.[1] ?? '');
  const message = text.replace(/^error: /, 'cadre: ');
  if (flag)
    return `cadre: ${flag} is not supported in this version.\nLeave it out. ${command} --help lists the flags.\n`;
  return message.includes('--help') ? message : `${message.trimEnd()}\nSee ${command} --help.\n`;
}

function describeBug(error: unknown, argv: string[]): string {
  const debug = argv.includes('--debug') || argv.includes('-d');
  const text = error instanceof Error ? (debug ? error.stack : error.message) : renderValue(error);
  return `cadre: unexpected error: ${text}\n${debug ? '' : 'Run it again with --debug for details.\n'}`;
}

/** Only in development: the compiled program has its own entry, with ripgrep inside. */
if (import.meta.main) process.exit(await main(process.argv.slice(2), installedRipgrep()));
