import { readLiteral, type ShellWord } from '../grammar/types.ts';
import { type Effect, type PathUse, unknown } from './effect.ts';

/**
 * Sums of files, and what is in a certificate. Each word is an option from the list, the value of one, or a file. Left out is
 * what writes (`-out`), signs, loads an engine or a provider, or asks for a password.
 */
export function classifyOpenssl([command, ...words]: readonly ShellWord[]): Effect {
  const name = readLiteral(command) ?? '';
  const known = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!known) return unknown(`openssl ${name} may change files or run programs`);
  const files: ShellWord[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    const text = readLiteral(word);
    if (!word || text === undefined) return unknown(`openssl ${name}: ${word?.text} may become an option`);
    const isFile = known.takesFiles && !text.startsWith('-');
    const file = text === '-in' && !known.takesFiles ? words[++at] : isFile ? word : undefined;
    if (file) files.push(file);
    else if (!known.options.test(text))
      return unknown(`openssl ${name}: ${text} may write files or run programs`);
  }
  // A name with a colon is an address, by which it may load an engine.
  const odd = files.find((file) => !/^[^-:][^:]*$/s.test(readLiteral(file) ?? ''));
  if (odd) return unknown(`openssl ${name}: ${odd.text} may be more than the name of a file`);
  return { known: true, uses: files.map((word): PathUse => ({ kind: 'read', word })) };
}

const sum = { options: /^-(?:r|c|hex)$/, takesFiles: true };

const commands: Readonly<Record<string, { options: RegExp; takesFiles: boolean }>> = {
  ...{ md5: sum, sha1: sum, sha224: sum, sha256: sum, sha384: sum, sha512: sum },
  version: { options: /^-[abdefopv]$/, takesFiles: false },
  dgst: {
    options:
      /^-(?:sha1|sha224|sha256|sha384|sha512|sha3-(?:224|256|384|512)|md5|blake2b512|blake2s256|r|c|hex)$/,
    takesFiles: true,
  },
  x509: {
    options:
      /^-(?:noout|text|subject|issuer|dates|startdate|enddate|serial|fingerprint|pubkey|modulus|email|purpose|sha1|sha256)$/,
    takesFiles: false,
  },
};
