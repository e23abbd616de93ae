import { declareContracts } from './contract/contracts.js';
import { sqliteBackend } from './contract/sqliteBackend.js';

declareContracts(sqliteBackend);
