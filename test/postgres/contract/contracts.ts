import { aidsContract } from './aids.js';
import { auditContract } from './audit.js';
import { checkpointsContract } from './checkpoints.js';
import { comparisonContract } from './comparison.js';
import { concurrencyContract } from './concurrency.js';
import type { Contract, StoreBackend } from './kit.js';
import { leasesContract } from './leases.js';
import { listsContract } from './lists.js';
import { maintenanceContract } from './maintenance.js';
import { memoriesContract } from './memories.js';
import { permanentDeletionContract } from './permanentDeletion.js';
import { recordsContract } from './records.js';
import { relationsContract } from './relations.js';
import { searchContract } from './search.js';
import { tracesContract } from './traces.js';
import { vectorsContract } from './vectors.js';

/** The parts of a store, and the tests of each. */
const contracts: Readonly<Record<string, Contract>> = {
  memories: memoriesContract,
  lists: listsContract,
  'search aids': aidsContract,
  'audit log': auditContract,
  relations: relationsContract,
  records: recordsContract,
  traces: tracesContract,
  vectors: vectorsContract,
  leases: leasesContract,
  maintenance: maintenanceContract,
  checkpoints: checkpointsContract,
  search: searchContract,
  comparison: comparisonContract,
  concurrency: concurrencyContract,
  'permanent deletion': permanentDeletionContract,
};

export function declareContracts(backend: StoreBackend, names = Object.keys(contracts)): void {
  for (const name of names) {
    describe(`${name} of a store ${backend.name}`, () => {
      contracts[name]!(backend);
    });
  }
}
