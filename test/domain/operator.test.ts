import { operatorArgument } from '../../src/commands/support/arguments';
import { isOperator } from '../../src/domain/operator';
import { readDecision } from '../../src/domain/transfer/decisions/decision-request';

const isTaken = (read: () => unknown): boolean => {
  try {
    read();
    return true;
  } catch {
    return false;
  }
};

it.each([
  ['ana', true],
  ['Ana.Perez+ops@bank-1.example', true],
  ['27361705039', true],
  ['x'.repeat(100), true],
  ['x'.repeat(101), false],
  ['', false],
  ['ana perez', false],
  ['José', false],
  ['ana\n', false],
  ['ana\ufe0f', false],
])('%j decides and is written down: %s', (name, is) => {
  const decision = { action: 'resume', operator: name, reason: 'x' };
  expect([isOperator(name), readDecision(decision).ok, isTaken(() => operatorArgument(name))]).toEqual([
    is,
    is,
    is,
  ]);
});
