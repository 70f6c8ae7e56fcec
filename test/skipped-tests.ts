import type { Reporter, TestModule } from 'vitest/node'
import { howToInstall, missingPrograms } from './programs.ts'

/** Ends a run in which tests were skipped with their names, and with the programs that this machine does not have. */
export const skippedTests: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const skipped = modules.flatMap((each) =>
      [...each.children.allTests('skipped')].map(
        ({ fullName }) => `  ${each.relativeModuleId}: ${fullName}\n`,
      ),
    )
    if (skipped.length === 0) return
    const missing = missingPrograms().map((each) => `  ${each.name}: ${howToInstall(each)}\n`)
    process.stdout.write(
      `\nSkipped tests:\n${skipped.join('')}\nPrograms that are not installed:\n${missing.join('')}\n`,
    )
  },
}
