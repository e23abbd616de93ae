/** Tools by what they are: the category finds the tool and the tool the category, but no tool finds another. */
export const toolsByCategory: Readonly<Record<string, string>> = {
  'linter, lint, static analysis, code checker':
    'eslint, tslint, biome, oxlint, pylint, flake8, ruff, golangci-lint, staticcheck, clippy, rubocop, checkstyle, spotbugs, sonarqube, shellcheck, hadolint, ktlint, detekt, clang-tidy, cppcheck, stylelint, misra, coverity',
  'formatter, code style': 'prettier, gofmt, goimports, gofumpt, black, isort, rustfmt, clang-format, dprint, spotless',
  'type checker, typing': 'tsc, mypy, pyright, flow, typescript',
  'test framework, test runner, unit test, tests':
    'jest, vitest, mocha, jasmine, ava, pytest, unittest, junit, testng, rspec, minitest, phpunit, xunit, nunit, googletest, gtest, catch2, unity, ceedling, cmocka, ginkgo, testify',
  'browser test, e2e, ui test': 'playwright, cypress, selenium, puppeteer, webdriver, testcafe, detox, appium',
  'load test': 'k6, jmeter, gatling, locust, wrk, vegeta, artillery',
  'throwaway database, test container': 'testcontainers',
  'ci, build server, build pipeline, pipeline':
    'jenkins, github actions, gitlab ci, circleci, travis, teamcity, buildkite, azure pipelines, bamboo, drone, tekton, concourse',
  'deployment, continuous delivery, gitops': 'argocd, argo cd, flux, spinnaker, harness, octopus',
  'infrastructure as code, provisioning':
    'terraform, opentofu, pulumi, cloudformation, ansible, chef, puppet, cdk, bicep',
  'container, containers': 'docker, podman, containerd, compose, docker-compose, buildah',
  'container image, image registry, registry': 'ecr, gcr, acr, harbor, artifactory, nexus, ghcr, dockerhub',
  'cluster, orchestration, container orchestration':
    'kubernetes, k8s, gke, eks, aks, openshift, nomad, k3s, kind, minikube',
  'local cluster, dev environment': 'tilt, skaffold, devspace, telepresence, vagrant',
  'kubernetes package, chart': 'helm, kustomize',
  'database, sql, relational database':
    'postgres, postgresql, mysql, mariadb, sqlite, oracle, mssql, cockroachdb, aurora, cloud sql, spanner, rds',
  'document store, nosql': 'mongodb, dynamodb, couchdb, firestore, cosmosdb, cassandra, scylladb',
  'cache, in-memory store, key-value store': 'redis, memcached, valkey, dragonfly, hazelcast',
  'search engine, full-text search': 'elasticsearch, opensearch, solr, meilisearch, typesense, algolia, lucene',
  'analytics database, data warehouse, warehouse': 'bigquery, snowflake, redshift, clickhouse, databricks, duckdb',
  'schema migration, migration tool, migration':
    'flyway, liquibase, alembic, goose, golang-migrate, atlas, sqitch, knex, dbmate',
  'orm, database access':
    'prisma, typeorm, sequelize, drizzle, hibernate, sqlalchemy, gorm, sqlc, active record, ent, jooq',
  'message broker, message bus, event bus, queue, bus, events':
    'kafka, rabbitmq, nats, jetstream, pulsar, sqs, sns, pubsub, kinesis, activemq, mqtt, mosquitto, redpanda, eventbridge',
  'background job, job queue, task queue': 'celery, sidekiq, bullmq, resque, temporal, airflow, hangfire, river',
  'object storage, bucket, file storage': 's3, gcs, minio, blob storage',
  'secret store, secret manager, secrets, password store':
    'vault, aws secrets manager, sops, doppler, 1password, bitwarden, keyvault, sealed secrets, external secrets',
  'feature flag, toggle, toggles':
    'launchdarkly, unleash, flagsmith, split.io, configcat, growthbook, openfeature, flipt',
  'monitoring, metrics, dashboard':
    'prometheus, grafana, datadog, new relic, nagios, zabbix, influxdb, cloudwatch, mimir',
  'logging, logs, log search': 'loki, splunk, kibana, logstash, fluentd, fluentbit, graylog, sumologic, elk',
  'tracing, telemetry': 'jaeger, zipkin, opentelemetry, otel, tempo, honeycomb',
  'error tracking, crash reports': 'sentry, bugsnag, rollbar, crashlytics',
  'paging, on-call, pager, alerting': 'pagerduty, opsgenie, victorops, alertmanager, grafana oncall',
  'issue tracker, ticket, ticket system': 'jira, linear, youtrack, trello, asana, redmine, bugzilla, shortcut',
  'code review, review': 'gerrit, reviewable, phabricator, crucible',
  'code host, git server': 'github, gitlab, bitbucket, gitea, azure devops',
  'chat, messenger, team chat': 'slack, teams, mattermost, discord, zulip',
  'wiki, documentation, docs': 'confluence, notion, docusaurus, mkdocs, readthedocs, backstage, sphinx',
  'design tool, mockup, design': 'figma, sketch, adobe xd, zeplin',
  diagram: 'mermaid, plantuml, drawio, excalidraw, graphviz',
  'package manager, dependencies, install':
    'npm, pnpm, yarn, bun, pip, poetry, uv, pipenv, conda, cargo, maven, gradle, nuget, composer, bundler, gomod, conan, vcpkg, homebrew, apt',
  'build tool, build system, bundler':
    'webpack, vite, rollup, esbuild, parcel, turbopack, bazel, make, cmake, ninja, meson, gradle, maven, sbt, turborepo, nx, tsup',
  'dependency update, dependency bot': 'dependabot, renovate, snyk',
  'frontend framework, ui framework, web framework':
    'react, vue, angular, svelte, solid, nextjs, nuxt, remix, astro, ember',
  'css framework, styling, styles': 'tailwind, bootstrap, sass, scss, less, styled-components, css modules',
  'component library': 'storybook, mui, chakra, shadcn, radix',
  'state management, store': 'redux, zustand, mobx, pinia, vuex, recoil, jotai',
  'backend framework, web framework, server':
    'express, fastify, nestjs, django, flask, fastapi, rails, spring, laravel, gin, echo, axum, actix',
  'mobile app, app framework': 'react native, flutter, swiftui, jetpack compose, xamarin, ionic, expo',
  'validation, schema validation': 'zod, joi, yup, pydantic, ajv',
  'http client': 'axios, fetch, curl, httpx, okhttp, got, requests',
  'api client, api testing': 'postman, insomnia, bruno, httpie',
  'web server, reverse proxy, proxy': 'nginx, apache, caddy, traefik, envoy, haproxy, istio, linkerd',
  'identity provider, sso, login': 'okta, auth0, keycloak, cognito, entra, azure ad, clerk',
  'cloud, cloud provider, hosting':
    'aws, gcp, azure, heroku, vercel, netlify, cloudflare, digitalocean, hetzner, fly.io',
  'git hooks, pre-commit': 'husky, lefthook, pre-commit, lint-staged',
  'version manager, runtime version': 'nvm, asdf, mise, pyenv, rbenv, volta, sdkman',
  'shell, terminal': 'bash, zsh, fish, powershell, nushell',
  'editor, ide': 'vscode, intellij, vim, neovim, emacs, webstorm, goland, pycharm, clion, xcode, eclipse',
  'payment provider, payments': 'stripe, adyen, paypal, braintree, klarna, mollie',
  'email provider, mail': 'sendgrid, mailgun, postmark, ses, mailchimp',
  'rtos, real-time operating system': 'zephyr, freertos, threadx, riot, nuttx, vxworks',
  'microcontroller, mcu, chip': 'stm32, esp32, nrf52, cortex-m, avr, rp2040, atmega, msp430',
  'debug probe, flashing tool, debugger': 'j-link, jlink, openocd, st-link, gdb, lldb, pyocd, lauterbach',
  'bootloader, secure boot': 'mcuboot, u-boot, grub',
  'cross compiler, compiler, toolchain': 'gcc, clang, llvm, arm-none-eabi-gcc, msvc, rustc, golang',
  'wireless, radio': 'lorawan, lora, zigbee, ble, wifi, thread, nb-iot',
  'coding standard, code rules': 'misra, cert c, pep8, airbnb, google style',
  'fuzzing, sanitizer': 'asan, ubsan, libfuzzer, afl, valgrind, tsan',
  'game engine': 'unity, unreal, godot, bevy',
  'machine learning, model training': 'pytorch, tensorflow, keras, scikit-learn, xgboost, jax, mlflow',
  'data frame, data analysis': 'pandas, polars, spark, dask, dbt, jupyter',
  'graph query, api': 'graphql, grpc, trpc, rest',
};
