import { expect, test } from 'bun:test';
import type { AgentEvent } from '../../src/protocol/index.ts';
import { emptyView, reduceAll, type View, type ViewEvent } from '../../src/view/index.ts';
import { unknownAgent } from '../../src/view/agents.ts';
