// Writes site/explanation/scheduler-lifecycles.md from the lifecycle tables: node --import ./scripts/ts-loader.mjs scripts/lifecycles.mjs
import { writeFileSync } from 'node:fs'
import { lifecyclePage } from '../test/scheduler/lifecycle-page.ts'

writeFileSync(new URL('../site/explanation/scheduler-lifecycles.md', import.meta.url), lifecyclePage())
