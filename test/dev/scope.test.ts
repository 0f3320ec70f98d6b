import { Scope } from '../../dev/scope';

describe('Scope', () => {
  it('releases in reverse order, once, and makes a second caller wait', async () => {
    const scope = new Scope();
    const released: string[] = [];
    scope.own('first', (name) => void released.push(name));
    scope.own('second', async (name) => {
      await new Promise((resolve) => setImmediate(resolve));
      released.push(name);
    });
    await Promise.all([scope.release(), scope.release()]);
    expect(released).toEqual(['second', 'first']);
  });

  it('releases the others when one fails, and reports it', async () => {
    const scope = new Scope();
    const released: string[] = [];
    scope.own('first', (name) => void released.push(name));
    scope.own('second', () => {
      throw new Error('stuck');
    });
    await expect(scope.release()).rejects.toMatchObject({ errors: [new Error('stuck')] });
    expect(released).toEqual(['first']);
  });

  it('takes nothing over after its end', async () => {
    const scope = new Scope();
    await scope.release();
    expect(() => scope.own('late', () => undefined)).toThrow('this scope has ended');
  });
});
