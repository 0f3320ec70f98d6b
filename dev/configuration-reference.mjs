// `npm run docs:configuration`: writes the tables of docs/configuration.md and the lines of .env.example from the
// variables that src/config declares. Prose in the page, and values set in the example, stay as they are.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import prettier from 'prettier';
import { packageRoot } from './bootstrap/here.mjs';

const require = createRequire(import.meta.url);
const { VARIABLES } = require(join(packageRoot, 'dist/src/config/variables.js'));
const { configurationPage, exampleEnv } = require(join(packageRoot, 'dist/dev/configuration-docs.js'));

const PAGE = join(packageRoot, 'docs/configuration.md');
const EXAMPLE = join(packageRoot, '.env.example');

const page = configurationPage(readFileSync(PAGE, 'utf8'), VARIABLES);
writeFileSync(
  PAGE,
  await prettier.format(page, { ...(await prettier.resolveConfig(PAGE)), parser: 'markdown' }),
);
writeFileSync(EXAMPLE, exampleEnv(readFileSync(EXAMPLE, 'utf8'), VARIABLES));
