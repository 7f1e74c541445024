import { type DomainPattern, type Host, matchesDomain, parseHost } from '../../lib/hosts.ts';
import { untold } from '../../lib/told.ts';
import { isSocketName, readSocketName } from '../grammar/sockets.ts';
import { listTexts } from '../judge/command-words.ts';
import { findLooseParts } from '../judge/line-texts.ts';
import { withoutValues } from '../programs/without-values.ts';
import type { JudgedCommand, Script } from '../walk/script.ts';
import { expandAddresses } from './address-patterns.ts';

/**
 * Whether a line names a host that a rule refuses: in an address, as `user@host`, `host:port` or alone. The words of commands
 * that are known to reach no network are data, except for names of connections. A computed host, or one named by a file or
 * another program, is not seen.
 */
export function namesHost(script: Script, pattern: DomainPattern): boolean {
  const named = script.all.flatMap(({ command: { redirects, words } }) =>
    [...redirects.map(({ target }) => target), ...words.slice(1)].flatMap(listTexts),
  );
  const words = script.all.flatMap((one) => (one.effect.known ? [] : listWords(one)));
  const loose = findLooseParts(script).flatMap(({ kind, texts, printed }) =>
    kind === 'unproven' ? [...texts, ...printed] : [],
  );
  const fed = script.all.some((one) => !one.effect.known && one.command.words.some((word) => !word.values));
  const handed = fed ? findLooseParts(script).flatMap(({ texts, printed }) => [...texts, ...printed]) : [];
  const texts = new Set([...named.filter(isSocketName), ...words, ...loose, ...handed]);
  return [...texts].some((text) => {
    const addresses = expandAddresses(text);
    if (addresses === untold) return true;
    return addresses.flatMap(findHosts).some((host) => isMeant(pattern, host));
  });
}

function listWords({ command }: JudgedCommand): string[] {
  const words = withoutValues(command.words.slice(1), (text) => messages.has(text));
  return [
    ...words.flatMap(listTexts),
    ...command.assignments.flatMap(({ word }) => (word ? listTexts(word) : [])),
  ];
}

const messages: ReadonlySet<string> = new Set(['-m', '-am', '--message', '--title', '--body', '--notes']);

/** A host as written; without a scheme it may be any port. */
interface NamedHost {
  readonly host: Host;
  readonly isPlain: boolean;
}

function isMeant(pattern: DomainPattern, { host, isPlain }: NamedHost): boolean {
  // Any word may be a name: for a rule about all hosts only an address matches.
  if (isPlain && pattern.name === '') return false;
  const { port: _, ...anyPort } = pattern;
  return matchesDomain(isPlain ? anyPort : pattern, host, true);
}

function findHosts(text: string): NamedHost[] {
  return text
    .split(/[\s'"`;|&(){}<>,=\\]+/)
    .flatMap((piece) => [
      ...[...piece.matchAll(/([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/gi)].flatMap(
        ([, scheme = '', authority = '']) => readAuthority(authority, scheme.toLowerCase()),
      ),
      ...(readSocketName(piece) ? socketHosts(piece) : plainHosts(piece)),
    ]);
}

function readAuthority(authority: string, scheme: string): NamedHost[] {
  const host = parseHost(`${scheme === 'http' ? 'http' : 'https'}://${authority.replace(/^.*@/s, '')}/`);
  const isPlain = !/^https?$/.test(scheme);
  return host ? withMapped(host).map((one) => ({ host: one, isPlain })) : [];
}

/** A port that is not a number may be any. */
function socketHosts(piece: string): NamedHost[] {
  const { host: name = '', port = '' } = readSocketName(piece) ?? {};
  const written = name.includes(':') ? `[${name}]` : name;
  const isNumber = /^\d+$/.test(port);
  const host = parseHost(`http://${written}${isNumber ? `:${port}` : ''}/`);
  if (!host) return plainHosts(name);
  return withMapped(host).flatMap((one) => [
    { host: one, isPlain: false },
    ...(isNumber ? [] : [{ host: one, isPlain: true }]),
  ]);
}

/** `host`, `host:port`, `user@host:path`, `-ohost`. */
function plainHosts(piece: string): NamedHost[] {
  const bare = piece.replace(/^-[A-Za-z](?=.)/, '');
  const names = [piece, bare, ...[piece, bare].flatMap((one) => one.split(/[@/]|:(?!:)/))];
  return [...new Set(names)].flatMap((name) => {
    if (name === '' || name.length > 253 || !/^[\w.[\]:-]+$/.test(name)) return [];
    const host = parseHost(`http://${name}/`);
    return host ? withMapped(host).map((one) => ({ host: one, isPlain: true })) : [];
  });
}

/** An IPv4 address in the form of an IPv6 one reaches the same machine. */
function withMapped(host: Host): Host[] {
  const [, high, low] = /^::(?:ffff:(?:0:)?)?([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(host.name) ?? [];
  if (high === undefined || low === undefined) return [host];
  const bytes = [high, low].flatMap((part) => {
    const number = Number.parseInt(part, 16);
    return [number >> 8, number & 255];
  });
  return [host, { ...host, name: bytes.join('.') }];
}
