import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'out/', 'node_modules/', 'test/fixtures/', 'test/.cache/'] },
  {
    files: ['src/**/*.ts', 'test/**/*.ts', 'webview-ui/**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      // Numbers in messages are ordinary; the rest of the rule stays.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Deliberate `!` is checked by review; indexed access makes it common in pure table code.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // `const { left, ...rest } = it` is how a field is taken off.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['src/vscode/**/*.ts'],
    ignores: ['src/vscode/ui/messages.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...['showInformationMessage', 'showWarningMessage', 'showErrorMessage', 'setStatusBarMessage'].map(
          property => ({
            property,
            message: 'Show it through ui/messages.ts: a message may quote a memory, and VS Code draws links in it.',
          }),
        ),
      ],
    },
  },
  {
    // Patterns meet texts of anybody: a slow one holds up every other call of the server.
    files: ['src/**/*.ts', 'webview-ui/**/*.ts', 'scripts/**/*.mjs', '*.mjs'],
    plugins: { regexp },
    rules: { 'regexp/no-super-linear-backtracking': 'error', 'regexp/no-super-linear-move': 'error' },
  },
  // Above these a function is hard to read, unless it is a table of language rules or the signature of machine code.
  { files: ['src/**/*.ts', 'webview-ui/**/*.ts'], rules: { complexity: ['error', 25], 'max-params': ['error', 5] } },
  {
    files: ['src/**/*.ts', 'webview-ui/**/*.ts'],
    rules: { 'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }] },
  },
  {
    files: ['src/engine/search/index/vectorIndex.ts'],
    rules: { 'max-params': ['error', 10] },
  },
  // The command line speaks through stdout and stderr; so do tests' own reports.
  { files: ['src/cli.ts', 'src/cli/**/*.ts', 'test/**/*.ts'], rules: { 'no-console': 'off' } },
);
