import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const linuxPowerSupplies = '/sys/class/power_supply';

/**
 * The power source of this machine. Only Linux exposes it in files; elsewhere it would take another program, and the
 * result is `unknown`.
 * @param folder contains a folder per power supply, each with the files `type`, `scope`, `online` and `status`
 */
export async function readPowerSource(
  platform: NodeJS.Platform = process.platform,
  folder = linuxPowerSupplies,
): Promise<'mains' | 'battery' | 'unknown'> {
  if (platform !== 'linux') return 'unknown';
  const names = await readdir(folder).catch(() => undefined);
  if (names === undefined) return 'mains'; // A container or a server has neither the folder nor a battery.
  const readSupplyFile = (name: string, file: string): Promise<string> =>
    readFile(path.join(folder, name, file), 'utf8').then(
      it => it.trim(),
      () => '',
    );
  const supplies = await Promise.all(
    names.map(async it => ({
      type: await readSupplyFile(it, 'type'),
      scope: await readSupplyFile(it, 'scope'),
      online: await readSupplyFile(it, 'online'),
      status: await readSupplyFile(it, 'status'),
    })),
  );
  // A mouse has a battery too: its scope is `Device`.
  const machineSupplies = supplies.filter(it => it.scope !== 'Device');
  if (machineSupplies.some(it => it.type !== 'Battery' && it.online === '1')) return 'mains';
  return machineSupplies.some(it => it.type === 'Battery' && it.status === 'Discharging') ? 'battery' : 'mains';
}
