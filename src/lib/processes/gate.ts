import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import type { Fifo } from '../files/fifo.ts';
import { getErrorCode } from '../result.ts';

/** Holds a program back that reads a byte from a descriptor before it continues. */
export interface ProcessGate {
  /** For the program; `handOver` closes it here. */
  readonly descriptor: number;
  handOver(): void;
  open(): void;
  /** Whether nobody has passed yet. The program can still pass later. */
  isClosed(): boolean;
  /** For when the program has ended. */
  release(): void;
}

/** Should this process be killed, the program's end of the pipe comes to its end, which is no byte and opens nothing. */
export function openGate(fifo: Fifo): ProcessGate {
  const own = openSync(fifo.path, constants.O_RDWR | constants.O_NONBLOCK);
  const descriptor = openSync(fifo.path, constants.O_RDONLY);
  // Left by a program that never came so far.
  while (take(own));
  let isOpened = false;
  let isHandedOver = false;
  const handOver = () => {
    if (!isHandedOver) closeSync(descriptor);
    isHandedOver = true;
  };
  return {
    descriptor,
    handOver,
    open() {
      isOpened = true;
      writeSync(own, mark);
    },
    isClosed() {
      if (!isOpened) return true;
      // What is still there was not taken by the program, and is put back for it.
      const isLeft = take(own);
      if (isLeft) writeSync(own, mark);
      return isLeft;
    },
    release() {
      handOver();
      closeSync(own);
      fifo.release();
    },
  };
}

const mark = Buffer.from('.');

/** Whether there was a byte. */
function take(descriptor: number): boolean {
  try {
    return readSync(descriptor, Buffer.alloc(1)) > 0;
  } catch (error) {
    if (getErrorCode(error) === 'EAGAIN') return false;
    throw error;
  }
}
