import { isPlaceholderToken, looksRandom } from './secretValue.js';
import type { SecretRule } from './secretRule.js';

/** A token with a fixed prefix, as its provider publishes it. */
export interface TokenFormat {
  readonly label: string;
  readonly prefixes: readonly string[];
  /** The prefixes in lower case. */
  readonly keywords: readonly string[];
  /** Characters after the prefix, as a character class. */
  readonly alphabet: string;
  readonly minLength: number;
  readonly maxLength: number;
  /** Short or ordinary prefixes count only where no letter, digit or sign stands before them. */
  readonly standsAlone: boolean;
}

const alphanumeric = 'A-Za-z0-9';
const urlSafe = 'A-Za-z0-9_-';
const dotted = 'A-Za-z0-9_.-';
const hex = 'a-fA-F0-9';
const base64 = 'A-Za-z0-9+/=_-';

type Row = readonly [label: string, prefixes: string, alphabet: string, minLength: number, maxLength: number];

/** Prefixes that occur in no ordinary word: they count even glued to a name. */
const distinctive: readonly Row[] = [
  ['Recollect key', 'recollect_key_', urlSafe, 43, 43],
  ['GitHub token', 'ghp_ gho_ ghu_ ghs_ ghr_', alphanumeric, 30, 255],
  ['GitHub token', 'github_pat_', 'A-Za-z0-9_', 22, 255],
  ['GitLab token', 'glpat- gldt- glrt- glptt- glft- glsoat- glagent- glimt- gloas- glffct- glcbt-', dotted, 20, 320],
  ['GitLab token', 'GR1348941', urlSafe, 20, 40],
  ['Stripe key', 'sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_', alphanumeric, 10, 250],
  ['Stripe key', 'whsec_', base64, 24, 100],
  ['Google OAuth secret', 'GOCSPX-', urlSafe, 24, 40],
  ['Anthropic key', 'sk-ant-', urlSafe, 20, 250],
  ['OpenAI key', 'sk-proj- sk-svcacct- sk-admin- sk-None-', urlSafe, 20, 250],
  ['OpenRouter key', 'sk-or-v1- sk-or-', hex, 40, 80],
  ['Hugging Face token', 'api_org_', alphanumeric, 30, 60],
  ['Perplexity key', 'pplx-', alphanumeric, 40, 80],
  ['npm token', 'npm_', alphanumeric, 36, 36],
  ['PyPI token', 'pypi-AgEI', urlSafe, 40, 1000],
  ['RubyGems token', 'rubygems_', hex, 48, 48],
  ['Docker Hub token', 'dckr_pat_ dckr_oat_', urlSafe, 20, 60],
  ['DigitalOcean token', 'doo_v1_ dop_v1_ dor_v1_', hex, 64, 64],
  ['Shopify token', 'shpat_ shpca_ shppa_ shpss_ shptka_', hex, 32, 32],
  ['Square token', 'sq0atp- sq0csp- sq0idp-', urlSafe, 22, 60],
  ['Linear key', 'lin_api_ lin_oauth_ lin_wh_', alphanumeric, 32, 64],
  ['Notion token', 'ntn_', alphanumeric, 40, 50],
  ['Figma token', 'figd_ figo_ figoh_ figor_', urlSafe, 40, 64],
  ['Postman key', 'PMAK-', 'a-fA-F0-9-', 50, 64],
  ['Atlassian token', 'ATATT3 ATCTT3', base64, 24, 250],
  ['Databricks token', 'dapi', 'a-f0-9', 32, 32],
  ['Grafana token', 'glsa_', 'A-Za-z0-9_', 32, 50],
  ['Grafana token', 'glc_ eyJrIjoi', 'A-Za-z0-9+/=', 32, 400],
  ['HashiCorp token', 'hvs. hvb. hvr.', urlSafe, 24, 300],
  ['New Relic key', 'NRAK- NRJS- NRAA- NRRA- NRII-', 'A-Za-z0-9-', 19, 40],
  ['Sentry token', 'sntrys_ sntryu_', base64, 40, 400],
  ['PlanetScale token', 'pscale_tkn_ pscale_pw_ pscale_oauth_', 'A-Za-z0-9=._-', 32, 64],
  ['Supabase key', 'sbp_', hex, 40, 40],
  ['Supabase key', 'sb_secret_', urlSafe, 20, 60],
  ['Doppler token', 'dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.', dotted, 40, 60],
  ['Pulumi token', 'pul-', hex, 40, 40],
  ['Typeform token', 'tfp_', dotted, 32, 64],
  ['1Password token', 'ops_eyJ', base64, 60, 2000],
  ['age key', 'AGE-SECRET-KEY-1', 'A-Z0-9', 58, 58],
  [
    'Slack token',
    'xoxb- xoxa- xoxp- xoxe- xoxo- xoxr- xoxs- xoxc- xoxd- xoxe.xoxb- xoxe.xoxp-',
    'A-Za-z0-9-%',
    10,
    300,
  ],
  ['Heroku key', 'HRKU-', urlSafe, 30, 80],
  ['Netlify token', 'nfp_ nfc_ nfo_ nfu_', alphanumeric, 32, 60],
  ['Contentful token', 'CFPAT-', urlSafe, 40, 50],
  ['Artifactory token', 'cmVmdGtu cmVmdG', alphanumeric, 50, 70],
  ['Together key', 'tgp_v1_', urlSafe, 40, 50],
  ['Adobe secret', 'p8e-', alphanumeric, 32, 32],
  ['Clojars token', 'CLOJARS_', alphanumeric, 60, 60],
  ['Defined Networking token', 'dnkey-', urlSafe, 70, 90],
  ['Duffel token', 'duffel_test_ duffel_live_', base64, 43, 43],
  ['Dynatrace token', 'dt0c01. dt0s01. dt0s16.', 'A-Z0-9.', 80, 96],
  ['Flutterwave key', 'FLWSECK_TEST- FLWSECK-', 'A-Za-z0-9-', 12, 48],
  ['Fly.io token', 'fo1_ fm2_ fm1r_ fm1a_', 'A-Za-z0-9+/=_,-', 40, 2000],
  ['Frame.io token', 'fio-u-', urlSafe, 64, 64],
  ['Infracost key', 'ico-', alphanumeric, 32, 32],
  ['Intra42 secret', 's-s4t2ud- s-s4t2af-', hex, 64, 64],
  ['OpenShift token', 'sha256~', urlSafe, 43, 43],
  ['Prefect token', 'pnu_ pnb_', alphanumeric, 36, 36],
  ['ReadMe key', 'rdme_', alphanumeric, 70, 70],
  ['Scalingo token', 'tk-us-', urlSafe, 48, 48],
  ['Brevo key', 'xkeysib- xsmtpsib-', 'a-zA-Z0-9-', 64, 90],
  ['SettleMint token', 'sm_aat_ sm_pat_ sm_sat_', alphanumeric, 16, 16],
  ['Shippo token', 'shippo_live_ shippo_test_', hex, 40, 40],
  ['Sourcegraph token', 'sgp_', 'a-fA-F0-9_local', 40, 60],
  ['Sonar token', 'squ_ sqp_ sqa_', alphanumeric, 40, 40],
  ['Plaid token', 'access-sandbox- access-development- access-production-', 'a-f0-9-', 36, 36],
  ['Razorpay key', 'rzp_live_ rzp_test_', alphanumeric, 14, 24],
  ['Twitch token', 'oauth:', 'a-z0-9', 30, 30],
  ['Mapbox token', 'sk.eyJ', dotted, 60, 200],
  ['Nvidia key', 'nvapi-', urlSafe, 60, 80],
  ['Groq key', 'gsk_', alphanumeric, 40, 80],
  ['xAI key', 'xai-', alphanumeric, 60, 100],
  ['Tavily key', 'tvly-', urlSafe, 20, 60],
  ['Langfuse key', 'sk-lf-', 'a-f0-9-', 36, 36],
  ['LangSmith key', 'lsv2_pt_ lsv2_sk_', 'a-zA-Z0-9_', 30, 80],
  ['Pinecone key', 'pcsk_', 'A-Za-z0-9_', 50, 90],
  ['ElevenLabs key', 'xi_sk_', alphanumeric, 32, 64],
  ['Buildkite token', 'bkua_ bkaa_', alphanumeric, 40, 40],
  ['CircleCI token', 'CCIPAT_ CCIPRJ_', 'A-Za-z0-9_', 40, 90],
  ['Tailscale key', 'tskey-auth- tskey-api- tskey-client-', 'A-Za-z0-9-', 16, 80],
  ['ngrok token', 'ak_ng_', alphanumeric, 20, 60],
  ['Vercel token', 'vcp_ vca_ vci_ vcr_ vck_', alphanumeric, 24, 80],
  ['Neon key', 'napi_', alphanumeric, 40, 80],
  ['Cloudinary address', 'cloudinary://', 'A-Za-z0-9:@_-', 30, 100],
  ['Hetzner token', 'hcloud_', alphanumeric, 40, 80],
  ['Zapier webhook', 'hooks.zapier.com/hooks/catch/', 'A-Za-z0-9/', 10, 40],
  ['Age or Bitwarden key', 'bws.', dotted, 36, 120],
  ['PagerDuty token', 'pdus+', base64, 20, 60],
  ['Snyk token', 'snyk_uat. snyk_sat.', dotted, 60, 600],
  ['PayPal token', 'access_token$production$', 'a-z0-9$', 49, 49],
  ['PostHog key', 'phx_', alphanumeric, 40, 60],
  ['MailerSend token', 'mlsn.', hex, 64, 64],
  ['Apify token', 'apify_api_', alphanumeric, 30, 40],
  ['Ory token', 'ory_st_ ory_at_ ory_pat_', urlSafe, 30, 200],
  ['Stytch secret', 'secret-live- secret-test-', base64, 36, 60],
  ['Inngest key', 'signkey-prod- signkey-test-', hex, 32, 64],
  ['Django key', 'django-insecure-', '!#-&(-~', 30, 80],
  ['Airtable token', 'pat', 'A-Za-z0-9.', 79, 79],
];

/** Short prefixes that also begin words and names, or stand in Base64 by chance. */
const alone: readonly Row[] = [
  ['AWS access key', 'AKIA ASIA ABIA ACCA', 'A-Z0-9', 16, 16],
  ['Google API key', 'AIza', urlSafe, 33, 39],
  ['Google OAuth token', 'ya29.', urlSafe, 20, 800],
  ['Google OAuth token', '1//0', urlSafe, 40, 200],
  ['OpenAI key', 'sk-', alphanumeric, 32, 64],
  ['Hugging Face token', 'hf_', alphanumeric, 30, 60],
  ['Replicate token', 'r8_', alphanumeric, 30, 60],
  ['crates.io token', 'cio', alphanumeric, 32, 32],
  ['Notion token', 'secret_', alphanumeric, 40, 50],
  ['Twilio key', 'SK AC', 'a-f0-9', 32, 32],
  ['Mailgun key', 'key-', 'a-f0-9', 32, 32],
  ['Resend key', 're_', 'A-Za-z0-9_', 20, 50],
  ['HashiCorp token', 's. b.', alphanumeric, 24, 24],
  ['Octopus key', 'API-', 'A-Z0-9', 26, 32],
  ['Harness key', 'pat. sat.', dotted, 60, 80],
  ['Square token', 'EAAA', urlSafe, 56, 64],
  ['Bitbucket token', 'BBDC-', base64, 40, 60],
  ['Dropbox token', 'sl. sl.u.', base64, 100, 1500],
  ['NuGet key', 'oy2', 'a-z0-9', 43, 43],
  ['Nostr key', 'nsec1', 'a-z0-9', 58, 58],
  ['Render key', 'rnd_', alphanumeric, 28, 40],
  ['E2B key', 'e2b_', hex, 40, 40],
  ['Firecrawl key', 'fc-', 'a-f0-9', 32, 32],
  ['ClickHouse secret', '4b1d', alphanumeric, 38, 38],
  ['Cerebras key', 'csk-', alphanumeric, 40, 60],
  ['Bitbucket token', 'ATBB', base64, 24, 250],
  ['Artifactory key', 'AKCp AKCk', alphanumeric, 60, 80],
  ['Alibaba key', 'LTAI', alphanumeric, 12, 30],
  ['Amazon Bedrock key', 'ABSK', 'A-Za-z0-9+/=', 100, 280],
  ['EasyPost key', 'EZAK EZTK', alphanumeric, 54, 54],
  ['Facebook token', 'EAAM EAAC EAAG EAAB', alphanumeric, 90, 300],
  ['Yandex key', 'AQVN', urlSafe, 35, 38],
  ['Trello token', 'ATTA', hex, 64, 76],
  ['Bitcoin key', 'xprv zprv yprv', alphanumeric, 100, 112],
];

const toFormats = (rows: readonly Row[], standsAlone: boolean): TokenFormat[] =>
  rows.map(([label, prefixes, alphabet, minLength, maxLength]) => ({
    label,
    prefixes: prefixes.split(' '),
    keywords: prefixes.toLowerCase().split(' '),
    alphabet,
    minLength,
    maxLength,
    standsAlone,
  }));

export const tokenFormats: readonly TokenFormat[] = [...toFormats(distinctive, false), ...toFormats(alone, true)];

/** One rule per format: prefix, body, and nothing that goes on after it. */
export const tokenRules: readonly SecretRule[] = tokenFormats.map(
  ({ label, prefixes, keywords, alphabet, minLength, maxLength, standsAlone }) => ({
    label,
    keywords,
    pattern: new RegExp(
      `${standsAlone ? '(?<![A-Za-z0-9_-])' : ''}(?:${prefixes.map(escape).join('|')})[${alphabet}]{${minLength},${maxLength}}(?![A-Za-z0-9_-])`,
      'g',
    ),
    validate: it => !isPlaceholderToken(it),
  }),
);

function escape(literal: string): string {
  return literal.replace(/[.+/$]/g, '\\$&');
}

/** What may stand between the halves of a token that was cut: spaces, a line break with a hyphen, quotes, an operator. */
const jointPattern = /["'`][ \t]{0,3}(?:\+|\.{1,2}|,|&)\s{0,12}["'`]|-?[ \t"'`]{0,3}(?:\r?\n[ \t>"'`]{0,12}|[ \t"'`])/y;
const maxPieces = 8;

/** Spans of tokens that were cut into pieces, each of which looks like no part of a sentence. Linear. */
export function* findCutTokens(
  text: string,
  foldedText: string,
): Generator<{ label: string; start: number; end: number }> {
  for (const format of tokenFormats) {
    if (format.standsAlone) continue;
    const present = format.prefixes.filter((_, index) => foldedText.includes(format.keywords[index]!));
    for (const prefix of present) {
      for (let start = text.indexOf(prefix); start >= 0; start = text.indexOf(prefix, start + prefix.length)) {
        const end = endOfCutToken(text, start + prefix.length, format);
        if (end !== undefined) yield { label: format.label, start, end };
      }
    }
  }
}

function endOfCutToken(text: string, start: number, { alphabet, minLength }: TokenFormat): number | undefined {
  const run = new RegExp(`[${alphabet}]{0,400}`, 'y');
  let position = start;
  let length = 0;
  for (let piece = 0; piece < maxPieces; piece++) {
    run.lastIndex = position;
    const [characters = ''] = run.exec(text) ?? [];
    if (piece > 0 && !looksLikePiece(characters)) return undefined;
    length += characters.length;
    position += characters.length;
    jointPattern.lastIndex = position;
    const [joint = ''] = jointPattern.exec(text) ?? [];
    if (length >= minLength) {
      // Long enough: what follows belongs to it only if it can be nothing else.
      run.lastIndex = position + joint.length;
      const [rest = ''] = joint === '' ? [] : (run.exec(text) ?? []);
      if (rest.length >= 12 && looksRandom(rest)) return position + joint.length + rest.length;
      return piece === 0 ? undefined : position;
    }
    if (joint === '') return undefined;
    position += joint.length;
  }
  return undefined;
}

function looksLikePiece(characters: string): boolean {
  return characters.length >= 4 && /\d/.test(characters) && /[A-Za-z]/.test(characters);
}
