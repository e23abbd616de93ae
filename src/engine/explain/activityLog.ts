import { readAccesses, summarizeClients } from '../access/accessLog.js';
import { admitClient } from '../access/admitClient.js';
import { clientKey, type ClientCall } from '../access/clientRights.js';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { omitUndefined } from '../base/omitUndefined.js';
import { shellWord } from '../base/shellWord.js';
import type { CallTracker } from '../store/callTracker.js';
import type { Context } from '../context.js';
import type { Access, ActivityFilter, Change, SeenClient, SettingChange, SettingsOrigin } from '../model/access.js';
import type { Memory } from '../model/memory.js';
import { redactSecrets } from '../secrets/secretScanner.js';

/** Longer values of a setting are cut in the log. In UTF-16 units. */
const maxLoggedValueLength = 1_000;

/** Records of the settings that {@link ActivityLog.noteSettings} saw last: JSON by name. */
const seenSettingsId: Readonly<Record<SettingsOrigin, string>> = { editor: 'editorSettings', file: 'fileSettings' };
type SeenSettings = Readonly<Record<string, string>>;

/** Log of reads, changes and refusals by client. Part of the façade. */
export class ActivityLog {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /** Notes a call of the client and the memories that it was given; a recall is noted by itself. */
  noteCall(via: string, memories: readonly Pick<Memory, 'id'>[]): void {
    this.ctx.usage.addAccess({ via, memories });
  }

  /** Reads and refused calls of every program on the data folder, oldest first, as far back as the log goes. */
  reads(filter: ActivityFilter = {}): Promise<readonly Access[]> {
    return this.calls.run(async () => {
      await this.ctx.usage.flush();
      const accesses = await readAccesses(this.ctx.host.dataDir);
      return accesses.filter(it => isWanted(it.client, it.at, filter));
    });
  }

  /** Changes in the stores of the folder, oldest first: the audit log. */
  changes(filter: ActivityFilter = {}): Promise<readonly Change[]> {
    return this.calls.run(async () => {
      const lines = await Promise.all(
        this.ctx.stores.map(async ({ store }) =>
          (await store.auditLog(filter.since ?? '')).map(it => ({ ...it, store: store.kind })),
        ),
      );
      return lines
        .flat()
        .filter(it => isWanted(it.actor, it.at, filter))
        .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
    });
  }

  /**
   * Notes a change of the settings file in the audit log, of the global memory. What looks like a secret in a value is blacked
   * out.
   */
  noteSetting(change: SettingChange): Promise<void> {
    if (change.from === change.to) return Promise.resolve();
    const { globalStore, host } = this.ctx;
    const detail = Object.fromEntries(
      Object.entries(omitUndefined({ ...change })).map(([key, it]) => [key, toLoggedValue(it)]),
    );
    const { setting, to } = change;
    return this.calls.run(() =>
      globalStore.write(host.client, async tx => {
        const seen = (await tx.record<SeenSettings>('state', seenSettingsId.file))?.body;
        // Another program may have seen it in the file already.
        if (seen !== undefined && seen[setting] === detail.to) return;
        await tx.log('configure', detail);
        if (seen === undefined) return;
        const { [setting]: previous, ...others } = seen;
        await tx.putRecord(
          'state',
          seenSettingsId.file,
          to === undefined ? others : { ...others, [setting]: detail.to },
        );
      }),
    );
  }

  /**
   * Notes each setting that has changed since the last call of any program, as {@link noteSetting} does: in VS Code, or in the
   * settings file, where a person edited it by hand. Before the first call nothing counts as set but what was noted.
   * @param settings the values that are set, by name
   */
  noteSettings(origin: SettingsOrigin, settings: Readonly<Record<string, unknown>>): Promise<void> {
    const { globalStore, host } = this.ctx;
    const entries = Object.entries(settings).filter(([, it]) => it !== undefined);
    const now: SeenSettings = Object.fromEntries(entries.map(([key, it]) => [key, toLoggedValue(JSON.stringify(it))]));
    const changesSince = (before: SeenSettings): readonly string[] =>
      [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(it => before[it] !== now[it]).sort();
    return this.calls.run(async () => {
      const record = await globalStore.record<SeenSettings>('state', seenSettingsId[origin]);
      const seen = record?.body ?? (origin === 'file' ? await this.notedSettings() : {});
      if (changesSince(seen).length === 0 && (record !== undefined || origin === 'editor')) return;
      await globalStore.write(host.client, async tx => {
        // Another program may have noted it since.
        const before = (await tx.record<SeenSettings>('state', seenSettingsId[origin]))?.body ?? seen;
        for (const setting of changesSince(before))
          await tx.log('configure', {
            setting,
            by: origin,
            ...omitUndefined({ from: before[setting], to: now[setting] }),
          });
        await tx.putRecord('state', seenSettingsId[origin], now);
      });
    });
  }

  /** The settings file as the audit log has it. */
  private async notedSettings(): Promise<SeenSettings> {
    const settings: Record<string, string | undefined> = {};
    for (const { action, detail } of await this.ctx.globalStore.auditLog('')) {
      if (action !== 'configure' || detail.by !== undefined) continue;
      const { setting, to } = detail as unknown as SettingChange;
      settings[setting] = to;
    }
    return omitUndefined(settings) as SeenSettings;
  }

  /** Changes of settings, oldest first. */
  settingChanges(): Promise<readonly Change[]> {
    return this.calls.run(async () => {
      const lines = await this.ctx.globalStore.auditLog('');
      return lines.filter(it => it.action === 'configure').map(it => ({ ...it, store: 'global' as const }));
    });
  }

  /**
   * Lets a model of this program call a tool, or not; a refused call is noted. Its stores are those of the program, so that
   * a client that may use one kind of store only is refused.
   * @throws EngineError notAllowed
   */
  async admit(call: ClientCall): Promise<void> {
    const { dataDir, client } = this.ctx.host;
    const onlyStore = await admitClient({ dataDir, client, now: this.ctx.host.now() }, call);
    if (onlyStore === undefined) return;
    throw new EngineError(
      'notAllowed',
      message`${clientKey(client)} uses all memories of its window, so its rights cannot be limited to one store. Nothing was done; the user can change it: recollect clients allow ${shellWord(clientKey(client))}`,
    );
  }

  /** The clients that have called, the latest first. */
  async clients(): Promise<readonly SeenClient[]> {
    return summarizeClients(await this.reads());
  }
}

/** JSON of a setting, without secrets and cut. */
function toLoggedValue(json: string): string {
  return redactSecrets(json).slice(0, maxLoggedValueLength);
}

function isWanted(client: string, at: string, { since, client: wanted }: ActivityFilter): boolean {
  return (since === undefined || at >= since) && (wanted === undefined || clientKey(client) === clientKey(wanted));
}
