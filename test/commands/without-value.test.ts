import { NO_SERVERS, giro } from './support/memory-io';

test.each([
  [['kyc', 'show', "O'Higgins 27361705039"], /command-argument value is invalid for argument 'request-id'/],
  [
    ['sending', 'stop', '--reason', "of '27361705039' is invalid. x"],
    /option '--reason <text>' argument is invalid\. It must be/,
  ],
  [
    ['sending', 'stop', '--reason', 'x', '--operator', 'x\n27361705039'],
    /option '--operator <name>' argument is/,
  ],
  [['transfer', 'show', '27361705039x'], /An originId is a whole number/],
])('%j: refused without its value', async (line, says) => {
  const { code, stdout, stderr } = await giro(line, { env: NO_SERVERS });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(says);
  expect(stderr).not.toMatch(/27361705039|Higgins/);
});
