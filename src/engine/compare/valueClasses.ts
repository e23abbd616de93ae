/**
 * Values that exclude each other, by class: where one statement says one and another says a different one of the same
 * slot, they conflict. Entries are lower case, synonyms joined by `=`, several words by `_`; `^`: only where
 * it is written as a name (Go, `fetch`), for it is an everyday word too.
 */
export const valueTables: Readonly<Record<string, string>> = {
  // Tools and technologies.
  database:
    'postgres=postgresql=pg mysql mariadb sqlite mongodb=mongo oracle^ mssql=sql_server dynamodb cassandra couchdb cockroachdb redis firestore clickhouse bigquery snowflake duckdb neo4j supabase',
  cache: 'memcached valkey',
  'search engine': 'elasticsearch=elastic=elastic_search opensearch solr meilisearch typesense algolia lucene',
  'message queue': 'kafka rabbitmq sqs nats pulsar activemq redis_streams pub/sub=pubsub',
  'job runner': 'sidekiq goodjob resque celery bullmq cron temporal^ airflow',
  language:
    'javascript=js typescript=ts python java kotlin scala go^=golang rust^ ruby^ php perl c++ c# elixir erlang swift^ objective-c dart^ haskell clojure lua groovy zig',
  'spoken language':
    'english german french spanish italian dutch portuguese polish russian japanese chinese korean turkish swedish danish norwegian finnish czech',
  'frontend framework': 'react vue angular svelte solidjs=solid^ preact ember^ backbone jquery htmx lit^ alpine.js',
  'meta framework': 'next.js=nextjs nuxt remix sveltekit astro gatsby',
  'app framework': 'react_native flutter ionic xamarin cordova swiftui jetpack_compose electron tauri',
  'server framework':
    'express^ fastify koa^ nestjs=nest hapi hono django flask^ fastapi rails laravel symfony spring=spring_boot quarkus micronaut gin^ fiber^ phoenix^',
  'unit test runner': 'jest vitest mocha jasmine karma ava^ pytest unittest rspec minitest junit testng',
  'end-to-end test runner': 'playwright cypress selenium puppeteer webdriverio testcafe nightwatch',
  bundler: 'webpack vite rollup parcel esbuild turbopack rspack browserify gulp grunt swc',
  'package manager': 'npm yarn pnpm bun pip poetry pipenv uv conda',
  'build tool': 'maven gradle bazel make^ cmake ant^ npm_scripts just^',
  linter: 'eslint tslint biome standard^ airbnb xo oxlint flake8 pylint ruff rubocop',
  formatter: 'prettier black^ gofmt rustfmt dprint',
  'monorepo tool': 'lerna turborepo=turbo nx rush^',
  ci: 'circleci github_actions jenkins travis=travis_ci gitlab_ci azure_pipelines buildkite teamcity drone^',
  host: 'heroku fly.io=fly^ aws=amazon^ gcp=google_cloud azure vercel netlify render^ digitalocean hetzner railway linode',
  cdn: 'cloudflare fastly akamai cloudfront bunny^',
  'code host': 'github gitlab bitbucket gitea codeberg',
  tracker: 'jira linear^ asana trello clickup youtrack shortcut^ github_issues monday.com',
  chat: 'slack teams^=microsoft_teams discord mattermost zulip rocket.chat',
  'notes app': 'notion confluence obsidian evernote',
  'design tool': 'figma penpot sketch^ adobe_xd invision',
  orm: 'prisma typeorm sequelize drizzle knex mikroorm sqlalchemy hibernate activerecord',
  'state library': 'redux zustand mobx recoil^ jotai pinia vuex xstate',
  styling: 'tailwind bootstrap css_modules styled-components sass scss less^ emotion^ bulma vanilla-extract',
  'http client': 'axios fetch^ got^ ky superagent requests^ httpx',
  'date library': 'moment=moment.js date-fns dayjs=day.js luxon',
  logger: 'winston pino bunyan log4j loguru',
  monitoring: 'sentry rollbar bugsnag datadog=data_dog new_relic=newrelic grafana honeycomb',
  'feature flags': 'launchdarkly unleash^ flagsmith split.io growthbook',
  'email service': 'sendgrid postmark mailgun ses mailchimp resend^',
  'payment provider': 'stripe paypal adyen braintree mollie wise^',
  translation: 'i18next formatjs react-intl lingui',
  container: 'docker podman',
  orchestrator: 'kubernetes=k8s nomad docker_swarm ecs',
  infrastructure: 'terraform pulumi cloudformation opentofu ansible',
  'base image': 'alpine debian-slim=debian ubuntu distroless centos',
  'operating system': 'windows mac=macos linux',
  editor: 'vim=neovim=nvim vscode=vs_code emacs intellij webstorm sublime^ zed^ cursor^',
  hash: 'bcrypt argon2=argon2id scrypt pbkdf2 md5 sha-1=sha1 sha-256=sha256',
  'api style': 'rest graphql grpc soap trpc',
  authentication: 'jwt=jwts cookie=cookies oauth=oauth2 basic_auth saml api_key',
  'data format': 'json xml yaml csv toml protobuf parquet avro plain_text problem+json',
  license: 'mit apache-2.0=apache gpl agpl bsd mpl lgpl',
  shell: 'bash zsh fish^ powershell',
  'key type': 'uuid=uuids bigint serial ulid nanoid',
  'money type': 'float=floats decimal integer=integers=int',
  'version scheme': 'semver=semantic_versioning calver=calendar_versioning',
  // Style.
  'case style':
    'camelcase=camel_case snake_case pascalcase kebab-case=kebab_case uppercase=upper_case lowercase=lower_case screaming_snake_case upper_snake_case',
  indentation: 'tab=tabs space=spaces=leerzeichen',
  quotes: 'single_quotes=single-quotes=single_quote double_quotes=double-quotes=double_quote',
  separator: 'comma semicolon pipe',
  comparison: '== ===',
  exports: 'default_exports=default_export named_exports=named_export',
  'component style': 'class_components functional_components',
  merging: 'squash=squash-merge=squash_merge rebase fast-forward',
  workflow: 'trunk-based gitflow=git_flow',
  paradigm: 'composition inheritance',
  // Opposites.
  'on or off':
    'enabled=enable=enables=is_on=are_on=turned_on=switched_on=true=active disabled=disable=disables=turned_off=switched_off=is_off=are_off=false=inactive',
  'allowed or forbidden':
    'allowed=allow=fine=ok=okay=acceptable=permitted forbidden=forbid=banned=ban=prohibited=disallowed=unacceptable=fails_on=fail_on',
  'required or optional': 'required=require=mandatory=compulsory optional',
  'needed or skipped': 'need=needs skip=skips=bypass=bypasses',
  access: 'public private internal',
  timing: 'synchronous=sync asynchronous=async',
  theme: 'light dark',
  length: 'short=brief=concise=terse long=detailed=verbose',
  locking: 'optimistic pessimistic',
  deletion: 'soft=soft-delete=soft-deleted hard=hard-delete=hard-deleted',
  'repository layout': 'monorepo separate_repo=separate_repository=polyrepo',
  order: 'ascending descending',
  failure: 'swallow=swallows rethrow=throw=raise',
  mocking: 'mock=mocks=mocked=mocking real',
  direction: 'left right',
  mutability: 'mutable immutable',
  'time zone': 'utc local_time=local cet est pst gmt',
  rounding: 'half_up half-even=half_even bankers_rounding',
  'vcs branch': 'master main develop trunk',
  sorting: 'alphabetically=alphabetical grouped',
  // Time.
  weekday:
    'monday=mondays=mon tuesday=tuesdays=tue wednesday=wednesdays=wed thursday=thursdays=thu friday=fridays=fri saturday=saturdays=sat sunday=sundays=sun',
  month:
    'january=jan february=feb march^ april=apr may^ june july august=aug september=sep=sept october=oct november=nov december=dec',
  season: 'spring^ summer autumn=fall^ winter',
  frequency:
    'hourly daily=nightly=every_day=every_night=each_day weekly=every_week=once_a_week=each_week fortnightly=biweekly monthly=every_month quarterly yearly=annually',
};
