const { existsSync, readFileSync, writeFileSync } = require('node:fs');

/** The last line of a run: its result, and with the file TEST_TOTALS the sum of all runs that share it. */
class SummaryReporter {
  onRunComplete(_contexts, results) {
    // A file that cannot be loaded has no tests, so it counts as failed here.
    const failedSuites = results.testResults.filter(({ testExecError }) => testExecError).length;
    const run = { passed: results.numPassedTests, failed: results.numFailedTests + failedSuites };
    const file = process.env.TEST_TOTALS;
    const before = file && existsSync(file) ? readFileSync(file, 'utf8') : '';
    const { passed, failed } = before ? JSON.parse(before) : { passed: 0, failed: 0 };
    const sum = { passed: passed + run.passed, failed: failed + run.failed };
    if (file) writeFileSync(file, JSON.stringify(sum));
    process.stdout.write(`\n${sum.passed} passed, ${sum.failed} failed\n`);
  }
}

module.exports = SummaryReporter;
