/**
 * Tools and technologies by class. A project mostly has one of each class, so that two names suffice for a change.
 *
 * In this file, two statements with different values of one class in the same slot conflict. Entries are lower case,
 * synonyms joined by `=`, the words of one expression by `_`. A value with `^` is an everyday word too and counts only
 * if it is written as a name (Go, `fetch`).
 */
export const toolCategories: Readonly<Record<string, string>> = {
  database:
    'postgres=postgresql=pg mysql mariadb sqlite mongodb=mongo oracle^ mssql=sql_server dynamodb cassandra couchdb cockroachdb redis firestore clickhouse bigquery snowflake duckdb neo4j supabase influxdb timescaledb=timescale scylladb redshift etcd rocksdb planetscale',
  cache: 'memcached valkey varnish',
  'search engine': 'elasticsearch=elastic=elastic_search opensearch solr meilisearch typesense algolia lucene',
  'message queue': 'kafka rabbitmq sqs nats pulsar activemq redis_streams pub/sub=pubsub',
  'job runner':
    'sidekiq goodjob resque celery bullmq cron temporal^ airflow dagster prefect luigi argo_workflows kubeflow',
  language:
    'javascript=js typescript=ts python java kotlin scala go^=golang rust^ ruby^ php perl c++ c# elixir erlang swift^ objective-c dart^ haskell clojure lua groovy zig julia^ fortran cobol ocaml f# solidity',
  'spoken language':
    'english=englisch=inglés german=deutsch french=französisch=français spanish=español italian dutch portuguese polish russian japanese chinese korean turkish swedish danish norwegian finnish czech',
  'frontend framework': 'react vue angular svelte solidjs=solid^ preact ember^ backbone jquery htmx lit^ alpine.js',
  'meta framework': 'next.js=nextjs nuxt remix sveltekit astro gatsby',
  'app framework': 'react_native flutter ionic xamarin cordova swiftui jetpack_compose electron tauri',
  'server framework':
    'express^ fastify koa^ nestjs=nest hapi hono django flask^ fastapi rails laravel symfony spring=spring_boot quarkus micronaut gin^ fiber^ phoenix^',
  'unit test runner': 'jest vitest mocha jasmine karma ava^ pytest unittest rspec minitest junit testng',
  'end-to-end test runner': 'playwright cypress selenium puppeteer webdriverio testcafe nightwatch',
  bundler: 'webpack vite rollup parcel esbuild turbopack rspack rolldown browserify gulp grunt swc babel',
  'package manager': 'npm yarn pnpm bun pip poetry pipenv uv conda homebrew=brew conan vcpkg nuget composer',
  'build tool':
    'maven gradle bazel make^=makefile=makefiles cmake ant^ npm_scripts just^ meson ninja^ scons msbuild sbt',
  linter: 'eslint tslint biome standard^ airbnb xo oxlint flake8 pylint ruff rubocop clang-tidy cppcheck golangci-lint',
  formatter: 'prettier black^ gofmt rustfmt dprint clang-format yapf autopep8',
  'monorepo tool': 'lerna turborepo=turbo nx rush^',
  ci: 'circleci github_actions jenkins travis=travis_ci gitlab_ci azure_pipelines buildkite teamcity drone^ bamboo woodpecker',
  host: 'heroku fly.io=fly^ aws=amazon^ gcp=google_cloud azure vercel netlify render^ digitalocean hetzner railway linode',
  cdn: 'cloudflare fastly akamai cloudfront bunny^ keycdn',
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
  monitoring:
    'sentry rollbar bugsnag datadog=data_dog new_relic=newrelic grafana honeycomb prometheus zabbix nagios cloudwatch splunk kibana loki opsgenie pagerduty',
  'feature flags': 'launchdarkly unleash^ flagsmith split.io growthbook',
  'email service': 'sendgrid postmark mailgun ses mailchimp resend^',
  'payment provider': 'stripe paypal adyen braintree mollie wise^',
  translation: 'i18next formatjs react-intl lingui',
  container: 'docker podman containerd',
  orchestrator: 'kubernetes=k8s nomad docker_swarm ecs docker_compose',
  infrastructure: 'terraform pulumi cloudformation opentofu ansible puppet^ chef^ saltstack',
  'base image': 'alpine debian-slim=debian ubuntu distroless centos',
  'operating system': 'windows mac=macos linux',
  editor: 'vim=neovim=nvim vscode=vs_code emacs intellij webstorm sublime^ zed^ cursor^',
  hash: 'bcrypt argon2=argon2id scrypt pbkdf2 md5 sha-1=sha1 sha-256=sha256',
  'api style': 'rest graphql grpc soap trpc',
  authentication:
    'jwt=jwts cookie=cookies oauth=oauth2 basic_auth saml api_key=api_keys mtls openid=oidc passkeys=passkey magic_link=magic_links password=passwords',
  'data format':
    'json xml yaml csv toml protobuf=protocol_buffers parquet avro plain_text problem+json messagepack=msgpack cbor flatbuffers thrift hdf5 markdown asciidoc restructuredtext html pdf',
  license: 'mit apache-2.0=apache gpl agpl bsd mpl lgpl',
  shell: 'bash zsh fish^ powershell nushell',
  'data type':
    'uuid=uuids bigint auto-increment=autoincrement serial ulid nanoid float=floats decimal integer=integers=int string varchar boolean',
  'version scheme': 'semver=semantic_versioning calver=calendar_versioning',
  'version control': 'git mercurial svn=subversion perforce fossil^',
  proxy: 'nginx traefik haproxy caddy envoy apache_httpd',
  'service mesh': 'istio linkerd consul_connect',
  'object storage': 's3 gcs minio azure_blob_storage=azure_blob=blob_storage r2 backblaze terraform_cloud nfs',
  'secret store':
    'vault^=hashicorp_vault secrets_manager sops doppler 1password=one_password bitwarden lastpass keepass',
  'identity provider': 'auth0 okta keycloak cognito clerk^ firebase_auth entra=azure_ad',
  registry: 'pypi artifactory nexus^ crates.io dockerhub=docker_hub ghcr ecr harbor^ npm_registry github_packages',
  vpn: 'wireguard openvpn ipsec tailscale zerotier',
  'machine learning framework': 'pytorch=torch tensorflow=tf jax keras scikit-learn=sklearn xgboost lightgbm mxnet',
  'data frames': 'pandas polars spark=pyspark dask vaex',
  optimizer: 'adam^ adamw sgd rmsprop adagrad lion^',
  'experiment tracker': 'mlflow wandb=weights_and_biases tensorboard neptune^ comet^ dvc',
  'activation function': 'relu gelu silu sigmoid tanh swish',
  'number precision':
    'fp16=half_precision fp32=float32=single_precision bf16=bfloat16 fp64=float64=double_precision int8 fp8',
  processor: 'cpu=cpus gpu=gpus tpu=tpus fpga=fpgas npu',
  architecture: 'x86=x86_64=amd64 arm=arm64=aarch64 risc-v=riscv mips wasm=webassembly',
  'game engine': 'unity^ unreal^ godot bevy gamemaker cryengine',
  'graphics interface': 'vulkan opengl directx=direct3d metal^ webgpu webgl',
  'real-time system': 'freertos zephyr^ threadx rtems vxworks bare_metal',
  compiler: 'gcc clang msvc tcc icc',
  'fieldbus or link': 'spi i2c uart can_bus rs485 modbus usb ethernet bluetooth=ble zigbee lora wifi=wi-fi',
  'transport protocol': 'tcp udp quic mqtt websocket=websockets http_2 http_3 amqp zeromq=zmq sse=server-sent_events',
  debugger: 'gdb lldb windbg valgrind',
  'type checker': 'mypy pyright pyre flow^',
  'documentation site':
    'docusaurus mkdocs sphinx vitepress gitbook readthedocs jekyll hugo^ storybook typedoc javadoc doxygen',
  'component kit': 'mui=material-ui=material_ui ant_design=antd chakra=chakra_ui shadcn mantine radix vuetify',
  charts: 'd3=d3.js chart.js echarts recharts plotly highcharts matplotlib seaborn',
  maps: 'leaflet mapbox google_maps openlayers maplibre',
  validation: 'zod yup joi ajv valibot pydantic marshmallow',
  'content management': 'wordpress contentful strapi sanity^ drupal ghost^ storyblok',
  shop: 'shopify magento woocommerce medusa^',
  analytics: 'google_analytics plausible matomo mixpanel amplitude posthog',
  'business intelligence': 'tableau metabase looker power_bi superset',
  browser: 'chrome firefox safari^ edge^ brave^ chromium webkit',
  distribution: 'fedora arch_linux rhel=red_hat nixos suse rocky_linux amazon_linux',
  'file system': 'ext4 zfs btrfs xfs ntfs',
  meeting: 'zoom^ google_meet jitsi webex',
  assistant: 'copilot claude^ chatgpt gemini^ codeium',
  compression: 'gzip brotli zstd=zstandard lz4 snappy bzip2 deflate lzma',
  encryption: 'aes-128 aes-256 chacha20 rsa ed25519 ecdsa',
  'image format': 'png webp jpeg=jpg avif svg gif tiff heic',
  'video format': 'h264 h265=hevc av1 vp9 mp4 webm',
  'audio format': 'wav mp3 flac opus^ ogg aac',
  encoding: 'utf-8=utf8 utf-16=utf16 latin-1=latin1=iso-8859-1 ascii base64',
  'line ending': 'lf crlf',
  'number base': 'hexadecimal=hex octal binary',
  currency: 'dollar=dollars=usd euro=euros=eur pounds=gbp yen=jpy francs=chf',
  'unit system': 'metric=millimetres=millimeters=centimetres=centimeters imperial=inches=feet',
  'temperature unit': 'celsius fahrenheit kelvin',
  'angle unit': 'degrees radians',
};

/** Tools of which a project often uses several: "we use Go" does not take back "we use Rust". */
export const severalInUse: ReadonlySet<string> = new Set([
  'database',
  'message queue',
  'language',
  'spoken language',
  'host',
  'infrastructure',
  'monitoring',
  'payment provider',
  'shell',
  'editor',
  'browser',
  'operating system',
  'distribution',
  'assistant',
  'authentication',
  'api style',
  'transport protocol',
  'data format',
  'data type',
  'compression',
  'image format',
  'video format',
  'audio format',
  'processor',
  'architecture',
  'machine learning framework',
]);

/** Styles and antonyms, which need a subject. */
export const antonyms: Readonly<Record<string, string>> = {
  'case style':
    'camelcase=camel_case snake_case pascalcase=pascal_case=uppercamelcase kebab-case=kebab_case uppercase=upper_case lowercase=lower_case screaming_snake_case=screaming_case=upper_snake_case train-case',
  indentation: 'tab=tabs space=spaces=leerzeichen',
  quotes: 'single_quotes=single-quotes=single_quote double_quotes=double-quotes=double_quote',
  separator: 'comma semicolon pipe',
  comparison: '== ===',
  exports: 'default_exports=default_export named_exports=named_export',
  'component style': 'class_components functional_components',
  merging: 'squash=squash-merge=squash_merge=squashed=squashing rebase=rebased=rebasing fast-forward',
  workflow: 'trunk-based=trunk_based gitflow=git_flow github_flow',
  paradigm: 'composition inheritance',
  methodology: 'scrum kanban waterfall scrumban',
  'on or off':
    'enabled=enable=enables=on_by_default=on_in=turned_on=switched_on=true=active disabled=disable=disables=turned_off=switched_off=is_off=are_off=false=inactive',
  'allowed or forbidden':
    'allowed=allow=fine=ok=okay=acceptable=permitted forbidden=forbid=banned=ban=prohibited=disallowed=unacceptable=fails_on=fail_on',
  'required or optional': 'required=require=mandatory=compulsory optional',
  'needed or skipped': 'need=needs skip=skips=bypass=bypasses',
  access: 'public private internal',
  timing: 'synchronous=sync asynchronous=async=in_the_background=background_job',
  theme: 'light dark',
  length: 'short=brief=concise=terse long=detailed=verbose',
  locking: 'optimistic pessimistic',
  deletion: 'soft=soft-delete=soft-deleted hard=hard-delete=hard-deleted',
  'repository layout': 'monorepo separate_repo=separate_repository=polyrepo',
  order: 'ascending descending',
  effort: 'manual=manually=by_hand automatic=automatically=auto-generated',
  'who may': 'only everyone=anyone=everybody both',
  failure: 'swallow=swallows rethrow=throw=raise',
  mocking: 'mock=mocks=mocked=mocking real',
  direction: 'left right',
  mutability: 'mutable immutable',
  'time zone': 'utc local_time=local cet^ est^ pst^ gmt',
  rounding: 'half_up half-even=half_even bankers_rounding',
  'vcs branch': 'master main develop trunk',
  sorting: 'alphabetically=alphabetical grouped',
  'isolation level': 'read_committed read_uncommitted repeatable_read serializable snapshot_isolation',
  repetition: 'recursion=recursive=recursively iteration=iterative=iteratively',
  stability: 'stable experimental=unstable=beta',
  'kind of thread': 'main_thread worker_thread=background_thread ui_thread',
  colour: 'red blue green yellow orange purple pink black white grey=gray teal',
  'queue order': 'fifo lifo',
  endianness: 'big_endian=big-endian little_endian=little-endian',
  'matrix order': 'row-major=row_major column-major=column_major',
  spelling: 'british=uk_english american=us_english',
  evaluation: 'eager=eagerly lazy=lazily',
  typing: 'static=statically dynamic=dynamically',
  clarity: 'explicit=explicitly implicit=implicitly',
  'grammatical number': 'singular plural',
  addressing: 'relative absolute',
  place: 'trailing=postfix leading',
  height: 'above below',
  position: 'top bottom middle',
  initiative: 'opt-in=opt_in opt-out=opt_out',
  concurrency: 'sequential=sequentially=serially=one_by_one parallel=concurrently=simultaneously',
  'kept state': 'stateful stateless',
  sign: 'signed unsigned',
  visibility: 'visible=shown hidden=invisible',
  protection: 'encrypted=encrypt unencrypted=plaintext=cleartext',
  lasting: 'temporary permanent ephemeral persistent',
  'case matters': 'case-sensitive=case_sensitive case-insensitive=case_insensitive=ignores_case=ignore_case',
  blocking: 'blocking non-blocking=nonblocking',
  sharing: 'shared=share separate=dedicated=isolated=its_own=their_own',
  centre: 'centralised=centralized=central decentralised=decentralized=distributed',
  orientation: 'landscape portrait',
  axis: 'horizontal=horizontally vertical=vertically',
  list: 'allowlist=whitelist denylist=blacklist=blocklist',
  delivery: 'at_least_once at_most_once exactly_once exactly-once at-least-once at-most-once',
  consistency: 'eventual=eventually_consistent strong=strongly_consistent',
  structure: 'monolith=monolithic microservices=microservice serverless modular_monolith',
  rendering: 'server-side=server_side=ssr client-side=client_side=csr',
  premises: 'on-prem=on-premise=on-premises=on_prem in_the_cloud=cloud=cloud-based',
  workplace: 'office remote=remotely=from_home',
  register: 'formal informal casual',
  rollout: 'blue-green canary rolling big-bang',
  machine: 'stack-based=stack_based register-based=register_based',
  chance: 'random=randomly=random_seed fixed=fixed_seed=deterministic=constant',
  overflow: 'wrap=wraps=wraps_around panic=panics trap=traps saturate=saturates',
  reaction: 'warn=warning=warnings fatal=hard_error',
  pagination: 'cursor-based=cursor_based offset-based=offset_based keyset page-based',
  'kept or thrown away': 'keep=preserve=retain discard=strip=clear=cleared=wipe=purge',
  'by whom': 'in-house=inhouse outsourced contractor=contractors=agency=freelancer=freelancers',
  voice: 'imperative_mood past_tense present_tense',
  person: 'first_person second_person third_person',
  sources: 'open-source=open_source=open-sourced proprietary=closed-source=closed_source',
  approach: 'top-down=top_down bottom-up=bottom_up',
  'test order': 'test-first=test_first test-last tdd',
  'data model': 'normalised=normalized denormalised=denormalized',
  transfer: 'push-based=push_based pull-based=pull_based',
};

/** Languages, besides English, in which the days of the week are known. */
const weekdayLocales = ['de', 'fr', 'es', 'it', 'pt', 'nl'];
/** A Monday. */
const firstWeekday = Date.UTC(2024, 0, 1);

/** The names of a weekday in all languages, in lower case, joined as synonyms: 0 is Monday. */
function weekdayNames(english: string, weekday: number): string {
  const date = new Date(firstWeekday + weekday * 86_400_000);
  const names = weekdayLocales.map(locale =>
    new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' }).format(date).toLowerCase(),
  );
  // "Montags", "les lundis", "los sábados": on every one.
  const plurals = names.filter(it => !it.endsWith('s')).map(it => `${it}s`);
  return [english, ...names, ...plurals].join('=');
}

/** Values of time by class. */
export const timeValues: Readonly<Record<string, string>> = {
  weekday: [
    'monday=mondays=mon',
    'tuesday=tuesdays=tue',
    'wednesday=wednesdays=wed',
    'thursday=thursdays=thu',
    'friday=fridays=fri',
    'saturday=saturdays=sat',
    'sunday=sundays=sun',
  ]
    .map(weekdayNames)
    .join(' '),
  month:
    'january=jan february=feb march^ april=apr may^ june july august=aug september=sep=sept october=oct november=nov december=dec',
  season: 'spring^ summer autumn=fall^ winter',
  frequency:
    'hourly daily=nightly=every_day=every_night=each_day weekly=every_week=once_a_week=each_week fortnightly=biweekly monthly=every_month quarterly yearly=annually',
};

/** Classes of values with digits: a sentence can contain several, each in its own slot. */
export const quantityClasses = new Set('number duration frequency bytes percentage date year clock'.split(' '));
