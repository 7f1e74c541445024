import { agentsCommand } from './agents.ts';
import type { SlashCommand } from './command.ts';
import { configCommand } from './config.ts';
import { copyCommand } from './copy.ts';
import { diffCommand } from './diff.ts';
import { exportCommand } from './export.ts';
import { contextCommand, costCommand } from './figures.ts';
import { helpCommand } from './help.ts';
import { hooksCommand } from './hooks.ts';
import { initCommand } from './init.ts';
import { mcpCommand } from './mcp.ts';
import { modelCommand } from './model.ts';
import { quitCommand } from './quit.ts';
import { doctorCommand } from './reports.ts';
import { resumeCommand } from './resume.ts';
import { rewindCommand } from './rewind.ts';
import { permissionsCommand } from './rules.ts';
import { clearCommand, compactCommand, forkCommand, planCommand } from './session-commands.ts';
import { memoryCommand } from './settings-commands.ts';
import { skillsCommand } from './skills.ts';
import { tasksCommand, worktreesCommand } from './tasks.ts';
import { boardCommand, teamCommand } from './team.ts';
import { themeCommand } from './theme.ts';
import { workflowsCommand } from './workflows.ts';

/** In the order in which they are shown. */
export function builtInCommands(): SlashCommand[] {
  const all: SlashCommand[] = [
    helpCommand(() => all),
    tasksCommand,
    teamCommand,
    boardCommand,
    diffCommand,
    worktreesCommand,
    agentsCommand,
    skillsCommand,
    hooksCommand,
    mcpCommand,
    workflowsCommand,
    doctorCommand,
    planCommand,
    modelCommand,
    permissionsCommand,
    memoryCommand,
    costCommand,
    contextCommand,
    compactCommand,
    clearCommand,
    resumeCommand,
    forkCommand,
    rewindCommand,
    copyCommand,
    exportCommand,
    initCommand,
    themeCommand,
    configCommand,
    quitCommand,
  ];
  return all;
}

/** Those for a session of another process. What they change is that session; what they read is its transcript. */
export function attachedCommands(): SlashCommand[] {
  const all: SlashCommand[] = [
    helpCommand(() => all),
    ...[tasksCommand, teamCommand, boardCommand, planCommand, modelCommand, costCommand, compactCommand],
    ...[copyCommand, exportCommand, themeCommand],
    { ...quitCommand, description: 'leave; the session keeps running' },
  ];
  return all;
}
