/** Data types of the SSH protocol (RFC 4251 section 5). */

/** The bytes do not have the expected form. */
export class SshFormError extends Error {
  override readonly name = 'SshFormError';
}

/** Reads one field after the other; throws `SshFormError` beyond the end. */
export class SshReader {
  #at = 0;

  constructor(private readonly bytes: Buffer) {}

  fixed(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.bytes.length) throw new SshFormError('ends too early');
    const field = this.bytes.subarray(this.#at, end);
    this.#at = end;
    return field;
  }

  byte(): number {
    return this.fixed(1).readUInt8();
  }

  uint32(): number {
    return this.fixed(4).readUInt32BE();
  }

  string(): Buffer {
    return this.fixed(this.uint32());
  }

  text(): string {
    return this.string().toString('latin1');
  }

  /** A positive integer as exactly `length` bytes. */
  positive(length: number): Buffer {
    const field = this.string();
    const [first = 0, second = 0] = field;
    const isShortest = first !== 0 || second >= 0x80;
    if (field.length === 0 || first >= 0x80 || !isShortest)
      throw new SshFormError('has an integer that is not positive, or not in its shortest form');
    const digits = first === 0 ? field.subarray(1) : field;
    if (digits.length > length) throw new SshFormError('has an integer that is too large');
    return Buffer.concat([Buffer.alloc(length - digits.length), digits]);
  }

  end(): void {
    if (this.#at !== this.bytes.length) throw new SshFormError('has bytes after its end');
  }
}

export function sshString(value: Buffer | string): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'latin1') : value;
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Null: not canonical base64. */
export function strictBase64(text: string): Buffer | null {
  if (!BASE64.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}
