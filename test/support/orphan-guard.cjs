// Preloaded by child processes of tests: a test run that dies must not leave them behind. The channel to the parent
// must not hold the process either, whose end by itself is what tests look at.
process.on('disconnect', () => process.exit(1));
process.channel?.unref();
