import { declareContracts } from './contract/contracts.js';
import { declarePostgresServer } from './contract/postgresBackends.js';

describe('a store on a PostgreSQL server', () => {
  declareContracts(declarePostgresServer());
});
