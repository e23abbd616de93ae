// `npm run package`: this platform's VSIX, in out/.
import { packageExtension } from './packageExtension.mjs';
import { ensurePackages } from './setup.mjs';

await ensurePackages();
await packageExtension();
