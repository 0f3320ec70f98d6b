// The one command behind `npm run demo` and `npm test`: installs, builds, then hands over to the task.
// This file must load on any Node, to say that it is too old: nothing newer than Node 12 here.
const NEEDED = [20, 19];
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  console.error(
    `Giro needs Node.js ${NEEDED.join('.')} or newer; this is ${process.version} (${process.execPath}).\n` +
      'Install a newer one (https://nodejs.org) and run the same command again.',
  );
  process.exitCode = 2;
} else {
  import('./bootstrap/main.mjs').then(
    (bootstrap) => bootstrap.main(process.argv.slice(2)),
    (error) => {
      console.error(error);
      process.exitCode = 1;
    },
  );
}
