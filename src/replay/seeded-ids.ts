import { createHash } from 'node:crypto';
import type { Ids } from '../lib/ids.ts';

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** Ids that cannot be guessed without the seed, and that come again with it. */
export function seededIds(seed: string): Ids {
  let count = 0;
  const bytes = () => createHash('sha256').update(`${seed} ${++count}`).digest();
  return {
    uuid() {
      const hex = bytes().toString('hex');
      const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) & 3];
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
    },
    token(length) {
      let token = '';
      while (token.length < length) token += Array.from(bytes(), (byte) => alphabet[byte & 31]).join('');
      return token.slice(0, length);
    },
  };
}
