import { declareContracts } from './contract/contracts.js';
import { declarePgliteServer } from './contract/postgresBackends.js';

describe('a store in PGlite', () => {
  declareContracts(declarePgliteServer(), ['vectors', 'search', 'comparison']);
});
