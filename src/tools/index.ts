import type { Environment } from '../models/endpoints.ts';
import type { WebSearch } from '../models/search.ts';
import type { Tool } from '../protocol/tool.ts';
import { askUserQuestionTool } from './ask-user-question.ts';
import { bashTool, foregroundBashTool } from './bash/bash.ts';
import { editTool } from './files/edit.ts';
import { notebookEditTool } from './files/notebook-edit.ts';
import { readTool } from './files/read.ts';
import { writeTool } from './files/write.ts';
import { monitorTool } from './monitor/monitor.ts';
import type { WatchedServers } from './monitor/monitor-schema.ts';
import { globTool } from './search/glob.ts';
import { grepTool } from './search/grep.ts';
import { locateRipgrep, type RipgrepSource } from './search/ripgrep.ts';
import { taskOutputTool } from './task-output.ts';
import { taskStopTool } from './task-stop.ts';
import { todoWriteTool } from './todo-write.ts';
import { webFetchTool } from './web/web-fetch.ts';
import { webSearchTool } from './web/web-search.ts';

export { type CapturedEnvironment, type CaptureOptions, captureEnvironment } from './bash/environment.ts';
export { installedRipgrep, type RipgrepSource } from './search/ripgrep.ts';

/** External services that some tools need. */
export interface CoreToolOptions {
  /** Sets the proxy and extra certificates for `WebFetch`. */
  environment?: Environment;
  /** Without it there is no `WebSearch`. */
  search?: WebSearch | undefined;
  /** False: there is no user to answer, so there is no `AskUserQuestion`. */
  attended?: boolean;
  /** False: nothing runs in the background, so there is no `Monitor`. */
  background?: boolean;
  /** The session's MCP servers, for `Monitor`. */
  servers?: WatchedServers;
}

/** The tools that touch the machine, in a fixed order. `home` is where an embedded ripgrep is extracted. */
export function coreTools(ripgrep: RipgrepSource, home: string, options: CoreToolOptions = {}): Tool[] {
  const { environment = {}, search, attended = true, background = true, servers = {} } = options;
  const locate = locateRipgrep(ripgrep, home);
  return [
    readTool,
    editTool,
    writeTool,
    background ? bashTool : foregroundBashTool,
    grepTool(locate),
    globTool(locate),
    todoWriteTool,
    taskOutputTool,
    taskStopTool,
    notebookEditTool,
    webFetchTool({ environment }),
    ...(background ? [monitorTool(servers)] : []),
    ...(search ? [webSearchTool(search)] : []),
    ...(attended ? [askUserQuestionTool] : []),
  ];
}
