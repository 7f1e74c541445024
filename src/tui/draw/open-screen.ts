import type { Terminal } from '../terminal/terminal.ts';
import { FrameScreen } from './frame-screen.ts';
import type { Screen } from './screen.ts';
import { SpokenScreen } from './spoken-screen.ts';

/** `isSpoken`: for a screen reader, or a terminal that can only print. */
export function openScreen(terminal: Terminal, isSpoken: boolean): Screen {
  return isSpoken ? new SpokenScreen(terminal) : new FrameScreen(terminal);
}
