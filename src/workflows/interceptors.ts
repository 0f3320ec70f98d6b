import type { WorkflowInterceptors } from '@temporalio/workflow';
import { interceptors as onlyInTasks } from './only-in-tasks';
import { interceptors as traceContext } from './trace-context';
import { interceptors as unreadableHints } from './unreadable-hints';

/** All interceptors between Temporal and the workflows: the one module that the bundles name. */
export function interceptors(): WorkflowInterceptors {
  const parts = [onlyInTasks(), traceContext(), unreadableHints()];
  return {
    inbound: parts.flatMap(({ inbound = [] }) => inbound),
    outbound: parts.flatMap(({ outbound = [] }) => outbound),
    internals: parts.flatMap(({ internals = [] }) => internals),
  };
}
