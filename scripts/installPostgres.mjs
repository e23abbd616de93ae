import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { logStep, programOnPath, run } from './commandLine.mjs';

const debianPrograms = '/usr/lib/postgresql';

/**
 * The programs of a PostgreSQL server; on Debian as root they are installed where there are none.
 * @returns {Promise<string | undefined>} why there are none
 */
export async function ensurePostgres() {
  if (process.platform === 'win32') return 'tests start PostgreSQL on Linux and macOS only';
  if (isInstalled()) return undefined;
  const apt = programOnPath(['apt-get']);
  if (apt === undefined || process.getuid?.() !== 0 || !existsSync('/etc/debian_version'))
    return 'there is no PostgreSQL server: install it (Debian: postgresql), or put initdb on PATH';
  logStep('Installing PostgreSQL (no server was found)');
  // Without the cluster that the package would make and start.
  mkdirSync('/etc/postgresql-common', { recursive: true });
  const settings = '/etc/postgresql-common/createcluster.conf';
  if (!existsSync(settings)) writeFileSync(settings, 'create_main_cluster = false\n');
  const environment = { DEBIAN_FRONTEND: 'noninteractive' };
  await run(apt, ['-q', 'update'], { environment });
  // Settings that are there already are kept, and nothing is asked.
  const options = ['-q', '-y', '--no-install-recommends', '-o', 'Dpkg::Options::=--force-confold'];
  await run(apt, [...options, 'install', 'postgresql'], { environment });
  return isInstalled() ? undefined : 'PostgreSQL could not be installed: the network or the disk is not there';
}

function isInstalled() {
  const versions = existsSync(debianPrograms) ? readdirSync(debianPrograms) : [];
  return (
    versions.some(it => existsSync(join(debianPrograms, it, 'bin', 'initdb'))) ||
    programOnPath(['initdb']) !== undefined
  );
}
