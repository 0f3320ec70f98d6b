/**
 * Call this at the top of a file. What you pass to the returned function is closed after the test, last opened first.
 */
export function releaseAfterEach(): <T extends { close(): Promise<void> }>(resource: T) => T {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (let resource = open.pop(); resource !== undefined; resource = open.pop()) await resource.close();
  });
  return (resource) => {
    open.push(resource);
    return resource;
  };
}
