/** The fake provider's answers, one step per request. */
export type Step =
  | { kind: 'text'; text: string }
  /** `yields` is text that only the tool's result contains, to prove that the tool ran. The answer is given after `thinkMs`. */
  | { kind: 'call'; call: ToolCall; yields: string; thinkMs?: number };

/** A call in the words of one contestant: its tool's name and the shape of its arguments. */
export interface ToolCall {
  name: string;
  input: Record<string, unknown>;
}

/** One model request as the server saw it. Times are milliseconds since 1970, with fractions. */
export interface SeenRequest {
  path: string;
  /** When the last byte of the body was in. */
  arrivedAt: number;
  /** When the last byte of the answer was handed to the socket. */
  answeredAt: number;
  bytes: number;
  /** False when the result of the step before is not in it. */
  asExpected: boolean;
}

/** The same scale in every process of one machine. */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}
