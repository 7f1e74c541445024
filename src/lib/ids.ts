/** Identity as a value, so that a run can be repeated. */
export interface Ids {
  uuid(): string;
  /** Unguessable, short, safe as a file name: lower-case letters and digits. */
  token(length: number): string;
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

export const randomIds: Ids = {
  uuid: () => crypto.randomUUID(),
  token: (length) =>
    Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => alphabet[byte & 31]).join(''),
};

/** The test ids, which count. */
export function countedIds(): Ids {
  let next = 0;
  return {
    uuid: () => `00000000-0000-4000-8000-${(++next).toString(16).padStart(12, '0')}`,
    token: (length) => (++next).toString(32).padStart(length, '0'),
  };
}
