import { Draft } from './draft.ts';
import { reduceCall } from './reduce/call.ts';
import { reduceHook } from './reduce/hook.ts';
import { reduceCompaction, reduceMessage } from './reduce/message.ts';
import { addQuestion, dropQuestion } from './reduce/question.ts';
import { reduceRun } from './reduce/run.ts';
import {
  changeLeases,
  changeModel,
  changeTodos,
  giveNotice,
  reduceSurface,
  rewind,
} from './reduce/session.ts';
import { reduceStream } from './reduce/stream.ts';
import { reduceProgress, reduceTask } from './reduce/task.ts';
import { reduceTeam } from './reduce/team.ts';
import { reduceWorkflow } from './reduce/workflow.ts';
import type { View, ViewEvent } from './view.ts';

/** The view after an event. `at` is when it came, for events without a time. */
export function reduce(view: View, event: ViewEvent, at: number = view.at): View {
  return reduceAll(view, [event], at);
}

/** The view after several events: the same as one by one, for less work. Without news it returns the same view. */
export function reduceAll(view: View, events: Iterable<ViewEvent>, at: number = view.at): View {
  const draft = new Draft(view, at);
  for (const event of events) apply(draft, event);
  if (draft.view === view) return view;
  return draft.view.at === at ? draft.view : { ...draft.view, at };
}

function apply(draft: Draft, event: ViewEvent): void {
  if (!('agentId' in event)) {
    reduceSurface(draft, event);
    return;
  }
  const { agentId } = event;
  // A dream has no conversation of its own: it is a task, and only its end is shown.
  if (agentId !== null && draft.view.tasks.has(agentId)) return;
  switch (event.type) {
    case 'model_streamed':
      reduceStream(draft, agentId, event.event);
      break;
    case 'message_added':
      reduceMessage(draft, agentId, event);
      break;
    case 'conversation_compacted':
      reduceCompaction(draft, agentId, event);
      break;
    case 'run_started':
    case 'run_ended':
    case 'turn_started':
    case 'compaction_started':
    case 'request_retried':
    case 'request_waited':
    case 'fallback_taken':
    case 'prompt_refused':
      reduceRun(draft, agentId, event);
      break;
    case 'tool_started':
    case 'tool_progressed':
    case 'tool_ended':
    case 'call_judged':
    case 'permission_denied':
    case 'question_skipped':
      reduceCall(draft, agentId, event);
      break;
    case 'question_asked':
      addQuestion(draft, event.question);
      break;
    case 'question_answered':
      dropQuestion(draft, agentId, event.questionId);
      break;
    case 'hook_started':
    case 'hook_ended':
      reduceHook(draft, agentId, event);
      break;
    case 'task_changed':
      reduceTask(draft, event.task, event.end);
      break;
    case 'task_progressed':
      reduceProgress(draft, event.task);
      break;
    case 'todos_changed':
      changeTodos(draft, agentId, event.todos);
      break;
    case 'mode_changed':
      draft.setSession({ mode: event.permissionMode });
      break;
    case 'model_changed':
      changeModel(draft, event);
      break;
    case 'state_changed':
      draft.setSession({ state: event.state });
      break;
    case 'leases_changed':
      changeLeases(draft, event);
      break;
    case 'session_rewound':
      rewind(draft, event);
      break;
    case 'team_changed':
    case 'mail_moved':
    case 'board_changed':
    case 'circle_found':
      reduceTeam(draft, event);
      break;
    case 'workflow_changed':
    case 'workflow_call_changed':
      reduceWorkflow(draft, event);
      break;
    case 'notice_given':
      giveNotice(draft, agentId, event);
      break;
  }
}
