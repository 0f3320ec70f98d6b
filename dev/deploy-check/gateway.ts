import type { Project } from './compose';

const UI = 'http://127.0.0.1:8233';

interface Payload {
  readonly metadata: Readonly<Record<string, string>>;
  readonly data: string;
}
interface History {
  readonly events: readonly {
    readonly workflowExecutionStartedEventAttributes?: {
      readonly input: { readonly payloads: readonly Payload[] };
    };
  }[];
}

/** Decodes the order in a transfer's history as the Temporal UI does: through the gateway, which has the token. */
export async function decodeThroughGateway(project: Project, originId: number): Promise<string> {
  const show = `temporal workflow show --address temporal:7233 -w transfer-${originId} --output json`;
  const history = JSON.parse(
    await project.compose(
      'run',
      '--rm',
      '--no-deps',
      '-T',
      '--entrypoint',
      'sh',
      'temporal-namespace',
      '-c',
      show,
    ),
  ) as History;
  const payloads = history.events[0]?.workflowExecutionStartedEventAttributes?.input.payloads ?? [];
  const text = JSON.stringify(payloads);
  if (payloads.length === 0 || text.includes(Buffer.from(String(originId)).toString('base64')))
    throw new Error(`the history's order is not encrypted: ${text.slice(0, 200)}`);
  const answer = await fetch(`http://${await project.address('codec-gateway', 8088)}/decode`, {
    method: 'POST',
    headers: { origin: UI, 'content-type': 'application/json', 'x-namespace': 'default' },
    body: JSON.stringify({ payloads }),
  });
  if (answer.status !== 200) throw new Error(`the gateway answered ${answer.status}`);
  const { payloads: decoded } = (await answer.json()) as { readonly payloads: readonly Payload[] };
  const order = JSON.parse(Buffer.from(decoded[0]?.data ?? '', 'base64').toString()) as { originId: number };
  if (order.originId !== originId) throw new Error(`decoded another order: ${order.originId}`);
  return `order ${originId}`;
}
