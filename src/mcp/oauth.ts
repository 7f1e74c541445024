import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { randomIds } from '../lib/ids.ts';
import type { AuthStore } from './auth-store.ts';
import type { RemoteTransport } from './config.ts';

/** A server requires the user to log in, and there is no user to do it. */
export class NeedsLogin extends Error {}

export interface LoginOptions {
  server: RemoteTransport;
  store: AuthStore;
  /** Where the browser returns to. */
  redirectUrl: string;
  /** Sends the user to the authority's page. */
  open(url: URL): void | Promise<void>;
}

/** OAuth for one server: authorisation code with PKCE; tokens are stored, and renewed automatically. */
export class LoginProvider implements OAuthClientProvider {
  /** The state that the authority must return, so that another user's code cannot be injected. */
  readonly stateToken = randomIds.token(32);
  #verifier = '';

  constructor(private readonly options: LoginOptions) {}

  get redirectUrl(): string {
    return this.options.redirectUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { oauth } = this.options.server;
    return {
      client_name: 'Cadre',
      redirect_uris: [this.options.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: oauth?.scope,
      token_endpoint_auth_method: oauth?.clientSecret === undefined ? 'none' : undefined,
    };
  }

  state(): string {
    return this.stateToken;
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    const { oauth } = this.options.server;
    if (oauth?.clientId === undefined) return this.#read()?.client;
    return { client_id: oauth.clientId, client_secret: oauth.clientSecret };
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    await this.#change({ client });
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#read()?.tokens;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    await this.#change({ tokens });
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    await this.options.open(url);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#read()?.discovery;
  }

  async saveDiscoveryState(discovery: OAuthDiscoveryState): Promise<void> {
    await this.#change({ discovery });
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    if (scope === 'verifier') this.#verifier = '';
    if (scope === 'all' || scope === 'client') await this.#change({ client: undefined });
    if (scope === 'all' || scope === 'tokens') await this.#change({ tokens: undefined });
    if (scope === 'all' || scope === 'discovery') await this.#change({ discovery: undefined });
  }

  #read() {
    return this.options.store.read(this.options.server.url);
  }

  async #change(change: Parameters<AuthStore['change']>[1]): Promise<void> {
    const changed = await this.options.store.change(this.options.server.url, change);
    if (!changed.ok) throw new Error(changed.problem.message);
  }
}

/** For a session without a browser: uses and renews what `cadre mcp login` has stored, and nothing more. */
export function storedLogin(server: RemoteTransport, store: AuthStore): LoginProvider | undefined {
  if (!store.read(server.url)?.tokens) return undefined;
  return new LoginProvider({
    server,
    store,
    redirectUrl: loopback(server.oauth?.callbackPort ?? 0),
    async open(url) {
      const scope = url.searchParams.get('scope');
      if (scope !== null) await store.change(server.url, { wantedScope: scope });
      throw new NeedsLogin('its stored login lacks a required scope, or is no longer accepted');
    },
  });
}

export function loopback(port: number): string {
  return `http://127.0.0.1:${port}/callback`;
}
