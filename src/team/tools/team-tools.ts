import { form } from '../../lib/form/form.ts';
import { type Result, sayProblem } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { defineTool, errorResult, type Tool, type ToolResult, textResult } from '../../protocol/tool.ts';
import { withoutProgress } from '../../tools/without-progress.ts';
import listText from './list-agents.md' with { type: 'text' };
import createText from './team-create.md' with { type: 'text' };
import deleteText from './team-delete.md' with { type: 'text' };

/** What happened, in words for the model, and as data for programs. */
export interface TeamAnswer {
  text: string;
  data: Record<string, unknown>;
}

/** The session's side of the tools that make and end teams. */
export interface TeamDesk {
  create(team: { name: string; description?: string | undefined }): Promise<Result<TeamAnswer>>;
  end(how: { force: boolean; signal: AbortSignal }): Promise<Result<TeamAnswer>>;
  list(agentId: string | null): Promise<TeamAnswer>;
}

/** They are the same during a whole session, whether there is a team or not. */
export function teamTools(desk: TeamDesk): Tool[] {
  return [createTool(desk), deleteTool(desk), listTool(desk)] as Tool[];
}

function createTool(desk: TeamDesk) {
  return defineTool({
    name: 'TeamCreate',
    description: createText.trim(),
    schema: form.strictObject({
      team_name: form.string().trim().min(1).max(64),
      description: form.string().max(1_000).optional(),
    }),
    access: () => [{ kind: 'none' }],
    concurrent: () => false,
    summary: ({ team_name }) => visibleLine(team_name, 100),
    run: ({ team_name: name, description }) =>
      withoutProgress(async () => answer(await desk.create({ name, description }))),
  });
}

function deleteTool(desk: TeamDesk) {
  return defineTool({
    name: 'TeamDelete',
    description: deleteText.trim(),
    schema: form.strictObject({ force: form.boolean().optional() }),
    access: () => [{ kind: 'none' }],
    concurrent: () => false,
    summary: ({ force }) => (force ? 'force' : ''),
    run: ({ force = false }, { signal }) =>
      withoutProgress(async () => answer(await desk.end({ force, signal }))),
  });
}

function listTool(desk: TeamDesk) {
  return defineTool({
    name: 'ListAgents',
    description: listText.trim(),
    schema: form.strictObject({}),
    access: () => [{ kind: 'none' }],
    concurrent: () => true,
    summary: () => '',
    run: (_, { agentId }) =>
      withoutProgress(async () => {
        const { text, data } = await desk.list(agentId);
        return textResult(text, data);
      }),
  });
}

function answer(result: Result<TeamAnswer>): ToolResult {
  return result.ok
    ? textResult(result.value.text, result.value.data)
    : errorResult(sayProblem(result.problem));
}
