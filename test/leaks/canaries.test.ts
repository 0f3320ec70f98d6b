import { CANARIES, leaks } from './canaries';

describe('the search for canaries finds one that was planted', () => {
  const around = (text: string) => leaks([{ name: 'x', text: `some text ${text} and more` }]);

  test.each(Object.entries(CANARIES))('%s', (what, value) => {
    const found = [`x: ${what}`];
    const bytes = Buffer.from(value, 'utf8');
    expect(around(value)).toEqual(found);
    expect(around(JSON.stringify({ message: JSON.stringify({ value }) }))).toEqual(found);
    expect(around(`https://x/?q=${encodeURIComponent(value)}`)).toEqual(found);
    expect(around(bytes.toString('hex'))).toEqual(found);
    for (const before of ['', 'a', 'ab', 'abc', '{"body":{"description":"']) {
      expect(around(Buffer.from(`${before}${value}"}`).toString('base64'))).toEqual(found);
    }
  });

  test('and nothing where there is nothing', () => {
    expect(around('{"originId":4711,"networkId":"ABC","msg":"news from the bank"}')).toEqual([]);
  });
});
