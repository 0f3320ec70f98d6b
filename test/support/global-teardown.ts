import { takeDown } from './server-scope';

export default function stopServers(): Promise<void> {
  return takeDown();
}
