import { normalize } from 'node:path';

/**
 * Names that mean connections and not files: `/dev/tcp/HOST/PORT` of bash, in redirections, and `/inet/tcp/PORT/HOST/PORT` of
 * gawk, wherever it takes a file. Any awk may be gawk.
 */
export function isSocketName(path: string): boolean {
  return /^\/(?:dev\/(?:tcp|udp)|inet[46]?)(?:\/|$)/.test(normalize(path));
}

/** The host of such a name, and its port. */
export function readSocketName(path: string): { readonly host: string; readonly port: string } | undefined {
  const [, host, port] = socketForm.exec(normalize(path)) ?? [];
  return host === undefined ? undefined : { host, port: port ?? '' };
}

const socketForm = /^\/(?:dev\/(?:tcp|udp)|inet[46]?\/[^/]*\/[^/]*)\/([^/]+)(?:\/([^/]*))?/;
