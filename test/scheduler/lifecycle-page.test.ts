import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { lifecyclePage } from './lifecycle-page.ts'

it('the page of lifecycles shows the tables as they are', () => {
  const page = readFileSync(
    new URL('../../site/explanation/scheduler-lifecycles.md', import.meta.url),
    'utf8',
  )
  expect(page, 'run scripts/lifecycles.mjs').toBe(lifecyclePage())
})
