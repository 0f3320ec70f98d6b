import * as client from '../../src/client';
import { textOfPage } from './pages';

const PAGE = textOfPage('docs/client.md');

test('the page names every error class of the entry, and none that it lacks', () => {
  const errors = Object.entries(client).filter(
    ([, value]) => Error.isPrototypeOf(value) && value !== client.GiroClientError,
  );
  const table = PAGE.slice(PAGE.indexOf('## Errors'), PAGE.indexOf('## Encrypted'));
  const named = [...table.matchAll(/`([A-Z]\w+)`/g)].map(([, name]) => name);
  for (const [name] of errors) expect(named).toContain(name);
  for (const name of named) expect(Object.keys(client)).toContain(name);
});

test('the methods that it names are there', () => {
  const methods = [...PAGE.matchAll(/^\| `(\w+)\(/gm)].map(([, name = '']) => name);
  expect(methods.length).toBeGreaterThan(6);
  for (const method of methods) expect(client.GiroClient.prototype).toHaveProperty(method);
});

test('what its code imports of giro/client is exported', () => {
  const names = [...PAGE.matchAll(/import \{([^}]+)\} from 'giro\/client'/g)].flatMap(([, list = '']) =>
    list.split(',').map((name) => name.trim()),
  );
  expect(names.length).toBeGreaterThan(3);
  for (const name of names) expect(Object.keys(client)).toContain(name);
});
