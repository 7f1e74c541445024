#!/usr/bin/env node
/** Starts the program of this machine's package. The program itself is a single binary; Node only finds it. */
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { constants as system } from 'node:os';
import { isatty } from 'node:tty';
import { platformFor, usesMusl } from './platform.js';

const program = findProgram();
const trouble = findTrouble();
// Help needs no directory.
const isHelp = process.argv.some((word) => ['--help', '-h', '--version', '-v'].includes(word));
if (trouble && isHelp) process.chdir('/');
if (trouble && !isHelp) {
  // The runtime inside the program would say so in its own words, before anything of ours runs.
  console.error(`cadre: the current directory ${trouble}.\nGo to another one first: cd ~`);
  process.exitCode = 2;
} else if (program.problem) {
  console.error(`cadre: ${program.problem}`);
  process.exitCode = 1;
} else if (process.execve) {
  // This process becomes the program: nothing stands between it and its terminal, signals or exit code.
  process.execve(program.path, [program.path, ...process.argv.slice(2)], ownEnvironment());
} else {
  runAsChild(program.path);
}

function findTrouble() {
  try {
    return process.cwd().length < 4096 ? undefined : 'has too long a path';
  } catch (error) {
    return error.code === 'ENOENT' ? 'no longer exists' : 'has too long a path, or one that is not readable';
  }
}

/** Variables that speak to the runtime inside the program could load code into it or make it print what it sends. */
function ownEnvironment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('BUN_')));
}

function findProgram() {
  if (process.platform === 'win32')
    return { problem: 'Windows is supported through WSL: run it inside a WSL shell.' };
  const platform = platformFor(process.platform, process.arch, process.platform === 'linux' && usesMusl());
  if (!platform) return { problem: `there is no build for ${process.platform} on ${process.arch}.` };
  try {
    const path = createRequire(import.meta.url).resolve(`${platform.name}/bin/cadre`);
    accessSync(path, constants.X_OK);
    return { path };
  } catch (error) {
    if (error.code === 'EACCES')
      return { problem: `the program of ${platform.name} may not be executed: ${error.path}` };
    return {
      problem: `the package ${platform.name} is missing. It comes with cadre unless optional packages are left out. Install it: npm install ${platform.name}`,
    };
  }
}

/** For a Node that cannot replace itself: hands signals down and the end up. */
function runAsChild(path) {
  const child = spawn(path, process.argv.slice(2), { stdio: 'inherit', env: ownEnvironment() });
  // A terminal sends its signals to the whole group, so the child has them already.
  const onTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'])
    process.on(signal, () => {
      if (signal === 'SIGTERM' || signal === 'SIGUSR2' || !onTerminal) child.kill(signal);
    });
  child.on('error', (error) => {
    console.error(`cadre: ${path} could not be started: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // The signal may be one that does not end us.
    setTimeout(() => process.exit(128 + (system.signals[signal] ?? 0)), 100);
  });
}
