import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import type { Fifo } from '../files/fifo.ts';
import { getErrorCode } from '../result.ts';

/** Holds back a program that reads a byte from a descriptor before it continues. */
export interface ProcessGate {
  /** For the program; `handOver` closes it here. */
  readonly descriptor: number;
  handOver(): void;
  open(): void;
  /** Whether the program has not passed yet. It can still pass later. */
  isClosed(): boolean;
  /** For when the program has ended. */
  release(): void;
}

/** If this process is killed, the program reads end of file from the pipe, which is not a byte and opens nothing. */
export function openGate(fifo: Fifo): ProcessGate {
  const own = openSync(fifo.path, constants.O_RDWR | constants.O_NONBLOCK);
  const descriptor = openSync(fifo.path, constants.O_RDONLY);
  // Left by a program that never got that far.
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
      // A byte still there was not read by the program, and is put back for it.
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
