import tseslint from 'typescript-eslint';

/** Names that make workflow code non-deterministic or belong outside the sandbox. */
const workflowFence = {
  paths: [
    { name: 'zod', message: 'Workflow code validates with the domain, not zod (memory and start time).' },
    { name: 'axios', message: 'Calls to the bank are activities.' },
    { name: 'pg', message: 'The journal is reached through activities.' },
  ],
  patterns: [
    {
      group: ['node:*', 'fs', 'crypto', 'http', 'https', 'net'],
      message: 'No Node built-ins in workflow code.',
    },
    {
      group: ['**/activities/*', '**/activities'],
      allowTypeImports: true,
      message: 'Workflows see activities by `import type`.',
    },
  ],
};

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', 'coverage/**'] },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only src/config/env.ts reads process.env.' },
        {
          object: 'process',
          property: 'exit',
          message: 'Set process.exitCode; resources are released by scope.',
        },
      ],
      'no-console': 'error',
    },
  },
  {
    files: ['src/workflows/**/*.ts', 'src/domain/**/*.ts'],
    ignores: ['src/domain/order-fingerprint.ts'],
    rules: { '@typescript-eslint/no-restricted-imports': ['error', workflowFence] },
  },
  {
    files: ['src/workflows/**/*.ts'],
    ignores: ['src/workflows/run-clock.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "MemberExpression[object.name='Date'][property.name='now'], NewExpression[callee.name='Date'][arguments.length=0]",
          message: "The engine's clock may tell another time in a replay: a run decides by its RunClock.",
        },
      ],
    },
  },
  {
    files: ['src/domain/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', 'Date', 'setTimeout', 'setInterval', 'process', 'console'],
      'no-restricted-properties': ['error', { object: 'Math', property: 'random' }],
    },
  },
  { files: ['src/config/env.ts'], rules: { 'no-restricted-properties': 'off' } },
  {
    files: ['dev/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts', 'examples/**/*.ts'],
    rules: { 'no-restricted-properties': 'off', 'no-console': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
);
