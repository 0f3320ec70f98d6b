import {
  MOVEMENT_STATUSES,
  isFinalStatus,
  isMovementStatus,
  recordableStatus,
} from '../../src/domain/movement';

const hash = jest.fn((_text: string) => 'A1B2C3D4');

beforeEach(() => hash.mockClear());

test.each([...MOVEMENT_STATUSES, 'REJECTED', 'A', 'PENDING_2', 'X_', `A${'Z'.repeat(31)}`])(
  'status %s is recorded as it came',
  (word) => {
    expect(recordableStatus(word, hash)).toBe(word);
    expect(hash).not.toHaveBeenCalled();
  },
);

test.each([
  '',
  'completed',
  'Completed',
  ' COMPLETED',
  'COMPLETED ',
  'COMPLETED\n',
  'IN PROGRESS',
  'IN-PROGRESS',
  '1COMPLETED',
  '_X',
  'DÉBITO',
  'JUAN PÉREZ 20218346414',
  `A${'Z'.repeat(32)}`,
])('status %p becomes a hash', (word) => {
  expect(recordableStatus(word, hash)).toBe('UNREADABLE_A1B2C3D4');
  expect(hash).toHaveBeenCalledWith(word);
});

test('the statuses of the reference are compared exactly', () => {
  expect(MOVEMENT_STATUSES.filter(isMovementStatus)).toEqual(MOVEMENT_STATUSES);
  expect(MOVEMENT_STATUSES.filter(isFinalStatus)).toEqual(['COMPLETED', 'FAILED']);
  for (const word of ['completed', 'FAILED ', 'REJECTED', '', 'toString', 'UNREADABLE_A1B2C3D4']) {
    expect(isMovementStatus(word)).toBe(false);
    expect(isFinalStatus(word)).toBe(false);
  }
  expect(isFinalStatus(null)).toBe(false);
});
