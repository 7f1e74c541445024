import { format } from 'node:util';

const methods = ['debug', 'error', 'info', 'log', 'warn'] as const;

/** A library's message on the console would land inside the frame. Until the returned function is called, `tell` shows it. */
export function divertConsole(tell: (text: string) => void): () => void {
  const before = methods.map((method) => [method, console[method]] as const);
  for (const method of methods) console[method] = (...words: unknown[]) => tell(format(...words));
  return () => {
    for (const [method, write] of before) console[method] = write;
  };
}
