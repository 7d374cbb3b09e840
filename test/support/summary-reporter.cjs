/** The last line of a run: what it came to, on a line of its own. */
class SummaryReporter {
  onRunComplete(_contexts, results) {
    const failedSuites = results.numFailedTestSuites > 0 && results.numFailedTests === 0 ? 1 : 0;
    const failed = results.numFailedTests + failedSuites;
    process.stdout.write(`\n${results.numPassedTests} passed, ${failed} failed\n`);
  }
}

module.exports = SummaryReporter;
