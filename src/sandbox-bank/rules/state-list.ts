import { z } from 'zod';

/** Words told one after the other; the last one stays. */
export const stateList = z.array(z.string().min(1).max(100)).min(1, 'must name at least one status').max(100);
