import type { Context, OpenStore } from '../context.js';
import type { DecayProfile } from '../model/config.js';
import type { MaintenanceInputs } from '../model/maintenance.js';
import type { RetentionPreset, RetentionWeights } from '../model/retention.js';
import { retentionScoringVersion } from '../scoring/retentionScore.js';
import { resolveRetentionWeights } from '../scoring/retentionWeights.js';
import { redactSecrets } from '../secrets/secretScanner.js';
import { currentBranch } from '../store/gitBranches.js';
import { analyzeContent } from '../text/analyzer.js';
import { listOpenGoals } from './goals.js';

/** Leading words of branch names that do not name a topic. */
const genericBranchWords: ReadonlySet<string> = new Set(
  'main master trunk develop dev feature feat fix bugfix hotfix chore release refactor docs test wip user users'.split(
    ' ',
  ),
);

/** Settings that a single run may override. */
export interface RunOverrides {
  readonly preset?: RetentionPreset;
  readonly weights?: Partial<RetentionWeights>;
  readonly profile?: DecayProfile;
}

/** Inputs of the decisions of a run, read once at its start. */
export interface RunInputs {
  readonly inputs: MaintenanceInputs;
  readonly warnings: readonly string[];
  readonly goalTerms: readonly (readonly string[])[];
}

/** Loads the inputs. A project store uses its own goals and the global ones, the global store only the global ones. */
export async function loadRunInputs(
  ctx: Context,
  { store, folders }: OpenStore,
  overrides: RunOverrides,
): Promise<RunInputs> {
  const { maintenance, decay } = ctx.host.config();
  const { profile = decay.profile } = overrides;
  // A preset named for one run ignores the custom weights of the settings.
  const { preset = maintenance.preset } = overrides;
  const customWeights = overrides.weights ?? (overrides.preset === undefined ? maintenance.weights : undefined);
  const { warning, ...resolvedWeights } = resolveRetentionWeights(preset, customWeights);
  const goals = (await Promise.all([...new Set([store, ctx.globalStore])].map(listOpenGoals)))
    .flat()
    .map(it => it.text);
  const branch = folders[0] === undefined ? undefined : await currentBranch(folders[0]);
  const { quotas, bytesPerRun, pruneAfterDays } = maintenance;
  return {
    inputs: {
      scoringVersion: retentionScoringVersion,
      ...resolvedWeights,
      profile,
      ...(profile === 'kinds' && { kindHalfLives: decay.kindHalfLives }),
      quotas,
      bytesPerRun,
      pruneAfterDays,
      goals,
      promises: 0,
      ...(branch === undefined ? {} : { branch: redactSecrets(branch) }),
    },
    warnings: warning === undefined ? [] : [warning],
    goalTerms: [...goals.map(analyzeContent), ...(branch === undefined ? [] : [branchTerms(branch)])],
  };
}

function branchTerms(branch: string): readonly string[] {
  const words = branch.split(/[^\p{L}]+/u).filter(it => it.length > 2 && !genericBranchWords.has(it.toLowerCase()));
  return words.flatMap(analyzeContent);
}
