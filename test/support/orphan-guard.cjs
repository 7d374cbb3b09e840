// Preloaded by child processes of tests: a test run that dies must not leave them behind. The channel to the parent
// must not keep the process alive either, because tests check that it ends on its own.
process.on('disconnect', () => process.exit(1));
process.channel?.unref();
