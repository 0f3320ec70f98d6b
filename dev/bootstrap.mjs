// The command behind `npm run demo`, `npm test` and others: installs, builds, then runs the task. This file must load
// on any Node.js, in order to report a version that is too old. So it uses nothing newer than Node.js 12.
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
