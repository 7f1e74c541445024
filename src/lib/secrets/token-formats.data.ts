/** The characters after a prefix. */
export type Alphabet =
  | 'hex'
  | 'upper'
  | 'letters'
  | 'word'
  | 'name'
  | 'dotted'
  | 'base64'
  | 'key'
  | 'address';

/** A kind of token known by its prefix. */
export interface TokenFormat {
  /** Shown in its place. */
  readonly name: string;
  readonly prefixes: readonly string[];
  readonly of: Alphabet;
  /** Minimum number of characters after the prefix. */
  readonly least: number;
  /** The maximum; absent means unlimited. With it no more letters or digits may follow. */
  readonly most?: number;
  /** The prefix is a common one: the rest must contain digits and letters of both cases. */
  readonly mixed?: true;
}

const from = (
  name: string,
  prefixes: string,
  of: Alphabet,
  least: number,
  more: Pick<TokenFormat, 'most' | 'mixed'> = {},
): TokenFormat => ({ name, prefixes: prefixes.split(' '), of, least, ...more });

/** From the documentation of the services, and from public secret scanners. */
export const tokenFormats: readonly TokenFormat[] = [
  // Code hosting and CI.
  from('GitHub token', 'ghp_ gho_ ghu_ ghs_ ghr_', 'letters', 30),
  from('GitHub token', 'github_pat_', 'word', 40),
  from(
    'GitLab token',
    'glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glsoat- glimt- glagent- glwt- glffct- gloas-',
    'dotted',
    20,
  ),
  from('Bitbucket password', 'ATBB', 'name', 24),
  from('Atlassian token', 'ATATT3 ATCTT3 ATSTT3', 'base64', 60),
  from('Trello token', 'ATTA', 'hex', 64),
  from('Buildkite token', 'bkua_ bkaj_ bkct_', 'letters', 30),
  from('CircleCI token', 'CCIPAT_ CCIPRJ_', 'name', 30),
  from('SonarQube token', 'squ_ sqp_ sqa_', 'hex', 40),
  from('Docker token', 'dckr_pat_ dckr_oat_', 'name', 24),
  from('npm token', 'npm_', 'letters', 36),
  from('PyPI token', 'pypi-AgEI pypi-AgEN', 'name', 50),
  from('RubyGems key', 'rubygems_', 'hex', 48),
  from('crates.io token', 'cio', 'letters', 32, { most: 32, mixed: true }),
  from('Sourcegraph token', 'sgp_', 'word', 40),
  from('Clojars token', 'CLOJARS_', 'letters', 60),
  from('JFrog key', 'AKCp', 'letters', 60),
  from('NuGet key', 'oy2', 'letters', 43, { most: 43, mixed: true }),
  // Clouds and hosts.
  from('AWS key', 'AKIA ASIA ABIA ACCA', 'upper', 16, { most: 16 }),
  from('Google key', 'AIza', 'name', 35, { most: 35 }),
  from('Google token', 'ya29.', 'dotted', 30),
  from('Google secret', 'GOCSPX-', 'name', 24),
  from('Google refresh token', '1//0', 'name', 40),
  from('DigitalOcean token', 'dop_v1_ doo_v1_ dor_v1_', 'hex', 64),
  from('Alibaba key', 'LTAI', 'letters', 16, { most: 24, mixed: true }),
  from('Tencent key', 'AKID', 'letters', 32, { most: 32, mixed: true }),
  from('Yandex key', 'AQVN', 'name', 35, { mixed: true }),
  from('Heroku key', 'HRKU-', 'name', 30),
  from('Fly.io token', 'fo1_ fm1r_ fm1a_ fm2_', 'base64', 40),
  from('Netlify token', 'nfp_ nfc_ nfo_ nfu_', 'letters', 30),
  from('Vercel token', 'vcp_ vci_ vca_ vcr_ vck_', 'letters', 24, { mixed: true }),
  from('Render key', 'rnd_', 'letters', 28),
  from('Cloudflare key', 'v1.0-', 'name', 150),
  from('Supabase key', 'sbp_', 'hex', 40),
  from('Supabase key', 'sb_secret_', 'name', 20),
  from('PlanetScale token', 'pscale_tkn_ pscale_pw_ pscale_oauth_', 'dotted', 30),
  from('Neon key', 'napi_', 'letters', 40),
  from('Databricks token', 'dapi', 'hex', 32),
  from('Pulumi token', 'pul-', 'hex', 40, { most: 40 }),
  from('Vault token', 'hvs. hvb. hvr.', 'name', 24),
  from('Vault token', 's. b.', 'letters', 24, { most: 24, mixed: true }),
  from('Terraform token', 'atlasv1.', 'name', 60),
  from('Doppler token', 'dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.', 'dotted', 40),
  from('1Password token', 'ops_eyJ', 'base64', 100),
  from('Tailscale key', 'tskey-', 'name', 20),
  from('OpenShift token', 'sha256~', 'name', 43, { most: 43 }),
  from('age key', 'AGE-SECRET-KEY-1 AGE-PLUGIN-', 'upper', 40),
  // Models.
  from('OpenAI key', 'sk-proj- sk-svcacct- sk-admin- sk-None-', 'name', 30),
  from('Anthropic key', 'sk-ant-', 'name', 30),
  from('OpenRouter key', 'sk-or-v1-', 'hex', 64),
  from('API key', 'sk-', 'letters', 32, { mixed: true }),
  from('Hugging Face token', 'hf_ api_org_', 'letters', 30),
  from('Groq key', 'gsk_', 'letters', 40),
  from('xAI key', 'xai-', 'letters', 60),
  from('Perplexity key', 'pplx-', 'letters', 40),
  from('Replicate token', 'r8_', 'letters', 36),
  from('LangSmith key', 'lsv2_pt_ lsv2_sk_', 'word', 32),
  from('Pinecone key', 'pcsk_', 'word', 50),
  from('ElevenLabs key', 'sk_', 'hex', 48, { most: 48 }),
  // Money, mail and messages.
  from('Stripe key', 'sk_live_ sk_test_ rk_live_ rk_test_', 'letters', 16),
  from('Stripe secret', 'whsec_', 'base64', 24),
  from('Square token', 'sq0atp- sq0csp- sq0idp-', 'name', 22),
  from('Square token', 'EAAAE EAAAl', 'name', 55, { most: 59 }),
  from('Shopify token', 'shpat_ shpca_ shppa_ shpss_ shptka_', 'hex', 32),
  from('Plaid token', 'access-production- access-sandbox- access-development-', 'name', 36),
  from('Flutterwave key', 'FLWSECK- FLWSECK_TEST-', 'name', 32),
  from('EasyPost key', 'EZAK EZTK', 'letters', 54, { most: 54 }),
  from('Shippo token', 'shippo_live_ shippo_test_', 'hex', 40),
  from('Duffel token', 'duffel_live_ duffel_test_', 'name', 40),
  from(
    'Slack token',
    'xoxb- xoxp- xoxa- xoxo- xoxr- xoxs- xoxc- xoxd- xoxe- xoxe.xoxp- xoxe.xoxb- xapp-',
    'name',
    20,
  ),
  from('Twilio key', 'SK', 'hex', 32, { most: 32 }),
  from('SendGrid key', 'SG.', 'dotted', 50),
  from('Mailgun key', 'key-', 'hex', 32, { most: 32 }),
  from('Brevo key', 'xkeysib- xsmtpsib-', 'name', 64),
  from('Resend key', 're_', 'word', 28, { mixed: true }),
  from('HubSpot token', 'pat-na1- pat-na2- pat-eu1- pat-ap1-', 'name', 36),
  // Project management and monitoring.
  from('Linear key', 'lin_api_ lin_oauth_', 'letters', 32),
  from('Notion key', 'secret_', 'letters', 43, { most: 43 }),
  from('Notion key', 'ntn_', 'letters', 40),
  from('Figma token', 'figd_ figo_ figu_', 'name', 36),
  from('Postman key', 'PMAK-', 'name', 50),
  from('Contentful token', 'CFPAT-', 'name', 40),
  from('Typeform token', 'tfp_', 'dotted', 40),
  from('Frame.io token', 'fio-u-', 'name', 60),
  from('ReadMe key', 'rdme_', 'letters', 60),
  from('Prefect key', 'pnu_ pnb_', 'letters', 36),
  from('Adobe secret', 'p8e-', 'letters', 32),
  from('Grafana token', 'glc_ glsa_', 'base64', 32),
  from('New Relic key', 'NRAK- NRII- NRJS- NRRA- NRIQ-', 'name', 19),
  from('Sentry token', 'sntrys_', 'base64', 50),
  from('Sentry token', 'sntryu_', 'hex', 64),
  from('Dynatrace token', 'dt0c01. dt0s01. dt0s02. dt0s03. dt0s04. dt0s06. dt0s08. dt0s16.', 'dotted', 60),
  from('Mapbox token', 'sk.eyJ', 'dotted', 60),
  from('Dropbox token', 'sl.', 'name', 100),
];
