import { getErrorCode } from '../lib/result.ts';
import { cleanText } from './providers/error.ts';

/** Why the network failed, in words, or undefined when it did not. Bun and Node name the same error differently. */
export function networkTrouble(error: unknown): string | undefined {
  const causes = listCauses(error);
  for (const code of causes.map((cause) => getErrorCode(cause) ?? '')) {
    if (/CERT|SELF_SIGNED|UNABLE_TO_/.test(code)) {
      return `its certificate is not trusted (${cleanText(code)}); add its authority with NODE_EXTRA_CA_CERTS`;
    }
    const words = troubles.find(([codes]) => codes.test(code))?.[1];
    if (words) return words;
  }
  if (causes.some((cause) => brokenConnection.test(cause.message))) return 'the connection was lost';
  const said = causes.map((cause) => /^Cannot connect to API: (.*)/s.exec(cause.message)?.[1]).find(Boolean);
  return said && cleanText(said);
}

/** True when it is certain that nothing was sent: there was no connection. */
export function isUnsent(error: unknown): boolean {
  return listCauses(error).some((cause) => neverSent.test(getErrorCode(cause) ?? ''));
}

const neverSent =
  /^(ECONNREFUSED|ConnectionRefused|ENOTFOUND|EAI_AGAIN|DNSException|DNS_.*|ENODATA|EHOSTUNREACH|ENETUNREACH|ENETDOWN|FailedToOpenSocket|.*CERT.*|SELF_SIGNED.*|UNABLE_TO_.*)$/;

/** The runtimes' messages that come without a code. */
const brokenConnection =
  /^(unable to connect|the socket connection was closed|fetch failed|other side closed|terminated$)/i;

/** An error and those behind it. */
export function listCauses(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error && causes.length < 6; cause = cause.cause)
    causes.push(cause);
  return causes;
}

const troubles: [codes: RegExp, words: string][] = [
  [/^(ECONNREFUSED|ConnectionRefused)$/, 'the connection was refused; nothing seems to be listening there'],
  [/^(ENOTFOUND|EAI_AGAIN|DNSException|DNS_.*|ENODATA)$/, 'the host name was not found'],
  [
    /^(ECONNRESET|EPIPE|ConnectionClosed|ConnectionReset|UND_ERR_SOCKET|ERR_STREAM_PREMATURE_CLOSE)$/,
    'the connection was closed by the other side',
  ],
  [
    /^(ETIMEDOUT|ConnectionTimeout|Timeout|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/,
    'it did not answer in time',
  ],
  [/^(EHOSTUNREACH|ENETUNREACH|ENETDOWN|FailedToOpenSocket)$/, 'there is no network route to it'],
  [
    /^(UnsupportedProxyProtocol|ProxyConnectionFailed|UND_ERR_ABORTED)$/,
    'the proxy refused the connection or failed',
  ],
];
