/** esbuild bundles imported style sheets. */
declare module '*.css';
