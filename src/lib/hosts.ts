import { findAddressFamily } from './addresses.ts';

/** A server as rules name it: lower case, punycode, no brackets, no trailing dot; always with a port. */
export interface Host {
  readonly name: string;
  readonly port: string;
}

/** Undefined if it is not a plain http(s) address. A user name and password are not part of the result. */
export function parseHost(address: string): Host | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  const standard = url.protocol === 'https:' ? '443' : url.protocol === 'http:' ? '80' : undefined;
  if (standard === undefined || url.username !== '' || url.password !== '') return undefined;
  const name = plainName(url.hostname);
  return name === '' ? undefined : { name, port: url.port || standard };
}

/** `name`, `*.name` (all below it) or `*`, each optionally with a port. */
export interface DomainPattern {
  /** Empty for every host. */
  readonly name: string;
  readonly below: boolean;
  readonly port?: string;
}

/** Undefined when it is not valid. */
export function parseDomain(text: string): DomainPattern | undefined {
  const [, star, rest = '', port] = /^(\*\.?)?(.*?)(?::(\d{1,5}))?$/s.exec(bracketed(text.trim())) ?? [];
  const withPort = port === undefined ? {} : { port: String(Number(port)) };
  if (star === '*' && rest === '') return { name: '', below: true, ...withPort };
  if (star === '*' || !/^[^\s*/\\?#@,;|.][^\s*/\\?#@,;|]*$/.test(rest)) return undefined;
  const address = `http://${rest}/`;
  if (!URL.canParse(address)) return undefined;
  const { hostname, port: second } = new URL(address);
  const name = plainName(hostname);
  if (name === '' || second !== '') return undefined;
  return { name, below: star !== undefined, ...withPort };
}

/**
 * Whether a pattern matches this host. In a refusal `*.name` also matches the name itself: a user who blocks all subdomains
 * does not want to leave the domain open.
 */
export function matchesDomain(pattern: DomainPattern, host: Host, refuses: boolean): boolean {
  if (pattern.port !== undefined && pattern.port !== host.port) return false;
  if (!pattern.below) return pattern.name === host.name;
  if (pattern.name === '' || host.name.endsWith(`.${pattern.name}`)) return true;
  return refuses && host.name === pattern.name;
}

/** How a rule would name this host and no other. The port is included only where it is not a usual one. */
export function formatHost({ name, port }: Host): string {
  const written = findAddressFamily(name) === 6 ? `[${name}]` : name;
  return port === '80' || port === '443' ? written : `${written}:${port}`;
}

/** Names that resolve within a machine or a network, whatever the resolver. */
export function isLocalName(name: string): boolean {
  if (findAddressFamily(name) !== 0) return false;
  return !name.includes('.') || localEndings.some((ending) => name === ending || name.endsWith(`.${ending}`));
}

const localEndings = [
  ...['localhost', 'localdomain', 'local', 'internal', 'intranet', 'private', 'lan', 'corp', 'home'],
  ...['home.arpa', 'in-addr.arpa', 'ip6.arpa', 'test', 'invalid', 'onion'],
];

function plainName(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
}

function bracketed(text: string): string {
  return findAddressFamily(text) === 6 ? `[${text}]` : text;
}
