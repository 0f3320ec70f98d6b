import { Client, Connection, isGrpcServiceError } from '@temporalio/client';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { dataConverterOf } from '../codec/data-converter';
import { GRPC, grpcCode } from '../client/engine-errors';
import { ServerUnreachableError } from '../client/errors';
import type { TemporalConfig, TemporalConnectionOptions, TemporalSecrets } from '../config/temporal';

/** A command reports within ten seconds that Temporal is unreachable; checking the namespace may take the rest. */
const CONNECT_TIMEOUT_MS = 6_000;
const CALL_TIMEOUT_MS = 3_000;

/** The connection to Temporal, as commands and the worker use it. */
export interface Engine {
  readonly client: Client;
  readonly connection: Connection;
  readonly config: TemporalConfig;
  /** For the worker, which needs a separate kind of connection. */
  readonly connectionOptions: TemporalConnectionOptions;
  /** How payloads are converted; undefined: the SDK's default, in clear. */
  readonly dataConverter: DataConverter | undefined;
  close(): Promise<void>;
}

/**
 * @throws ServerUnreachableError nobody answers at the address, the login is refused, or the namespace does not exist
 */
export async function connectEngine(
  config: TemporalConfig,
  { connection: options, keyRing }: TemporalSecrets,
  interceptors: readonly WorkflowClientInterceptor[] = [],
): Promise<Engine> {
  const { address, namespace } = config;
  const dataConverter = dataConverterOf(keyRing, namespace);
  const refuse = (what: string) => new ServerUnreachableError(`Temporal at ${address} ${what}`);
  let connection: Connection;
  try {
    connection = await Connection.connect({ ...options, connectTimeout: CONNECT_TIMEOUT_MS });
  } catch (error) {
    throw refuse(`cannot be reached${reasonOf(error)}`);
  }
  try {
    await connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
  } catch (error) {
    await connection.close();
    throw grpcCode(error) === GRPC.NOT_FOUND
      ? refuse(`has no namespace ${JSON.stringify(namespace)}`)
      : refuse(`does not answer${reasonOf(error)}`);
  }
  return {
    client: new Client({
      ...{ connection, namespace, interceptors: { workflow: [...interceptors] } },
      ...(dataConverter === undefined ? {} : { dataConverter }),
    }),
    dataConverter,
    connection,
    config,
    connectionOptions: options,
    close: () => connection.close(),
  };
}

/**
 * gRPC's message for a failed call contains addresses and protocol errors, but no secrets. Only its first line is kept.
 */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!isGrpcServiceError(cause)) return '';
  const [line = ''] = cause.details.split('\n');
  return ` (${line.slice(0, 200)})`;
}
