import type { Context, OpenStore } from '../context.js';
import type { DecayProfile } from '../model/config.js';
import type { MaintenanceInputs } from '../model/maintenance.js';
import type { RetentionPreset, RetentionWeights } from '../model/retention.js';
import { scoringVersion } from '../scoring/retentionScore.js';
import { chooseWeights } from '../scoring/retentionWeights.js';
import { currentBranch } from '../store/project.js';
import { isStopWord, terms } from '../text/terms.js';
import { openGoals } from './goals.js';

/** First words of branches that name no subject. */
const plainBranchWords: ReadonlySet<string> = new Set(
  'main master trunk develop dev feature feat fix bugfix hotfix chore release refactor docs test wip user users'.split(
    ' ',
  ),
);

/** What may be said of one run; the settings hold otherwise. */
export interface RunSettings {
  readonly preset?: RetentionPreset;
  readonly weights?: Partial<RetentionWeights>;
  readonly profile?: DecayProfile;
}

/** What decides, read once before anything else. */
export interface Basis {
  readonly inputs: MaintenanceInputs;
  readonly warnings: readonly string[];
  readonly goals: readonly (readonly string[])[];
}

/** Goals of a project count with the global ones; of the global store, they alone. */
export async function readBasis(ctx: Context, { store, folders }: OpenStore, settings: RunSettings): Promise<Basis> {
  const { maintenance, decayProfile } = ctx.host.config();
  // A preset that is named for one run stands for itself, whatever weights the settings hold.
  const { preset = maintenance.preset } = settings;
  const own = settings.weights ?? (settings.preset === undefined ? maintenance.weights : undefined);
  const { warning, ...chosen } = chooseWeights(preset, own);
  const global = ctx.stores.find(it => it.store.kind === 'global')!.store;
  const goals = (await Promise.all([...new Set([store, global])].map(openGoals))).flat().map(it => it.text);
  const branch = folders[0] === undefined ? undefined : await currentBranch(folders[0]);
  const { quotas, bytesPerRun, pruneAfterDays } = maintenance;
  return {
    inputs: {
      scoringVersion,
      ...chosen,
      profile: settings.profile ?? decayProfile,
      quotas,
      bytesPerRun,
      pruneAfterDays,
      goals,
      promises: 0,
      ...(branch === undefined ? {} : { branch }),
    },
    warnings: warning === undefined ? [] : [warning],
    goals: [...goals.map(contentTerms), ...(branch === undefined ? [] : [branchTerms(branch)])],
  };
}

/** The words of a text that say something. */
export function contentTerms(text: string): readonly string[] {
  return terms(text).filter(it => !isStopWord(it));
}

function branchTerms(branch: string): readonly string[] {
  const words = branch.split(/[^\p{L}]+/u).filter(it => it.length > 2 && !plainBranchWords.has(it.toLowerCase()));
  return words.flatMap(contentTerms);
}
