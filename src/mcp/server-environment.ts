import { delimiter, isAbsolute } from 'node:path';

/**
 * Variables that any program needs to find its files, its network and its language. Keys and tokens are not included.
 */
const basics: readonly string[] = [
  ...['HOME', 'PATH', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'TZ', 'TMPDIR', 'LANG', 'LANGUAGE'],
  ...['XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
];

/** The environment of a server's process: the basics, and the variables of its configuration. Nothing else of ours. */
export function serverEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  named: Readonly<Record<string, string>>,
  projectDirectory: string,
): Record<string, string> {
  const kept = Object.entries(ours).flatMap(([name, value]) =>
    value !== undefined && (basics.includes(name) || name.startsWith('LC_')) ? [[name, value] as const] : [],
  );
  const environment: Record<string, string> = {
    ...Object.fromEntries(kept),
    CLAUDE_PROJECT_DIR: projectDirectory,
  };
  // A relative part would find a program in whatever repository the session works in.
  const path = (environment.PATH ?? '/usr/local/bin:/usr/bin:/bin').split(delimiter).filter(isAbsolute);
  return { ...environment, PATH: path.join(delimiter), ...named };
}
