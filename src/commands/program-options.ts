import { type Command, Option } from 'commander';
import { permissionModes } from '../protocol/permission.ts';
import { splitToolList } from '../settings/rules.ts';

/** The flags of a session. Those of the other commands stand with them. */
export function addOptions(program: Command): void {
  const tools = (text: string, before: string[] | undefined) => [...(before ?? []), ...splitToolList(text)];
  const repeat = (text: string, before: string[] | undefined) => [...(before ?? []), text];
  program
    .option('-p, --print', 'answer the prompt, print the result and exit')
    .addOption(choice('--output-format <format>', 'how to print', ['text', 'json', 'stream-json'], 'text'))
    .addOption(choice('--input-format <format>', 'how prompts come in', ['text', 'stream-json'], 'text'))
    .option('--include-partial-messages', 'with stream-json: also the pieces of answers as they arrive')
    .option('--replay-user-messages', 'with stream-json: echo prompts as they are taken')
    .option('--include-hook-events', 'with stream-json: also what hooks do')
    .option('--forward-subagent-text', 'with stream-json: also what agents think and say')
    .option('--model <name>', 'provider/id, a bare id, or opus, sonnet, haiku')
    .option('--system-prompt <text>', 'replace the main prompt')
    .option('--append-system-prompt <text>', 'add to the main prompt')
    .option('--max-turns <count>', 'end after this many model calls')
    .option('--json-schema <schema>', 'the shape of the answer; it comes in structured_output')
    .option('--record <file>', 'record the run, so that it can be played back')
    .option('--replay <file>', 'play a recorded run back: no model is asked and nothing is changed')
    .option(
      '--by-hand',
      'with --replay, in the terminal: you give the prompts, answers and stops of the tape',
    )
    .option('--max-budget-usd <dollars>', 'what the session, with all its agents, may cost')
    .option('--max-tokens <count>', 'how many tokens it may use')
    .option('--fallback-model <name>', 'who answers when the wait for the model would be long')
    .option('--thinking <how>', 'adaptive or disabled')
    .option('--max-thinking-tokens <count>', 'tokens for thinking; 0 is none')
    .option(
      '--allowedTools, --allowed-tools <rules>',
      'what runs without asking: Read,Edit(src/**),"Bash(npm test)"',
      tools,
    )
    .option('--disallowedTools, --disallowed-tools <rules>', 'what is denied', tools)
    .option('--tools <names>', 'the only built-in tools to have; "" for none, "default" for all', tools)
    .addOption(permissionMode())
    .option('--dangerously-skip-permissions', 'ask nothing; deny rules still hold')
    .addOption(new Option('--allow-dangerously-skip-permissions', 'let the mode be switched to that later'))
    .addOption(new Option('--permission-prompt-tool <name>', 'stdio: the host answers').hideHelp())
    .addOption(new Option('--permission-prompts <who>', 'host or none').choices(['host', 'none']).hideHelp())
    .option('--add-dir <directory>', 'another directory to work in (repeatable)', repeat)
    .option('-w, --worktree [name]', 'work in a git worktree of its own; see docs/worktrees.md')
    .option('--agent <name>', 'run the session as this agent: its prompt, tools and model')
    .option('--coordinator', 'only direct workers, who do the work; see docs/coordinator.md')
    .option('--agents <json-or-file>', 'agents on top of the files; see cadre agents')
    .option(
      '--plugin-dir <directory>',
      'a plugin, for its agents, skills, commands and hooks (repeatable)',
      repeat,
    )
    .option('--disable-slash-commands', 'leave out all skills and slash commands')
    .option('--settings <file-or-json>', 'settings on top of the files')
    .option('--setting-sources <list>', 'which settings files count: user,project,local')
    .option('--trust', "let this repository's own settings take effect in this run; see cadre trust")
    .option('-c, --continue', 'go on with the latest session of this directory')
    .option('-r, --resume [id]', 'go on with a session')
    .option('--fork-session', 'with --resume or --continue: go on in a copy')
    .option('--session-id <uuid>', 'the id of the new session')
    .option('--no-session-persistence', 'keep nothing of the session')
    .option('--mcp-config <file-or-json>', 'MCP servers on top of the files (repeatable)', repeat)
    .option('--strict-mcp-config', 'no MCP servers but those of --mcp-config')
    .option('--screen-reader', 'in the terminal: plain lines, nothing that moves')
    .option('-d, --debug', 'say on standard error what is going on, with stack traces')
    .option(
      '--verbose',
      'say on standard error when agents start and end; stream-json shows every turn anyway',
    );
}

/** What is wrong with another one is said together with the other flags: `.choices()` would refuse it here. */
function permissionMode(): Option {
  const option = new Option('--permission-mode <mode>', 'what is asked about');
  option.argChoices = [...permissionModes];
  return option;
}

function choice(flags: string, description: string, choices: string[], preset: string): Option {
  return new Option(flags, description).choices(choices).default(preset);
}
