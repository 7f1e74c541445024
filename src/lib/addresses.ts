/**
 * IP addresses by their numbers. Without `node:net`, which takes longer to load than everything else that a first request
 * needs.
 */

/** 4, 6, or 0 for text that is not an address. An address with a zone (`fe80::1%eth0`) is not accepted. */
export function findAddressFamily(text: string): 0 | 4 | 6 {
  if (readFour(text) !== undefined) return 4;
  return text.includes(':') && readSix(text) !== undefined ? 6 : 0;
}

/**
 * Whether an IP address is on the public internet. All others are refused where an outsider chooses the address: this
 * machine, private and shared networks, link-local ones (where clouds keep their credentials), multicast, and ranges that are
 * reserved or embed another address.
 */
export function isPublicAddress(address: string): boolean {
  const four = readFour(address);
  if (four !== undefined) return !reservedFour.some((range) => isInRange(four, range));
  const six = readSix(address);
  if (six === undefined) return false;
  // Networks without IPv4 reach it through this prefix; the last four bytes are the real destination.
  if (six >> 32n === nat64Prefix) return isPublicAddress(formatFour(Number(six & 0xffff_ffffn)));
  return six >> 125n === 1n && !reservedSix.some(([prefix, bits]) => six >> BigInt(128 - bits) === prefix);
}

function readFour(text: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  if (!parts || parts.some((part) => part > 255)) return undefined;
  return parts.reduce((value, part) => value * 256 + part, 0);
}

/** The URL parser knows every way to write an address and normalizes them. */
function readSix(text: string): bigint | undefined {
  if (!/^[0-9a-fA-F:.]+$/.test(text) || !URL.canParse(`http://[${text}]/`)) return undefined;
  const [head = '', tail] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split('::');
  const groups = (part: string | undefined) => (part ? part.split(':') : []);
  const left = groups(head);
  const right = groups(tail);
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

function formatFour(value: number): string {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
}

type Range = readonly [network: string, bits: number];

function isInRange(value: number, [network, bits]: Range): boolean {
  const size = 2 ** (32 - bits);
  return Math.floor(value / size) === Math.floor((readFour(network) ?? 0) / size);
}

const reservedFour: readonly Range[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // A public address that leads to the host of a virtual machine and its credentials.
  ['168.63.129.16', 32],
];

const nat64Prefix = 0x64_ff9b_0000_0000_0000_0000n;

/** Within 2000::/3: protocol assignments (Teredo and others), documentation, 6to4, documentation again. */
const reservedSix: readonly (readonly [prefix: bigint, bits: number])[] = [
  [0x2001_00n >> 1n, 23],
  [0x2001_0db8n, 32],
  [0x2002n, 16],
  [0x3fff_0n, 20],
];
