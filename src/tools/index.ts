import type { Tool } from '../protocol/tool.ts';
import { bashTool } from './bash.ts';
import { editTool } from './edit.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { readTool } from './read.ts';
import { locateRipgrep, type RipgrepSource } from './ripgrep.ts';
import { taskOutputTool } from './task-output.ts';
import { taskStopTool } from './task-stop.ts';
import { todoWriteTool } from './todo-write.ts';
import { writeTool } from './write.ts';

export { installedRipgrep, type RipgrepSource } from './ripgrep.ts';
export { type CapturedEnvironment, type CaptureOptions, captureEnvironment } from './shell-environment.ts';

/** The tools that touch the machine, in an order that never changes. `home` is where an embedded ripgrep is extracted. */
export function coreTools(ripgrep: RipgrepSource, home: string): Tool[] {
  const locate = locateRipgrep(ripgrep, home);
  return [
    readTool,
    editTool,
    writeTool,
    bashTool,
    grepTool(locate),
    globTool(locate),
    todoWriteTool,
    taskOutputTool,
    taskStopTool,
  ];
}
