import { expectedWebhooks, judgeWebhooks, webhookDeviations } from '../../src/domain/webhook-subscriptions';

const OURS = 'https://pagos.example/webhooks';

test('each secret of the path makes an address that is ours', () => {
  const addresses = [
    { eventType: 'A', address: `${OURS}/{secret}` },
    { eventType: 'B', address: `${OURS}/fixed` },
  ];
  expect(expectedWebhooks(addresses, ['old', 'new'])).toEqual([
    { eventType: 'A', endpoints: [`${OURS}/old`, `${OURS}/new`] },
    { eventType: 'B', endpoints: [`${OURS}/fixed`] },
  ]);
});

const expected = expectedWebhooks([{ eventType: 'A', address: `${OURS}/{secret}` }], ['old', 'new']);

test.each([
  ['at the old address', 'A', `${OURS}/old`, 'expected'],
  ['at the new address', 'A', `${OURS}/new`, 'expected'],
  ['at an address that only begins like ours', 'A', `${OURS}/old/x`, 'foreign'],
  ['at another host', 'A', 'https://elsewhere.example/webhooks/old', 'foreign'],
  ['of a type that nobody listed, at our address', 'B', `${OURS}/old`, 'unexpected'],
  ['of a type that nobody listed, elsewhere', 'B', 'https://elsewhere.example', 'foreign'],
])('a subscription %s', (_, eventType, endpoint, standing) => {
  expect(judgeWebhooks([{ eventType, endpoint }], expected)[0]).toEqual({ eventType, endpoint, standing });
});

test('one that is not listed is missing; without expectations nothing is judged', () => {
  expect(judgeWebhooks([], expected)).toEqual([{ eventType: 'A', endpoint: null, standing: 'missing' }]);
  expect(judgeWebhooks([{ eventType: 'A', endpoint: 'https://x.example' }], [])).toEqual([
    { eventType: 'A', endpoint: 'https://x.example', standing: null },
  ]);
});

test('deviations hold no address and no text of another form, each once, in one order, bounded', () => {
  const foreign = (eventType: string) => ({
    eventType,
    endpoint: 'https://x.example/s3cret',
    standing: 'foreign' as const,
  });
  const judged = [
    foreign('Z'),
    foreign('line\nfeed'),
    foreign('Z'),
    { eventType: 'A', endpoint: null, standing: 'missing' as const },
    { eventType: 'B', endpoint: `${OURS}/old`, standing: 'expected' as const },
    { eventType: 'C', endpoint: `${OURS}/old`, standing: 'unexpected' as const },
  ];
  expect(webhookDeviations(judged)).toEqual([
    { eventType: 'A', standing: 'missing' },
    { eventType: 'Z', standing: 'foreign' },
    { eventType: 'unreadable', standing: 'foreign' },
  ]);
  expect(webhookDeviations(Array.from({ length: 500 }, (_, i) => foreign(`T${i}`)))).toHaveLength(100);
});
