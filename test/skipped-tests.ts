import type { Reporter, TestModule, Vitest } from 'vitest/node'
import { howToInstall, missingPrograms } from './programs.ts'

let isWithoutWorld = false

/**
 * Ends a run in which tests were skipped with their names, and `npm test` with the command of the tests that it leaves
 * out; both with the programs that this machine does not have.
 */
export const skippedTests: Reporter = {
  onInit({ config }: Vitest) {
    isWithoutWorld = [config.project].flat().some((name) => name.startsWith('!world'))
  },
  onTestRunEnd(modules: readonly TestModule[]) {
    const skipped = modules.flatMap((each) =>
      [...each.children.allTests('skipped')].map(
        ({ fullName }) => `  ${each.relativeModuleId}: ${fullName}\n`,
      ),
    )
    if (skipped.length === 0 && !isWithoutWorld) return
    const missing = missingPrograms().map((each) => `  ${each.name}: ${howToInstall(each)}\n`)
    if (skipped.length > 0) process.stdout.write(`\nSkipped tests:\n${skipped.join('')}`)
    if (isWithoutWorld)
      process.stdout.write(
        '\nThe tests that need other programs, the compiler, browsers, database servers or killed processes: npm run test:world\n',
      )
    if (missing.length > 0) process.stdout.write(`\nPrograms that are not installed:\n${missing.join('')}\n`)
  },
}
