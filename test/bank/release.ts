/** Called at a file's top: what is passed to the returned function is closed after the test, last opened first. */
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
