// `npm run package`: this platform's VSIX, in out/.
import { packageExtension } from './packageExtension.mjs';
import { ensureDependencies } from './setup.mjs';

await ensureDependencies();
await packageExtension();
